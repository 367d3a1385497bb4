import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { Feed, Period } from '../../../services/feeds/feed.ts';
import { readDocument } from '../../../services/feeds/documents/files.ts';
import { nwsAlerts } from '../../../services/feeds/nws/feed.ts';
import type { AlertFact } from '../../../services/hail/alert.ts';
import { laterLetter } from '../../../services/log/letters/state.ts';
import { topics } from '../../../services/log/topics.ts';
import type { StubAnswer } from '../../support/publisher-stub.ts';
import {
  answerOf,
  lifecycle,
  national,
  recordedAlerts,
  recordedFeatures,
  thunderstorm,
  tornado,
  type FeatureJson,
} from '../../unit/feeds/nws/recordings.ts';
import { startFeedBench, type FeedBench } from './bench.ts';
import { planOf, withPlan } from './planned.ts';

const at = (text: string): number => Date.parse(text);
const [cancelled, other, warned] = recordedFeatures(lifecycle) as [FeatureJson, FeatureJson, FeatureJson];
const kept = (name: string): boolean => name !== 'replacedBy' && name !== 'replacedAt';
/** The warning as it was served before its cancellation. */
const standing: FeatureJson = {
  ...warned,
  properties: Object.fromEntries(
    Object.entries(warned.properties).filter(([name]) => kept(name)),
  ) as FeatureJson['properties'],
};

let bench: FeedBench;
let active: StubAnswer;

beforeEach(async () => {
  bench = await startFeedBench();
  active = { body: answerOf([]) };
  bench.stub.on('/alerts/active', () => active);
});
afterEach(() => bench.stop());

const feedWith = (history = ''): Feed =>
  nwsAlerts({ NWS_URL: bench.stub.url, NWS_SCHEDULE: '0 0 1 1 *', NWS_HISTORY: history });

const poll = async (features?: readonly unknown[]): Promise<readonly string[]> => {
  if (features !== undefined) active = { body: answerOf(features) };
  return bench.poll(feedWith());
};

async function published(): Promise<AlertFact[]> {
  const found: AlertFact[] = [];
  for await (const page of bench.log.scan(topics.alert.name)) {
    for (const { key, value } of page) {
      const decoded = await bench.codec.decode(topics.alert.name, value);
      if (decoded.outcome !== 'ok') continue;
      assert.equal(key, decoded.fact.alert_key);
      found.push(decoded.fact);
    }
  }
  return found;
}

/** What was published of one event, in order. */
const storyIn = (facts: readonly AlertFact[], key = 'KTOP/SV/W/0347/2026'): (string | null)[] =>
  facts
    .filter(({ alert_key }) => alert_key === key)
    .map(
      ({ vtec_action, replaced_by }) => `${String(vtec_action)}${replaced_by === null ? '' : ' replaced'}`,
    );

describe('a poll of the active alerts', () => {
  it('publishes what speaks of hail in the recorded country, once', async () => {
    bench.clock.now = at('2026-07-15T20:01:00Z');
    active = { body: recordedAlerts(national), content_type: 'application/geo+json' };
    assert.deepEqual(await poll(), []);
    assert.deepEqual(bench.stub.requests, ['/alerts/active?status=actual']);
    assert.deepEqual(bench.stub.accepted, ['application/geo+json']);
    assert.match(bench.stub.user_agents[0] ?? '', /^Hailmark\/.*tests@example\.org/);
    const facts = await published();
    assert.deepEqual(facts.map(({ office }) => office).sort(), [
      ...['KBGM', 'KFWD', 'KGJT', 'KLKN', 'KLKN', 'KMFL', 'KSHV', 'KTWC'],
    ]);
    const tucson = facts.find(({ office }) => office === 'KTWC');
    assert.equal(tucson?.alert_key, 'KTWC/SV/W/0047/2026');
    assert.equal(tucson.provenance.publisher_version, '2026-07-15T19:43:00.000Z');
    assert.equal(tucson.provenance.document_url, `${bench.stub.url}/alerts/active?status=actual`);
    const [fact] = await bench.polls();
    assert.ok(fact);
    assert.deepEqual(
      [fact.feed, fact.publisher, fact.mode, fact.outcome, fact.detail],
      ['nws_alerts', 'NWS_ALERT', 'live', 'read', '396 messages, 8 of them about hail.'],
    );
    assert.equal(fact.read_through, at('2026-07-15T20:01:00Z'));
    assert.deepEqual(
      fact.readings.map(({ slice, complete, records, published: news, withdrawn }) => [
        ...[slice, complete, records, news, withdrawn],
      ]),
      [['active', false, 8, 8, 0]],
    );
    assert.deepEqual(
      fact.offsets.map(({ topic }) => topic),
      Array.from({ length: 6 }, () => 'hail.alert.v1'),
    );
    assert.equal(fact.document_sha256, facts[0]?.provenance.document_sha256);

    await poll();
    bench.loseIndex();
    await poll();
    assert.equal((await published()).length, 8);
    assert.equal((await bench.polls()).at(-1)?.read_through, at('2026-07-15T20:01:02Z'));
  });

  it('withdraws nothing that is no longer listed, and is fresh without any alert', async () => {
    await poll([standing, other]);
    const before = bench.clock.now;
    await poll([]);
    assert.equal((await published()).length, 2);
    const last = (await bench.polls()).at(-1);
    assert.deepEqual([last?.read_through, last?.detail], [before, '0 messages, 0 of them about hail.']);
  });
});

