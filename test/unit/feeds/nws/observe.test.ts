import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { alertProblem } from '../../../../services/hail/validate-alert.ts';
import {
  answerOf,
  factOf,
  lifecycle,
  national,
  provenance,
  read,
  recordedAlerts,
  recordedFeatures,
  thunderstorm,
  tornado,
} from './recordings.ts';

const at = (text: string): number => Date.parse(text);

describe('a recorded warning', () => {
  it('is a fact in UTC, inches and degrees', () => {
    const { polygons, ...fact } = factOf(thunderstorm);
    assert.deepEqual(fact, {
      alert_key: 'KEAX/SV/W/0334/2026',
      office: 'KEAX',
      phenomenon: 'SV',
      significance: 'W',
      etn: 334,
      year: 2026,
      event: 'Severe Thunderstorm Warning',
      state: 'active',
      vtec_action: 'NEW',
      message_type: 'Alert',
      message_id: 'urn:oid:2.49.0.1.840.0.f65dcc1b150bd22fd4871aaa1c6574e9f39bf6de.001.1',
      // 16:28 and 17:30 at -05:00.
      sent_at: at('2026-06-10T21:28:00Z'),
      effective_at: at('2026-06-10T21:28:00Z'),
      onset_at: at('2026-06-10T21:28:00Z'),
      expires_at: at('2026-06-10T22:30:00Z'),
      ends_at: at('2026-06-10T22:30:00Z'),
      max_hail_in: 1.75,
      hail_qualifier: null,
      hail_tag: '1.75',
      hail_threat: 'RADAR INDICATED',
      damage_threat: 'CONSIDERABLE',
      area_desc: 'Daviess, MO; DeKalb, MO; Gentry, MO; Grundy, MO; Harrison, MO; Livingston, MO; Mercer, MO',
      replaced_by: null,
      provenance: { ...provenance, publisher_version: '2026-06-10T21:28:00.000Z' },
    });
    assert.deepEqual(polygons, [
      [
        [
          { lon: -93.6, lat: 40.41 },
          { lon: -93.68, lat: 39.92 },
          { lon: -94.36, lat: 39.89 },
          { lon: -94.26, lat: 40.21 },
          { lon: -93.6, lat: 40.41 },
        ],
      ],
    ]);
  });

  it('of a tornado may name a size of hail and no threat of it', () => {
    const fact = factOf(tornado);
    assert.match(fact.alert_key, /^KEAX\/TO\/W\/\d{4}\/2026$/);
    assert.deepEqual([fact.max_hail_in, fact.hail_tag, fact.hail_threat], [1.5, '1.50', null]);
  });

  it('without any tag is a fact without a size', () => {
    const fact = factOf(tornado, ({ properties }) => delete properties.parameters['maxHailSize']);
    assert.deepEqual([fact.max_hail_in, fact.hail_tag, fact.state], [null, null, 'active']);
  });
});

describe('the recorded life of a warning', () => {
  const { told } = read(recordedAlerts(lifecycle));
  const [cancelled, other, first] = told;

  it('is told under one key, from "Up to .75" to its cancellation', () => {
    assert.equal(told.length, 3);
    assert.equal(first?.alert_key, 'KTOP/SV/W/0347/2026');
    assert.deepEqual(
      [first.state, first.vtec_action, first.max_hail_in, first.hail_qualifier, first.hail_tag],
      ['active', 'NEW', 0.75, 'up to', 'Up to .75'],
    );
    assert.equal(other?.alert_key, 'KTOP/SV/W/0348/2026');
    assert.deepEqual([other.max_hail_in, other.hail_qualifier], [0.75, null]);
  });

  it('ends with a message of the same name and polygon, without hail and with zeros in its VTEC', () => {
    assert.ok(cancelled && first);
    assert.equal(cancelled.alert_key, first.alert_key);
    assert.equal(cancelled.event, first.event);
    assert.deepEqual(cancelled.polygons, first.polygons);
    assert.deepEqual(
      [cancelled.state, cancelled.vtec_action, cancelled.message_type],
      ['cancelled', 'CAN', 'Cancel'],
    );
    assert.deepEqual([cancelled.max_hail_in, cancelled.hail_tag, cancelled.hail_threat], [null, null, null]);
    // The message expires before the event would have ended.
    assert.equal(cancelled.expires_at, at('2026-07-09T05:54:32Z'));
    assert.equal(cancelled.ends_at, at('2026-07-09T06:00:00Z'));
  });

  it('names what replaced the warning, by its id', () => {
    assert.equal(first?.replaced_by, cancelled?.message_id);
    assert.equal(cancelled?.replaced_by, null);
  });
});

describe('the state of an event', () => {
  const stateAfter = (action: string, messageType: string): string =>
    factOf(thunderstorm, ({ properties }) => {
      properties['messageType'] = messageType;
      properties.parameters['VTEC'] = [`/O.${action}.KEAX.SV.W.0334.000000T0000Z-260610T2230Z/`];
    }).state;

  it('follows the action of the VTEC, and a Cancel ends it whatever the action', () => {
    assert.equal(stateAfter('CON', 'Update'), 'active');
    assert.equal(stateAfter('EXT', 'Update'), 'active');
    assert.equal(stateAfter('CAN', 'Cancel'), 'cancelled');
    assert.equal(stateAfter('CAN', 'Alert'), 'cancelled');
    assert.equal(stateAfter('UPG', 'Update'), 'cancelled');
    assert.equal(stateAfter('EXP', 'Cancel'), 'expired');
    assert.equal(stateAfter('EXP', 'Update'), 'expired');
    assert.equal(stateAfter('CON', 'Cancel'), 'cancelled');
  });

  it('is that of each event where a message names two', () => {
    const [feature] = recordedFeatures(thunderstorm);
    assert.ok(feature);
    feature.properties.parameters['VTEC'] = [
      '/O.UPG.KEAX.SV.W.0334.000000T0000Z-260610T2230Z/',
      '/O.NEW.KEAX.TO.W.0051.260610T2128Z-260610T2230Z/',
    ];
    assert.deepEqual(
      read(answerOf([feature])).told.map(({ alert_key, state }) => [alert_key, state]),
      [
        ['KEAX/SV/W/0334/2026', 'cancelled'],
        ['KEAX/TO/W/0051/2026', 'active'],
      ],
    );
  });
});

