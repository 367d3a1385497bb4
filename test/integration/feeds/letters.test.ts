import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { Feed } from '../../../services/feeds/feed.ts';
import type { EventLog } from '../../../services/log/event-log.ts';
import type { DeadLetterFact, DeadLetterState } from '../../../services/log/facts.ts';
import { laterLetter, placeText, type MessagePlace } from '../../../services/log/letters/state.ts';
import { topics } from '../../../services/log/topics.ts';
import { HailmarkError } from '../../../services/runtime/errors.ts';
import { startFeedBench, type FeedBench, type StoredFact } from './bench.ts';
import { foldFacts } from './fold.ts';
import { serveMadeUpYears, type HailRow } from './made-up-year.ts';

let bench: FeedBench;
let feed: Feed;
let offer: (rows: readonly HailRow[], year?: number) => void;
const observation = topics.observation.name;
const dead_letter = topics.dead_letter.name;
const feed_poll = topics.feed_poll.name;

beforeEach(async () => {
  bench = await startFeedBench();
  const years = serveMadeUpYears(bench.stub);
  feed = years.feed;
  offer = (rows, year = 2001) => years.offer(year, rows);
});
afterEach(() => bench.stop());

const here: HailRow = { id: 1, minute: 0, lat: 35, lon: -97, size: '1.00' };
const there: HailRow = { ...here, lat: 36 };

const append = async (key: string, value: Buffer | null): Promise<MessagePlace> => {
  const [place] = await bench.log.append(observation, [{ key, value }]);
  assert.ok(place);
  return { topic: observation, ...place };
};

const say = (place: MessagePlace, key: string, state: DeadLetterState): Promise<unknown> => {
  const letter = laterLetter({ ...place, key }, { state, at: 'a test', reason: '', error: '', failed_at: 0 });
  return bench.log.append(dead_letter, [{ key, value: bench.codec.encode(dead_letter, letter) }]);
};

const letters = async (): Promise<DeadLetterFact[]> => {
  const found: DeadLetterFact[] = [];
  for await (const page of bench.log.scan(dead_letter)) {
    for (const { value } of page) {
      const decoded = await bench.codec.decode(dead_letter, value);
      assert.ok(decoded.outcome === 'ok');
      found.push(decoded.fact);
    }
  }
  return found;
};
const answers = async (): Promise<string[]> =>
  (await letters())
    .filter(({ at }) => at === 'feed/storm_events')
    .map(({ state, reason }) => `${state} ${reason}`);

/** What the projector makes of the log: messages with a letter are none of its own. */
const visible = async (): Promise<StoredFact[]> => {
  const hidden = new Set((await letters()).map(placeText));
  return (await bench.facts()).filter(
    ({ partition, offset }) => !hidden.has(placeText({ topic: observation, partition, offset })),
  );
};
const live = async (): Promise<string[]> => foldFacts(await visible()).live;

const only = async (record_key: string): Promise<StoredFact & { place: MessagePlace; key: string }> => {
  const found = (await bench.facts()).findLast(({ fact }) => fact.record_key === record_key);
  assert.ok(found);
  const { partition, offset } = found;
  return { ...found, place: { topic: observation, partition, offset }, key: `NOAA_SED/${record_key}` };
};

describe('a dead message that its record would need', () => {
  it('is published anew after a retry, though its content has not changed', async () => {
    offer([here]);
    await bench.poll(feed);
    offer([there]);
    await bench.poll(feed);
    const { place, key } = await only('1');
    await say(place, key, 'dead');
    await bench.poll(feed);
    // Until somebody asks, the view keeps what it had.
    assert.match((await live()).join(), /^1 \d+ 35000000 /);
    await say(place, key, 'retry');
    await bench.poll(feed);
    assert.deepEqual(await answers(), ['settled published-anew']);
    assert.match((await live()).join(), /^1 \d+ 36000000 /);
    assert.deepEqual(
      (await only('1')).fact.supersedes.map(({ lat }) => lat),
      [35],
    );
    const count = (await bench.facts()).length;
    bench.loseIndex();
    await bench.poll(feed);
    assert.equal((await bench.facts()).length, count);
    assert.equal((await answers()).length, 1);
  });

  it('is published anew within moments, by a feed whose next poll is months away', async () => {
    offer([here]);
    await bench.poll(feed);
    const { place, key } = await only('1');
    await say(place, key, 'dead');
    const runner = await bench.runner(feed);
    const running = runner.run();
    await say(place, key, 'retry');
    while ((await answers()).length === 0) await new Promise((done) => setImmediate(done));
    bench.abort();
    await running;
    await runner.close();
    assert.equal((await live()).length, 1);
  });

  it('is published once, when the answer to the retry was lost', async () => {
    offer([here]);
    await bench.poll(feed);
    const { place, key } = await only('1');
    await say(place, key, 'dead');
    await say(place, key, 'retry');
    const log: EventLog = {
      ...bench.log,
      append: (topic, messages, owner) =>
        topic === dead_letter
          ? Promise.reject(new HailmarkError('HAIL_LOG_UNAVAILABLE', 'The log is away.'))
          : bench.log.append(topic, messages, owner),
    };
    await assert.rejects(bench.poll(feed, { log }), { code: 'HAIL_LOG_UNAVAILABLE' });
    await bench.poll(feed);
    assert.deepEqual(await answers(), ['settled overtaken']);
    assert.deepEqual([(await live()).length, (await bench.facts()).length], [1, 2]);
  });

  it('is settled where a newer message has taken its place', async () => {
    offer([here]);
    await bench.poll(feed);
    const { place, key } = await only('1');
    await say(place, key, 'dead');
    offer([there]);
    await bench.poll(feed);
    await say(place, key, 'retry');
    await bench.poll(feed);
    assert.deepEqual(await answers(), ['settled overtaken']);
    assert.equal((await bench.facts()).length, 2);
  });

  it('stays dead, and its record held, while it still is no fact', async () => {
    offer([here]);
    await bench.poll(feed);
    const place = await append('NOAA_SED/1', Buffer.from('nothing of ours'));
    await say(place, 'NOAA_SED/1', 'dead');
    await say(place, 'NOAA_SED/1', 'retry');
    offer([there]);
    await bench.poll(feed);
    assert.deepEqual(await answers(), ['dead foreign']);
    assert.deepEqual((await bench.polls()).at(-1)?.readings[0]?.held, ['1']);
    await bench.poll(feed);
    assert.equal((await answers()).length, 1, 'one answer to one question');
  });
});