describe('the life of a warning', () => {
  it('is published as it goes, and what is older is never published after it', async () => {
    await poll([standing, other]);
    assert.deepEqual(storyIn(await published()), ['NEW']);
    await poll([cancelled, other, warned]);
    assert.deepEqual(storyIn(await published()), ['NEW', 'NEW replaced', 'CAN']);
    // The same again, in another order, and an old answer out of some cache.
    await poll([warned, other, cancelled]);
    await poll([standing]);
    bench.loseIndex();
    await poll([standing]);
    const facts = await published();
    assert.deepEqual(storyIn(facts), ['NEW', 'NEW replaced', 'CAN']);
    const last = facts.filter(({ etn }) => etn === 347).at(-1);
    assert.deepEqual([last?.state, last?.max_hail_in, last?.polygons.length], ['cancelled', null, 1]);
    assert.deepEqual(storyIn(facts, 'KTOP/SV/W/0348/2026'), ['NEW']);
  });

  it('is told from its begin where the first answer shows its end already', async () => {
    await poll([cancelled, warned]);
    assert.deepEqual(storyIn(await published()), ['NEW replaced', 'CAN']);
    const [{ records, published: news } = { records: 0, published: 0 }] =
      (await bench.polls())[0]?.readings ?? [];
    assert.deepEqual([records, news], [1, 2]);
  });

  it('goes on where a part of the area is released in the same instant, and is published once', async () => {
    // NOT REAL: no such pair was recorded.
    const part = structuredClone(cancelled);
    const rest = structuredClone(standing);
    rest.properties['sent'] = part.properties['sent'];
    rest.properties['id'] = 'urn:oid:2.49.0.1.840.0.1.002.1';
    rest.properties['references'] = part.properties['references'];
    rest.properties.parameters['VTEC'] = ['/O.CON.KTOP.SV.W.0347.000000T0000Z-260709T0600Z/'];
    for (const answer of [[part, rest], [rest, part], [rest]]) await poll(answer);
    const facts = await published();
    assert.deepEqual(storyIn(facts), ['CON']);
    assert.equal(
      (await bench.polls())[0]?.detail,
      '2 messages, 2 of them about hail, 1 that another of the same event and instant outweighs.',
    );
  });
});

describe('an answer that is none', () => {
  const rejected =
    '{"parameterErrors":[{"parameter":"query.limit","message":"Query parameter \\"limit\\" is not recognized"}],"title":"Bad Request","status":400}';
  const wrong: [StubAnswer, string][] = [
    [{ status: 400, body: rejected }, 'http-status'],
    [{ status: 403, body: '<html>Access Denied</html>' }, 'http-status'],
    [{ status: 304 }, 'http-status'],
    [{ status: 503, body: answerOf([]) }, 'http-status'],
    [{ body: rejected }, 'error-body'],
    [{ body: '<html></html>' }, 'not-the-format'],
    [{ body: recordedAlerts(lifecycle), fault: 'cut' }, 'unreachable'],
    [{ fault: 'reset' }, 'unreachable'],
  ];
  it('is a failed poll, never a country without alerts', async () => {
    for (const [answer, reason] of wrong) {
      active = answer;
      assert.deepEqual(await poll(), [reason]);
      const last = (await bench.polls()).at(-1);
      assert.deepEqual([last?.outcome, last?.reason, last?.read_through], ['failed', reason, null]);
      assert.deepEqual(last?.readings, []);
    }
    assert.deepEqual(await published(), []);
  });
});

