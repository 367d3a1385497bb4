import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { Feed } from '../../../services/feeds/feed.ts';
import type { IfModified } from '../../../services/feeds/publisher-access.ts';
import type { PollRun, Settled } from '../../../services/feeds/poll.ts';
import { PollFailed } from '../../../services/feeds/poll-failure.ts';
import type { EventLog } from '../../../services/log/event-log.ts';
import { topics } from '../../../services/log/topics.ts';
import { stormEvents } from '../../../services/feeds/noaa_sed/feed.ts';
import { serveStormEvents } from '../../support/publisher-stub.ts';
import { recordedYear } from '../../support/recorded.ts';
import { startFeedBench, type FeedBench } from './bench.ts';
import { points } from '../../../services/feeds/kinds/points.ts';

let bench: FeedBench;
let answer: { body: string; etag?: string; last_modified?: string };
/** What each request said it had already. */
let conditions: (string | undefined)[][];

beforeEach(async () => {
  bench = await startFeedBench();
  conditions = [];
  bench.stub.on('/list', (_url, { 'if-none-match': etag, 'if-modified-since': since }) => {
    conditions.push([etag, since]);
    const headers = {
      ...(answer.etag === undefined ? {} : { ETag: answer.etag }),
      ...(answer.last_modified === undefined ? {} : { 'Last-Modified': answer.last_modified }),
    };
    const is_known = etag !== undefined && etag === answer.etag;
    return is_known ? { status: 304, headers } : { body: answer.body, headers };
  });
});
afterEach(() => bench.stop());

const max_bytes = 1_000;

/** A feed that asks one question; `end` says what comes of the answer. */
const asking = (
  seen: boolean[],
  { unconditionally = false, end }: { unconditionally?: boolean; end?: () => Settled } = {},
): Feed => ({
  feed: 'storm_events',
  publisher: 'NOAA_SED',
  kind: points,
  schedule: '0 0 1 1 *',
  history: () => Promise.resolve(),
  poll: async (run: PollRun) => {
    const url = `${bench.stub.url}/list`;
    await run.settle('live', url, async () => {
      const found: IfModified = unconditionally
        ? { modified: true, body: await run.get(url, max_bytes) }
        : await run.getIfModified(url, max_bytes);
      seen.push(found.modified);
      if (end !== undefined) return end();
      return found.modified
        ? { outcome: 'read', readings: [], sha256: found.body.sha256, read_through: null }
        : { outcome: 'not_modified', read_through: null };
    });
  },
});

describe('a question asked conditionally', () => {
  it('says what it has, and learns that nothing has changed by 304 or by the same bytes', async () => {
    const seen: boolean[] = [];
    answer = { body: 'one', etag: '"1"', last_modified: 'Wed, 10 Jun 2026 21:00:00 GMT' };
    await bench.poll(asking(seen));
    await bench.poll(asking(seen));
    answer = { body: 'one' };
    await bench.poll(asking(seen));
    await bench.poll(asking(seen));
    answer = { body: 'two', etag: '"2"' };
    await bench.poll(asking(seen));
    await bench.poll(asking(seen));
    assert.deepEqual(seen, [true, false, false, false, true, false]);
    const since = 'Wed, 10 Jun 2026 21:00:00 GMT';
    assert.deepEqual(conditions, [
      [undefined, undefined],
      ['"1"', since],
      ['"1"', since],
      [undefined, undefined],
      [undefined, undefined],
      ['"2"', undefined],
    ]);
    assert.deepEqual(
      (await bench.polls()).map(({ outcome }) => outcome),
      ['read', 'not_modified', 'not_modified', 'not_modified', 'read', 'not_modified'],
    );
  });

  it('is asked anew where what came of the last one does not stand in the log', async () => {
    const seen: boolean[] = [];
    answer = { body: 'one', etag: '"1"' };
    const refused = (): Settled => {
      throw new PollFailed('not-the-format', 'It is of no use.');
    };
    const suspicious = (): Settled => ({
      ...{ outcome: 'read', readings: [], sha256: null, read_through: null },
      refused: ['Too much has vanished.'],
    });
    for (const end of [refused, suspicious, (): Settled => ({ outcome: 'asked_smaller' })]) {
      await bench.poll(asking(seen, { end }));
    }
    const broken: EventLog = {
      ...bench.log,
      append: (topic, ...rest) =>
        topic === topics.feed_poll.name
          ? Promise.reject(new Error('the process ends here'))
          : bench.log.append(topic, ...rest),
    };
    await assert.rejects(bench.poll(asking(seen), { log: broken }));
    await bench.poll(asking(seen));
    assert.ok(seen.every((each) => each));
    assert.ok(conditions.every(([etag]) => etag === undefined));
  });

  it('does not take an older body for known once another was read, however that was asked', async () => {
    const seen: boolean[] = [];
    answer = { body: 'one', etag: '"1"' };
    await bench.poll(asking(seen));
    answer = { body: 'two', etag: '"2"' };
    await bench.poll(asking(seen, { unconditionally: true }));
    answer = { body: 'one', etag: '"1"' };
    await bench.poll(asking(seen));
    assert.deepEqual(seen, [true, true, true]);

    // Read, perhaps published in part, and never settled.
    answer = { body: 'three', etag: '"3"' };
    await bench.poll(asking(seen, { end: () => ({ outcome: 'asked_smaller' }) }));
    answer = { body: 'one', etag: '"1"' };
    await bench.poll(asking(seen));
    assert.deepEqual(seen, [true, true, true, true, true]);
  });

  it('forgets with the index', async () => {
    const seen: boolean[] = [];
    answer = { body: 'one', etag: '"1"' };
    await bench.poll(asking(seen));
    bench.loseIndex();
    await bench.poll(asking(seen));
    assert.deepEqual(seen, [true, true]);
  });
});

