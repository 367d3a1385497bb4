import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eventKey, statementKey, type AlertFact } from '../../../services/hail/alert.ts';
import {
  alertProblem,
  most_characters,
  most_corners,
  most_polygons,
} from '../../../services/hail/validate-alert.ts';

const ring = [
  { lon: -96.95, lat: 39.69 },
  { lon: -96.96, lat: 39.94 },
  { lon: -96.48, lat: 39.94 },
  { lon: -96.95, lat: 39.69 },
];

/** The warning KTOP SV.W 347 of 9 July 2026, with three of its corners. */
const fact: AlertFact = {
  alert_key: 'KTOP/SV/W/0347/2026',
  ...{ office: 'KTOP', phenomenon: 'SV', significance: 'W', etn: 347, year: 2026, vtec_action: 'NEW' },
  event: 'Severe Thunderstorm Warning',
  state: 'active',
  message_type: 'Alert',
  message_id: 'urn:oid:2.49.0.1.840.0.6c938c471eac7e2d3eaf9cc2e3ee81f6c5aa4555.001.1',
  sent_at: Date.parse('2026-07-09T05:23:00Z'),
  ...{ effective_at: null, onset_at: null, ends_at: null },
  expires_at: Date.parse('2026-07-09T06:00:00Z'),
  ...{ max_hail_in: 0.75, hail_qualifier: 'up to', hail_tag: 'Up to .75' },
  ...{ hail_threat: 'RADAR INDICATED', damage_threat: null, area_desc: 'Marshall, KS; Washington, KS' },
  polygons: [[ring]],
  replaced_by: null,
  provenance: {
    document_url: 'https://api.weather.gov/alerts/active?status=actual',
    retrieved_at: Date.parse('2026-07-09T05:40:00Z'),
    document_sha256: '7e'.repeat(32),
    publisher_version: '2026-07-09T05:23:00.000Z',
  },
};
const statement: AlertFact = {
  ...fact,
  alert_key: 'KLKN/SPS/urn:oid:2',
  ...{ office: 'KLKN', phenomenon: null, significance: null, etn: null, vtec_action: null },
};

describe('the key of an alert', () => {
  it('is the event, with the number in four digits', () => {
    const { office, year } = fact;
    assert.equal(
      eventKey({ office, phenomenon: 'SV', significance: 'W', etn: 7, year }),
      'KTOP/SV/W/0007/2026',
    );
    assert.equal(statementKey('KLKN', 'SPS', 'urn:oid:2'), 'KLKN/SPS/urn:oid:2');
  });
});

describe('a fact of hail.alert.v1', () => {
  it('is valid for an event, a statement, and without an area', () => {
    assert.equal(alertProblem(fact, fact.alert_key), null);
    assert.equal(alertProblem(statement, statement.alert_key), null);
    assert.equal(alertProblem({ ...fact, polygons: [] }, fact.alert_key), null);
  });

  it('that is none is told by what is wrong, never by its values', () => {
    const far = Date.parse('2301-01-01T00:00:00Z');
    const long = 'x'.repeat(most_characters + 1);
    const wrong: [string, Partial<AlertFact>][] = [
      ['an office of three letters', { office: 'TOP', alert_key: 'TOP/SV/W/0347/2026' }],
      ['another year than its key', { year: 2025 }],
      ['a year of no calendar', { year: 26, alert_key: 'KTOP/SV/W/0347/26' }],
      ['another number than its key', { etn: 348 }],
      ['a number of five digits', { etn: 12_345, alert_key: 'KTOP/SV/W/12345/2026' }],
      ['a phenomenon of one letter', { phenomenon: 'S', alert_key: 'KTOP/S/W/0347/2026' }],
      ['an event named in part', { significance: null }],
      ['no action', { vtec_action: null }],
      ['an action without event', { ...statement, vtec_action: 'NEW' }],
      ["a statement under another office's key", { ...statement, office: 'KTOP' }],
      ['a statement without a message', { ...statement, alert_key: 'KLKN/SPS/' }],
      ['no name', { event: '' }],
      ['no message', { message_id: '' }],
      ['an unknown state', { state: 'over' as 'expired' }],
      ['an unknown type', { message_type: 'Ack' as 'Alert' }],
      ['a time that no column holds', { ends_at: far }],
      ['a time of sending that is no number', { sent_at: NaN }],
      ['no size at all', { max_hail_in: 0 }],
      ['a size of no hail', { max_hail_in: 12.5 }],
      ['a size that is no number', { max_hail_in: NaN }],
      ['a size without a tag', { hail_tag: null }],
      ['a text without end', { area_desc: long }],
      ['a hash that is none', { provenance: { ...fact.provenance, document_sha256: 'AB' } }],
      ['a time of reading before all records', { provenance: { ...fact.provenance, retrieved_at: -1e13 } }],
      ['a polygon without an outline', { polygons: [[]] }],
      ['a ring of two corners', { polygons: [[[ring[0], ring[1], ring[0]].flatMap((each) => each ?? [])]] }],
      ['an open ring', { polygons: [[ring.slice(0, 3).concat({ lon: -96, lat: 39 })]] }],
      ['a corner off the globe', { polygons: [[ring.map(({ lon }) => ({ lon, lat: 95 }))]] }],
      ['a corner that is no number', { polygons: [[ring.map(({ lat }) => ({ lon: NaN, lat }))]] }],
      ['polygons without end', { polygons: Array.from({ length: most_polygons + 1 }, () => [ring]) }],
      [
        'corners without end',
        { polygons: [[Array.from({ length: most_corners + 1 }, () => ring[0] ?? { lon: 0, lat: 0 })]] },
      ],
    ];
    for (const [what, change] of wrong) {
      const bad = { ...fact, ...change };
      const problem = alertProblem(bad, bad.alert_key);
      assert.ok(problem, what);
      assert.doesNotMatch(problem, /KTOP|KLKN|-96|0347|AB|x{9}/, what);
    }
    assert.ok(alertProblem(fact, 'KTOP/SV/W/0348/2026'));
  });
});