describe('a feature that cannot be read', () => {
  it('costs only itself and is named in the poll', async () => {
    const [broken] = recordedFeatures(thunderstorm);
    assert.ok(broken);
    broken.properties['sent'] = 'soon';
    assert.deepEqual(await poll([broken, ...recordedFeatures(tornado)]), []);
    assert.deepEqual(
      (await published()).map(({ phenomenon }) => phenomenon),
      ['TO'],
    );
    const [fact] = await bench.polls();
    assert.equal(
      fact?.detail,
      '2 messages, 1 of them about hail, 1 that cannot be read: ' +
        'urn:oid:2.49.0.1.840.0.f65dcc1b150bd22fd4871aaa1c6574e9f39bf6de.001.1 cannot be read at sent.',
    );
    assert.ok(fact.read_through !== null);
  });

  it('proves nothing once most of what concerns hail is like it', async () => {
    const broken = recordedFeatures(lifecycle);
    for (const { properties } of broken) properties['sent'] = 'soon';
    await poll([...broken, ...recordedFeatures(tornado)]);
    const [fact] = await bench.polls();
    assert.deepEqual([fact?.outcome, fact?.read_through], ['read', null]);
    assert.equal((await published()).length, 1);
    // Nothing tells what they are about: it may have been hail.
    await poll([{ ...cancelled, properties: null }, null, standing]);
    assert.equal((await bench.polls()).at(-1)?.read_through, null);
    // One of many that tells nothing of itself is no change of the format, even where none speaks of hail.
    const others = recordedFeatures(national).filter(
      ({ properties }) => properties['event'] === 'Heat Advisory',
    );
    await poll([null, ...others]);
    assert.ok((await bench.polls()).at(-1)?.read_through);
  });
});

describe('a message of an event that nobody can read', () => {
  it('holds the event back, and no other', async () => {
    const key = 'KTOP/SV/W/0347/2026';
    await bench.log.append(topics.alert.name, [{ key, value: Buffer.from('garbage') }]);
    await poll([standing, other]);
    assert.deepEqual(
      (await published()).map(({ alert_key }) => alert_key),
      ['KTOP/SV/W/0348/2026'],
    );
    assert.deepEqual((await bench.polls())[0]?.readings[0]?.held, [key]);
  });
});

describe('a dead message of an event', () => {
  const dead_letter = topics.dead_letter.name;

  it('is published anew when that is asked for, under its own key', async () => {
    await poll([standing, other]);
    const key = 'KTOP/SV/W/0347/2026';
    for await (const page of bench.log.scan(topics.alert.name)) {
      for (const message of page.filter((each) => each.key === key)) {
        const { topic, partition, offset } = message;
        for (const state of ['dead', 'retry'] as const) {
          const said = { state, at: 'a test', reason: '', error: '', failed_at: 0 };
          const letter = laterLetter({ topic, partition, offset, key }, said);
          await bench.log.append(dead_letter, [{ key, value: bench.codec.encode(dead_letter, letter) }]);
        }
      }
    }
    await poll([]);
    const facts = (await published()).filter(({ alert_key }) => alert_key === key);
    assert.equal(facts.length, 2);
    assert.deepEqual(facts[1], facts[0]);
    const said: string[] = [];
    for await (const page of bench.log.scan(dead_letter)) {
      for (const { value } of page) {
        const decoded = await bench.codec.decode(dead_letter, value);
        if (decoded.outcome === 'ok') said.push(`${decoded.fact.state} ${decoded.fact.reason}`);
      }
    }
    assert.equal(said.at(-1), 'settled published-anew');
    assert.equal((await published()).length, 3);
  });
});

