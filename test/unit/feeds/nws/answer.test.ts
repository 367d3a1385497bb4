import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ofHail } from '../../../../services/feeds/nws/read.ts';
import { PollFailed } from '../../../../services/feeds/poll-failure.ts';
import { alertProblem } from '../../../../services/hail/validate-alert.ts';
import {
  answerOf,
  empty,
  lifecycle,
  national,
  read,
  recordedAlerts,
  recordedFeatures,
  thunderstorm,
  tornado,
  type FeatureJson,
} from './recordings.ts';

const nobody = (): boolean => false;

function only(file: string, change: (feature: FeatureJson) => void): Buffer {
  const features = recordedFeatures(file);
  features.forEach(change);
  return answerOf(features);
}

describe('the recorded alerts of the country', () => {
  const answer = read(recordedAlerts(national));

  it('are 396, of which eight speak of hail', () => {
    assert.equal(answer.features, 396);
    assert.equal(answer.tests, 0);
    assert.deepEqual(answer.unreadable, []);
    assert.deepEqual(answer.strange_tags, []);
    assert.equal(answer.next_query, null);
    // Read from the file by eye: office, tag as served, size.
    assert.deepEqual(
      answer.told.map(({ office, event, hail_tag, max_hail_in }) => [office, event, hail_tag, max_hail_in]),
      [
        ['KLKN', 'Special Weather Statement', '0.25', 0.25],
        ['KSHV', 'Special Weather Statement', '0.00', null],
        ['KLKN', 'Special Weather Statement', '0.50', 0.5],
        ['KGJT', 'Special Weather Statement', '0.75', 0.75],
        ['KMFL', 'Special Weather Statement', '0.25', 0.25],
        ['KBGM', 'Severe Thunderstorm Warning', '1.00', 1],
        ['KTWC', 'Severe Thunderstorm Warning', '1.00', 1],
        ['KFWD', 'Special Weather Statement', '0.00', null],
      ],
    );
  });

  it('stay silent on hail but for those, however many have no geometry or no VTEC', () => {
    assert.deepEqual(
      ofHail(answer, nobody).map(({ message_id }) => message_id),
      answer.told.map(({ message_id }) => message_id),
    );
    assert.ok(answer.silent.length > 200);
    assert.ok(answer.silent.some(({ polygons }) => polygons.length === 0));
  });
});

describe('an answer', () => {
  it('without features is one without alerts', () => {
    assert.deepEqual(read(recordedAlerts(empty)), {
      ...{ features: 0, told: [], silent: [], tests: 0, unreadable: [], unrecognised: 0, strange_tags: [] },
      next_query: null,
    });
  });

  it('that is none is never "no alerts"', () => {
    const wrong: [string, string][] = [
      ['', 'not-the-format'],
      ['<html><body>Access Denied</body></html>', 'not-the-format'],
      ['[]', 'not-the-format'],
      [`{"type":"Feature","features":[]}`, 'not-the-format'],
      [`{"type":"FeatureCollection"}`, 'not-the-format'],
      [recordedAlerts(lifecycle).toString('utf8').slice(0, 5_000), 'truncated'],
      // The publisher's answer to a parameter it no longer knows, with whatever status.
      [
        '{"parameterErrors":[{"parameter":"query.limit","message":"Query parameter \\"limit\\" is not recognized"}],"title":"Bad Request","status":400}',
        'error-body',
      ],
    ];
    for (const [text, reason] of wrong)
      assert.throws(
        () => read(Buffer.from(text)),
        (error) => error instanceof PollFailed && error.reason === reason,
        text.slice(0, 40),
      );
  });

  it('names its next page by address, of which only the query counts', () => {
    const next = 'https://api.weather.gov/alerts?status=actual&limit=500&cursor=eyJ0Ijox';
    const { next_query } = read(answerOf([], { pagination: { next } }));
    assert.equal(next_query, '?status=actual&limit=500&cursor=eyJ0Ijox');
    assert.throws(
      () => read(answerOf([], { pagination: { next: 'more' } })),
      (error) => error instanceof PollFailed && error.reason === 'not-the-format',
    );
  });
});

