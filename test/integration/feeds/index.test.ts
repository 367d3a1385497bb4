import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { Feed } from '../../../services/feeds/feed.ts';
import { topics } from '../../../services/log/topics.ts';
import { startFeedBench, type FeedBench } from './bench.ts';
import { foldFacts } from './fold.ts';
import { serveMadeUpYears, type HailRow } from './made-up-year.ts';

let bench: FeedBench;
let feed: Feed;
let offer: (year: number, rows: readonly HailRow[]) => void;

beforeEach(async () => {
  bench = await startFeedBench();
  ({ feed, offer } = serveMadeUpYears(bench.stub));
});
afterEach(() => bench.stop());

const here: HailRow = { id: 1, minute: 0, lat: 35, lon: -97, size: '1.00' };
const there: HailRow = { ...here, lat: 36 };

const append = (key: string, value: Buffer | null): Promise<unknown> =>
  bench.log.append(topics.observation.name, [{ key, value }]);

describe('a record with a message that cannot be decoded', () => {
  it('is held and named until a message that can be decoded follows', async () => {
    offer(2001, [here, { ...here, id: 2 }]);
    await bench.poll(feed);
    await append('NOAA_SED/1', Buffer.from('nothing of ours'));
    offer(2001, [there, { ...there, id: 2 }]);
    await bench.poll(feed);
    const facts = await bench.facts();
    assert.deepEqual(
      facts.filter(({ fact }) => fact.lat === 36).map(({ fact }) => fact.record_key),
      ['2'],
    );
    assert.deepEqual((await bench.polls()).at(-1)?.readings[0]?.held, ['1']);

    // The stamp has not changed, yet the slice is read again: something of it is still to be published.
    bench.stub.requests.length = 0;
    await bench.poll(feed);
    assert.equal(bench.stub.requests.length, 2);

    const known = facts.find(({ fact }) => fact.record_key === '1')?.fact;
    assert.ok(known !== undefined);
    await append('NOAA_SED/1', bench.codec.encode(topics.observation.name, known));
    await bench.poll(feed);
    assert.deepEqual((await bench.polls()).at(-1)?.readings[0]?.held, []);
    assert.equal(foldFacts(await bench.facts()).live.length, 2);
    bench.stub.requests.length = 0;
    await bench.poll(feed);
    assert.equal(bench.stub.requests.length, 1);
  });

  it('is held by a tombstone and by a fact under another key, and other publishers are none of its business', async () => {
    offer(2001, [here]);
    await bench.poll(feed);
    const [first] = await bench.facts();
    assert.ok(first !== undefined);
    await append('NOAA_SED/2', null);
    await append('NOAA_SED/3', bench.codec.encode(topics.observation.name, first.fact));
    await append('COCORAHS/4', Buffer.from('broken'));
    offer(
      2001,
      [1, 2, 3, 4].map((id) => ({ ...here, id })),
    );
    await bench.poll(feed);
    const reading = (await bench.polls()).at(-1)?.readings[0];
    assert.deepEqual([reading?.held, reading?.published], [['2', '3'], 1]);
  });
});

describe('a place that a newest message does not name', () => {
  it('is named by publishing the record again, although its content is the same', async () => {
    offer(2001, [here]);
    await bench.poll(feed);
    const [first] = await bench.facts();
    assert.ok(first !== undefined);
    // As if an older message had been read late: a newer one stands elsewhere and names nothing.
    const moved = { ...first.fact, lat: 36, supersedes: [] };
    await append('NOAA_SED/1', bench.codec.encode(topics.observation.name, moved));
    bench.stub.requests.length = 0;
    await bench.poll(feed);
    assert.equal(bench.stub.requests.length, 2);
    const views = foldFacts(await bench.facts());
    assert.equal(views.live.length, 1);
    const newest = (await bench.facts()).at(-1)?.fact;
    assert.deepEqual([newest?.lat, newest?.supersedes.map(({ lat }) => lat)], [35, [36]]);
  });
});

describe('a record that moves to another slice', () => {
  it('belongs to the slice that holds it now, in whatever order the files are read', async () => {
    offer(2001, [here, { ...here, id: 2 }]);
    offer(2002, [{ ...here, id: 3 }]);
    await bench.poll(feed);
    // 2002 is read first and takes the record over; 2001 then must not withdraw it.
    offer(2001, [{ ...here, id: 2 }]);
    offer(2002, [
      { ...here, id: 3 },
      { ...here, year: 2001 },
    ]);
    await bench.poll(feed);
    assert.equal(foldFacts(await bench.facts()).live.length, 3);
    bench.loseIndex();
    offer(2001, [{ ...here, id: 2 }]);
    await bench.poll(feed);
    assert.equal(foldFacts(await bench.facts()).live.length, 3);
    assert.ok((await bench.facts()).every(({ fact }) => fact.status === 'final'));
  });
});

describe('a log put back from an older copy', () => {
  it('is noticed, and what it lost is published again', async () => {
    offer(2001, [here]);
    await bench.poll(feed);
    offer(2002, [{ ...here, id: 2 }]);
    await bench.poll(feed);
    // The same log, as far as its first message of each partition goes: the rest was never in it.
    const shorter = {
      ...bench.log,
      endOffsets: async (topic: string) => (await bench.log.endOffsets(topic)).map(() => 0),
      scan: (topic: string) => bench.log.scan(topic, { until: Array.from({ length: 6 }, () => 0) }),
    };
    const before = (await bench.facts()).length;
    await bench.poll(feed, { log: shorter });
    assert.equal((await bench.facts()).length, before + 2);
  });
});