describe('the history of alerts', () => {
  const periodOf = (from: string, until: string): Period => ({ from: at(from), until: at(until), box: null });
  const namesOf = async (from: string, until: string): Promise<string[]> =>
    (await planOf(bench, feedWith(), periodOf(from, until))).map(({ name }) => name);
  /** Reads what of a period has not been read. */
  const readPeriod = (from: string, until: string): Promise<void> =>
    withPlan(bench, feedWith(), periodOf(from, until), async (parts, run) => {
      for (const part of parts) if (!part.isRead()) await part.read(run);
    });

  it('reaches back over the whole days of a week, and no further', async () => {
    bench.clock.now = at('2026-07-15T20:00:00Z');
    assert.deepEqual(await namesOf('2026-07-01T00:00:00Z', '2026-07-11T00:00:00Z'), [
      '2026-07-09',
      '2026-07-10',
    ]);
    assert.deepEqual(await namesOf('2026-07-14T12:00:00Z', '2026-08-01T00:00:00Z'), [
      '2026-07-14',
      '2026-07-15',
    ]);
    assert.deepEqual(await namesOf('2017-01-01T00:00:00Z', '2018-01-01T00:00:00Z'), []);
    assert.deepEqual(bench.stub.requests, []);
  });

  it('follows the pages of a day, tells events from their begin and knows the day as read', async () => {
    bench.clock.now = at('2026-07-10T20:00:00Z');
    bench.stub.on('/alerts', ({ pathname, searchParams }) => {
      if (pathname !== '/alerts') return null;
      const next = 'https://api.weather.gov/alerts?status=actual&limit=500&cursor=two';
      // The newest messages come first.
      return searchParams.get('cursor') === 'two'
        ? { body: answerOf([standing]) }
        : { body: answerOf([cancelled, other], { pagination: { next } }) };
    });
    const read = (): Promise<void> => readPeriod('2026-07-09T00:00:00Z', '2026-07-10T00:00:00Z');
    await read();
    assert.deepEqual(bench.stub.requests, [
      '/alerts?start=2026-07-09T00:00:00Z&end=2026-07-10T00:00:00Z&status=actual&limit=500',
      '/alerts?status=actual&limit=500&cursor=two',
    ]);
    assert.deepEqual(storyIn(await published()), ['NEW', 'CAN']);
    const [fact] = await bench.polls();
    assert.deepEqual([fact?.mode, fact?.read_through, fact?.document_sha256], ['backfill', null, null]);
    assert.deepEqual(
      fact?.readings.map(({ slice, complete, records, published: news }) => [slice, complete, records, news]),
      [['2026-07-09', true, 2, 3]],
    );
    // Whatever page a fact was read on, the page is kept.
    for (const { provenance, vtec_action } of await published()) {
      const kept_page = await readDocument(bench.data_dir, provenance.document_sha256);
      assert.ok(kept_page.outcome === 'found', String(vtec_action));
    }
    bench.loseIndex();
    await read();
    assert.equal(bench.stub.requests.length, 2);
    // A live poll that shows less takes nothing back.
    await poll([]);
    assert.equal((await published()).length, 3);
  });

  it('is not read where a page of it is missing, and a day that is not over is never whole', async () => {
    bench.clock.now = at('2026-07-09T20:00:00Z');
    let second: StubAnswer = { status: 500 };
    bench.stub.on('/alerts', ({ pathname, searchParams }) => {
      if (pathname !== '/alerts') return null;
      const next = 'https://api.weather.gov/alerts?cursor=two';
      return searchParams.has('cursor') ? second : { body: answerOf([cancelled], { pagination: { next } }) };
    });
    const read = (): Promise<void> => readPeriod('2026-07-09T00:00:00Z', '2026-07-10T00:00:00Z');
    await read();
    assert.equal((await bench.polls()).at(-1)?.reason, 'http-status');
    assert.deepEqual(await published(), []);
    second = { body: answerOf([standing]) };
    await read();
    const last = (await bench.polls()).at(-1);
    assert.deepEqual(
      last?.readings.map(({ slice, complete }) => [slice, complete]),
      [['2026-07-09', false]],
    );
    assert.match(last.asked, /end=2026-07-09T20:00:0\dZ/);
  });

  it('that never ends is not followed for ever, and is no whole answer', async () => {
    active = {
      body: answerOf([standing], { pagination: { next: 'https://api.weather.gov/alerts/active?cursor=on' } }),
    };
    assert.deepEqual(await poll(), []);
    assert.equal(bench.stub.requests.length, 60);
    const [fact] = await bench.polls();
    assert.equal(fact?.read_through, null);
    assert.match(fact.detail ?? '', /not followed past 60 pages/);
  });

  it('of a day that is just over is read again, since its last messages may be listed late', async () => {
    bench.clock.now = at('2026-07-10T00:30:00Z');
    bench.stub.on('/alerts', ({ pathname }) => (pathname === '/alerts' ? { body: answerOf([]) } : null));
    const complete = async (): Promise<boolean | undefined> => {
      await readPeriod('2026-07-09T00:00:00Z', '2026-07-10T00:00:00Z');
      return (await bench.polls()).at(-1)?.readings[0]?.complete;
    };
    assert.equal(await complete(), false);
    bench.clock.now = at('2026-07-10T01:00:00Z');
    assert.equal(await complete(), true);
  });

  it('that is configured is read once', async () => {
    bench.clock.now = at('2026-07-10T20:00:00Z');
    bench.stub.on('/alerts', ({ pathname }) =>
      pathname === '/alerts' ? { body: answerOf([cancelled, standing]) } : null,
    );
    const feed = feedWith('2026-07-09/2026-07-10');
    await bench.poll(feed);
    await bench.poll(feed);
    const asked = bench.stub.requests.filter((path) => path.startsWith('/alerts?'));
    assert.equal(asked.length, 1);
    assert.deepEqual(storyIn(await published()), ['NEW', 'CAN']);
    assert.throws(() => feedWith('2026-07-09'), /NWS_HISTORY/);
  });
});