describe('a feature', () => {
  it('of a test is counted and no alert, also with headline and onset of null', () => {
    const test = only(thunderstorm, ({ properties }) => {
      Object.assign(properties, { status: 'Test', headline: null, onset: null });
    });
    assert.deepEqual([read(test).told, read(test).silent, read(test).tests], [[], [], 1]);
    // A warning under a VTEC of a test is one too, whatever the message's status.
    const by_code = only(thunderstorm, ({ properties: { parameters } }) => {
      parameters['VTEC'] = ['/T.NEW.KEAX.SV.W.0334.260610T2128Z-260610T2230Z/'];
    });
    assert.deepEqual([read(by_code).told, read(by_code).tests], [[], 1]);
  });

  it('that cannot be read costs only itself, and is named without its values', () => {
    const wrong: [string, (feature: FeatureJson) => void][] = [
      ['sent', ({ properties }) => (properties['sent'] = '2026-06-10 16:28 SECRET')],
      ['a day of no calendar', ({ properties }) => (properties['ends'] = '2026-02-30T16:28:00-05:00')],
      ['no id', ({ properties }) => delete properties['id']],
      ['an unknown type', ({ properties }) => (properties['messageType'] = 'SECRET')],
      ['parameters', ({ properties }) => (properties.parameters['maxHailSize'] = 1.75)],
      ['VTEC', ({ properties }) => (properties.parameters['VTEC'] = ['/O.NEW.KEAX.SV.W.SECRET/'])],
      ['a line', ({ geometry }) => Object.assign(geometry ?? {}, { type: 'LineString' })],
      ['an open ring', ({ geometry }) => ringOf(geometry).pop()],
      ['a place off the globe', ({ geometry }) => (ringOf(geometry)[1] = [-97, 95])],
      [
        'an expired reference',
        ({ properties }) => (properties.parameters['expiredReferences'] = ['SECRET,urn']),
      ],
    ];
    const [other] = recordedFeatures(tornado);
    for (const [what, change] of wrong) {
      const [broken] = recordedFeatures(thunderstorm);
      assert.ok(broken);
      change(broken);
      const { told, unreadable } = read(answerOf([broken, other]));
      assert.deepEqual(
        told.map(({ alert_key }) => alert_key.slice(0, 9)),
        ['KEAX/TO/W'],
        what,
      );
      assert.equal(unreadable.length, 1, what);
      assert.match(
        unreadable[0] ?? '',
        /^urn:oid:2\.49\.0\.1\.840\.0\.f65dcc1b150bd22fd4871aaa1c6574e9f39bf6de\.001\.1 /,
      );
      assert.doesNotMatch(unreadable[0] ?? '', /SECRET/);
    }
    const { told, unreadable, unrecognised } = read(answerOf([null, 'text', { id: 7 }, other]));
    assert.deepEqual([told.length, unreadable.length, unrecognised], [1, 3, 3]);
  });

  it('may be bent in any way: it is read to a valid fact, or told, or passed over', () => {
    const paths = [
      ...['geometry', 'geometry.type', 'geometry.coordinates', 'properties', 'properties.parameters'],
      ...Object.keys(recordedFeatures(thunderstorm)[0]?.properties ?? {}).map((name) => `properties.${name}`),
      ...['VTEC', 'WMOidentifier', 'maxHailSize', 'hailThreat', 'expiredReferences'].map(
        (name) => `properties.parameters.${name}`,
      ),
    ];
    const files = fc.constantFrom(thunderstorm, tornado, lifecycle);
    const bend = fc.record({
      path: fc.constantFrom(...paths),
      value: fc.option(fc.jsonValue(), { nil: undefined }),
    });
    fc.assert(
      fc.property(files, fc.array(bend, { minLength: 1, maxLength: 3 }), (file, bends) => {
        const features: unknown[] = recordedFeatures(file);
        for (const { path, value } of bends) put(features[0], path.split('.'), value);
        const { told, silent, tests, unreadable } = read(answerOf(features));
        for (const fact of [...told, ...silent]) assert.equal(alertProblem(fact, fact.alert_key), null);
        // The others are not touched.
        assert.ok(told.length >= features.length - 1);
        assert.ok(told.length + silent.length + tests + unreadable.length <= features.length + 1);
      }),
      { numRuns: 500 },
    );
  });

  it('that concerns no hail may be as it likes', () => {
    const strange = only(thunderstorm, ({ properties }) => {
      properties['event'] = 'Dust Advisory';
      properties['sent'] = 'soon';
      properties.parameters = { VTEC: ['/O.NEW.KEAX.DU.Y.0001.x/'] };
    });
    const { told, silent, unreadable } = read(strange);
    assert.deepEqual([told, silent, unreadable], [[], [], []]);
  });

  it('with a tag that names no size is kept with its text, and told apart from a tag of none', () => {
    const tagged = (tag: string): Buffer =>
      only(thunderstorm, ({ properties }) => (properties.parameters['maxHailSize'] = [tag]));
    const [strange] = read(tagged('Golf ball')).told;
    assert.deepEqual([strange?.hail_tag, strange?.max_hail_in], ['Golf ball', null]);
    assert.deepEqual(read(tagged('Golf ball')).strange_tags, ['KEAX/SV/W/0334/2026']);
    assert.deepEqual(read(tagged('0.00')).strange_tags, []);
  });
});

describe('a message that says nothing of hail', () => {
  it('is about hail where its event is: in the same answer, or known from before', () => {
    const [statement] = recordedFeatures(national).filter(({ properties }) => {
      return properties['senderName'] === 'NWS Grand Junction CO' && 'maxHailSize' in properties.parameters;
    });
    assert.ok(statement);
    // NOT REAL: no statement was recorded together with its cancellation.
    const cancel = structuredClone(statement);
    delete cancel.properties.parameters['maxHailSize'];
    Object.assign(cancel.properties, {
      id: 'urn:oid:2.49.0.1.840.0.1.002.1',
      messageType: 'Cancel',
      sent: '2026-07-15T20:10:00+00:00',
      references: [{ identifier: statement.properties['id'], sent: statement.properties['sent'] }],
    });
    const [told] = read(answerOf([statement])).told;
    const together = ofHail(read(answerOf([cancel, statement])), nobody);
    assert.deepEqual(together.map(({ state }) => state).sort(), ['active', 'cancelled']);
    assert.deepEqual([...new Set(together.map(({ alert_key }) => alert_key))], [told?.alert_key]);
    const alone = read(answerOf([cancel]));
    assert.deepEqual(ofHail(alone, nobody), []);
    assert.equal(ofHail(alone, (key) => key === told?.alert_key).length, 1);
  });
});

function ringOf(geometry: FeatureJson['geometry']): unknown[] {
  return (geometry?.coordinates as unknown[][])[0] ?? [];
}

/** Sets what lies at a path, as far as the path leads; undefined takes it away. */
function put(of: unknown, [name = '', ...rest]: readonly string[], value: unknown): void {
  if (typeof of !== 'object' || of === null) return;
  const holder = of as Record<string, unknown>;
  if (rest.length > 0) put(holder[name], rest, value);
  else if (value === undefined) Reflect.deleteProperty(holder, name);
  else holder[name] = value;
}