describe('a dead message that is dropped', () => {
  it('holds its record no longer, and the record is read again', async () => {
    offer([here]);
    await bench.poll(feed);
    const place = await append('NOAA_SED/1', null);
    await say(place, 'NOAA_SED/1', 'dead');
    offer([there]);
    await bench.poll(feed);
    assert.match((await live()).join(), /^1 \d+ 35000000 /);
    await say(place, 'NOAA_SED/1', 'dropped');
    await bench.poll(feed);
    assert.match((await live()).join(), /^1 \d+ 36000000 /);
    // A drop is final: what is asked afterwards has no answer.
    await say(place, 'NOAA_SED/1', 'retry');
    await bench.poll(feed);
    assert.deepEqual(await answers(), []);
  });

  it('and was what the publisher says is published by the next reading, once', async () => {
    offer([here]);
    await bench.poll(feed);
    const { place, key } = await only('1');
    await say(place, key, 'dead');
    await say(place, key, 'dropped');
    assert.deepEqual(await live(), []);
    await bench.poll(feed);
    assert.deepEqual([(await live()).length, (await bench.facts()).length], [1, 2]);
    bench.loseIndex();
    await bench.poll(feed);
    assert.equal((await bench.facts()).length, 2);
  });

  it('and is no valid fact is not offered again while the publisher says the same', async () => {
    offer([here]);
    await bench.poll(feed);
    const { fact, key } = await only('1');
    const place = await append(key, bench.codec.encode(observation, { ...fact, size_in: 300 }));
    await say(place, key, 'dead');
    await say(place, key, 'retry');
    await bench.poll(feed);
    assert.deepEqual(await answers(), ['dead invalid-fact']);
    await say(place, key, 'dropped');
    bench.stub.requests.length = 0;
    await bench.poll(feed);
    assert.deepEqual([bench.stub.requests.length, (await bench.facts()).length], [1, 2]);
    offer([there]);
    await bench.poll(feed);
    assert.match((await live()).join(), /^1 \d+ 36000000 /);
  });
});

describe('a record that once lay where nothing can lie', () => {
  it('is not kept from being valid by its own past', async () => {
    offer([here]);
    await bench.poll(feed);
    const { fact, key } = await only('1');
    await append(key, bench.codec.encode(observation, { ...fact, lat: 350 }));
    offer([there]);
    await bench.poll(feed);
    assert.deepEqual(
      (await only('1')).fact.supersedes.map(({ lat }) => lat),
      [35],
    );
  });
});

describe('a poll fact that is dead', () => {
  const newestPoll = async (): Promise<MessagePlace> => {
    const [end = 0] = await bench.log.endOffsets(feed_poll);
    return { topic: feed_poll, partition: 0, offset: end - 1 };
  };

  it('is published anew after a retry where it is the newest', async () => {
    offer([here]);
    await bench.poll(feed);
    const first = await newestPoll();
    await say(first, 'storm_events', 'dead');
    await say(first, 'storm_events', 'retry');
    const runner = await bench.runner(feed);
    await runner.pollOnce();
    assert.deepEqual(await answers(), ['settled published-anew']);
    const [, second, third] = await bench.polls();
    assert.deepEqual([second?.readings, second?.read_through], [third?.readings, third?.read_through]);
    await runner.close();
  });

  it('has not read its slices: they are read again, and the cursor is what it was', async () => {
    offer([here]);
    await bench.poll(feed);
    await say(await newestPoll(), 'storm_events', 'dead');
    bench.stub.requests.length = 0;
    await bench.poll(feed);
    assert.equal(bench.stub.requests.length, 2);
    assert.equal((await bench.polls()).at(-1)?.readings[0]?.slice, '2001');
    assert.equal((await bench.facts()).length, 1);
  });
});