describe('the Storm Events listing', () => {
  it('is asked for conditionally by a process that knows it, while nothing on it is left to read', async () => {
    const folder = '/pub/data/swdi/stormevents/csvfiles/';
    const files = new Map<string, Buffer>();
    const put = (year: number): void => {
      const { name, bytes } = recordedYear(year, '20220425');
      files.set(name, bytes);
    };
    put(1955);
    serveStormEvents(bench.stub, files);
    const etag = (): string => `"${files.size}"`;
    const asked: (string | undefined)[] = [];
    bench.stub.on(folder, ({ pathname }, { 'if-none-match': known }) => {
      if (pathname !== folder) return null;
      asked.push(known);
      return known === etag() ? { status: 304 } : null;
    });
    bench.stub.bend(({ pathname }, found) =>
      pathname === folder ? { ...found, headers: { ETag: etag() } } : found,
    );
    const feed = stormEvents({
      ...{ NOAA_SED_URL: bench.stub.url, NOAA_SED_SCHEDULE: '0 0 1 1 *', NOAA_SED_FIRST_YEAR: 1950 },
    });
    const outcomes = async (): Promise<(string | undefined)[]> => {
      const before = (await bench.polls()).length;
      await bench.poll(feed);
      return (await bench.polls()).slice(before).map(({ outcome }) => outcome);
    };
    assert.deepEqual(await outcomes(), ['read', 'read']);
    assert.deepEqual(await outcomes(), ['not_modified']);
    assert.deepEqual(await outcomes(), ['not_modified']);
    assert.deepEqual(asked.splice(0), [undefined, undefined, '"1"']);

    // A year that came and could not be read is left to read, though the page stays as it is.
    const { name, bytes } = recordedYear(1956, '20220425');
    files.set(name, bytes.subarray(0, 1_000));
    assert.deepEqual(await outcomes(), ['read', 'failed']);
    put(1956);
    assert.deepEqual(await outcomes(), ['read', 'read']);
    assert.deepEqual(await outcomes(), ['not_modified']);
    assert.deepEqual(asked, ['"1"', undefined, '"2"']);
    // 360 hail rows of 1955 and 401 of 1956.
    assert.equal((await bench.facts()).length, 761);
  });
});

describe('a publisher that asks for patience', () => {
  it('is not asked by anybody of its host before', async () => {
    bench.stub.on('/list', () => ({ status: 429, headers: { 'Retry-After': '3600' } }));
    const feed: Feed = {
      ...asking([]),
      poll: async (run) => {
        for (const path of ['/list', '/list', '/another']) {
          const url = bench.stub.url + path;
          await run.settle('live', url, async () => {
            await run.get(url, max_bytes);
            return { outcome: 'not_modified', read_through: null };
          });
        }
      },
    };
    assert.deepEqual(await bench.poll(feed), ['http-status', 'told-to-wait', 'told-to-wait']);
    assert.deepEqual(bench.stub.requests, ['/list']);
  });
});