describe('the year of an event', () => {
  const keyOf = (sent: string, begins: string, references: [string, string][], expired?: string): string =>
    factOf(thunderstorm, ({ properties }) => {
      properties['sent'] = sent;
      properties['references'] = references.map(([identifier, of]) => ({ identifier, sent: of }));
      properties.parameters['VTEC'] = [`/O.CON.KEAX.SV.W.0999.${begins}-270101T0630Z/`];
      if (expired !== undefined) properties.parameters['expiredReferences'] = [expired];
    }).alert_key;

  it("is the old one past midnight of New Year's Eve, by the first message, wherever it is referred to", () => {
    // NOT REAL: no turn of a year was recorded. Half past eleven UTC of the old year, then ten past midnight.
    const eve: [string, string] = ['urn:1', '2026-12-31T17:30:00-06:00'];
    const late: [string, string] = ['urn:2', '2026-12-31T18:05:00-06:00'];
    assert.equal(keyOf('2026-12-31T17:30:00-06:00', '261231T2330Z', []), 'KEAX/SV/W/0999/2026');
    assert.equal(keyOf('2026-12-31T18:10:00-06:00', '000000T0000Z', [late, eve]), 'KEAX/SV/W/0999/2026');
    const expired = `w-nws.webmaster@noaa.gov,${eve.join()} w-nws.webmaster@noaa.gov,${late.join()}`;
    assert.equal(keyOf('2026-12-31T18:20:00-06:00', '000000T0000Z', [late], expired), 'KEAX/SV/W/0999/2026');
    assert.equal(keyOf('2026-12-31T18:20:00-06:00', '261231T2330Z', []), 'KEAX/SV/W/0999/2026');
  });

  it('is the new one in UTC while the office still has the old, and the message is all there is', () => {
    assert.equal(keyOf('2026-12-31T18:05:00-06:00', '270101T0005Z', []), 'KEAX/SV/W/0999/2027');
    assert.equal(keyOf('2026-12-31T18:10:00-06:00', '000000T0000Z', []), 'KEAX/SV/W/0999/2027');
  });
});

describe('a statement without VTEC', () => {
  const grand_junction = recordedFeatures(national).findIndex(
    ({ properties }) =>
      properties['senderName'] === 'NWS Grand Junction CO' && 'maxHailSize' in properties.parameters,
  );

  it('is known by its office, its product and its first message', () => {
    const fact = factOf(national, undefined, grand_junction);
    assert.equal(fact.alert_key, `KGJT/SPS/${fact.message_id}`);
    assert.deepEqual(
      [fact.phenomenon, fact.significance, fact.etn, fact.vtec_action],
      [null, null, null, null],
    );
    assert.deepEqual([fact.year, fact.state, fact.ends_at], [2026, 'active', null]);
  });

  it('keeps its key in every message that refers to the first', () => {
    const first = factOf(national, undefined, grand_junction);
    const second = factOf(
      national,
      ({ properties }) => {
        const before = { identifier: properties['id'], sent: properties['sent'] };
        const between = { identifier: 'urn:oid:2', sent: '2026-07-15T20:05:00+00:00' };
        Object.assign(properties, { id: 'urn:oid:3', messageType: 'Update', references: [between, before] });
        properties['sent'] = '2026-07-15T20:10:00+00:00';
      },
      grand_junction,
    );
    assert.equal(second.alert_key, first.alert_key);
    assert.notEqual(second.message_id, first.message_id);
  });
});

describe('a polygon', () => {
  const bent = (type: string, coordinates: unknown): ReturnType<typeof factOf> =>
    factOf(thunderstorm, (feature) => (feature.geometry = { type, coordinates }));
  const ring = [
    [-97, 35],
    [-96, 35],
    [-96, 36],
    [-97, 35],
  ];

  it('may be one of several, and have holes', () => {
    const { polygons } = bent('MultiPolygon', [[ring], [ring, ring]]);
    assert.deepEqual(
      polygons.map((rings) => rings.length),
      [1, 2],
    );
    assert.deepEqual(polygons[1]?.[1]?.[2], { lon: -96, lat: 36 });
  });

  it('loses the noise of floating point, so that it is the same in every answer', () => {
    const noisy = ring.map(([lon = 0, lat = 0]) => [lon + 2e-14, lat - 7e-15, 0]);
    assert.deepEqual(bent('Polygon', [noisy]).polygons, bent('Polygon', [ring]).polygons);
  });

  it('may be missing: the alert stands without an area', () => {
    assert.deepEqual(factOf(thunderstorm, (feature) => (feature.geometry = null)).polygons, []);
  });
});

describe('every recorded fact', () => {
  it('is valid under its own key and no other', () => {
    const facts = [national, lifecycle].flatMap((file) => {
      const { told, silent } = read(recordedAlerts(file));
      return [...told, ...silent];
    });
    assert.ok(facts.length > 250);
    for (const fact of facts) {
      assert.equal(alertProblem(fact, fact.alert_key), null, fact.alert_key);
      assert.ok(alertProblem(fact, 'KTOP/SV/W/0001/2026'));
    }
  });
});
