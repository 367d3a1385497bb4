import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { no_county } from '../../../services/hail/county.ts';
import {
  createBackfillShelf,
  isOver,
  type BackfillProgress,
  type BackfillRequest,
  type BackfillShelf,
} from '../../../services/feeds/backfill/shelf.ts';
import type { Feed } from '../../../services/feeds/feed.ts';
import { points, type Draft } from '../../../services/feeds/kinds/points.ts';
import type { PollRun } from '../../../services/feeds/poll.ts';
import { PollFailed } from '../../../services/feeds/poll-failure.ts';
import type { FeedRunner } from '../../../services/feeds/runner.ts';
import type { Provenance } from '../../../services/hail/observation.ts';
import { day_ms, formatDay } from '../../../services/hail/time.ts';
import { pause } from '../../../services/runtime/clock.ts';
import { startFeedBench, type FeedBench } from './bench.ts';

const from = Date.parse('2015-01-01T00:00:00Z');
const days = 4;
const request: BackfillRequest = {
  ...{ id: 'first', feed: 'storm_events', from, until: from + days * day_ms, box: null, dry_run: false },
};

let bench: FeedBench;
let shelf: BackfillShelf;
/** Polls, questions and days as they began, in order. */
let happened: string[];
/** What the test does at a question, before it is answered. */
let meanwhile: (day: string) => Promise<void> | void;
const running: { runner: FeedRunner; run: Promise<void> }[] = [];

beforeEach(async () => {
  bench = await startFeedBench();
  shelf = createBackfillShelf(bench.data_dir);
  happened = [];
  meanwhile = () => undefined;
  bench.stub.on('/day/', ({ pathname }) => ({ body: `what was seen on ${pathname.slice(5)}, NOT REAL` }));
});
afterEach(async () => {
  bench.abort();
  await stopped();
  await bench.stop();
});

/** A feed whose days are parts: one question and one record each. NOT REAL. */
const feed: Feed = {
  feed: 'storm_events',
  publisher: 'NOAA_SED',
  kind: points,
  schedule: '0 0 1 1 *',
  poll: () => {
    happened.push('poll');
    return Promise.resolve();
  },
  history: () => Promise.resolve(),
  plan: (run, period) =>
    Promise.resolve(
      Array.from({ length: (period.until - period.from) / day_ms }, (_, n) => period.from + n * day_ms).map(
        (day) => ({
          ...{ name: formatDay(day), requests: 1, bytes: 30 },
          isRead: () => run.index.slice(formatDay(day)) !== null,
          read: (reading) => readDay(reading, day),
        }),
      ),
    ),
};

async function readDay(run: PollRun, day: number): Promise<void> {
  const slice = formatDay(day);
  const url = `${bench.stub.url}/day/${slice}`;
  happened.push(slice);
  await meanwhile(slice);
  await run.settle('backfill', url, async () => {
    const body = await run.get(url, 1_000);
    const provenance = run.provenance(url, body, null);
    const read = {
      ...{ slice, from: day, until: day + day_ms, box: null, publisher_version: null, complete: true },
    };
    const { readings, refused } = await run.publish(
      [draftOf(slice, day, provenance)],
      () => [read],
      provenance,
    );
    return { outcome: 'read', readings, refused, sha256: body.sha256, read_through: null };
  });
}

function draftOf(slice: string, began_at: number, provenance: Provenance): Draft {
  return {
    ...{ publisher: 'NOAA_SED', record_key: slice, record_id: slice, slice, status: 'final' },
    ...{ began_at, ended_at: began_at, lat: 35, lon: -97, size_in: 1, provenance },
    ...no_county,
    evidence: {
      ...{ sevprob: null, prob: null, qualifier: null, reporter: null },
      ...{ station: null, cell_id: null, time_zone: null },
    },
  };
}

async function started(of: Feed = feed): Promise<{ runner: FeedRunner; run: Promise<void> }> {
  const runner = await bench.runner(of, { retry_ms: 5, look_ms: 5 });
  const each = { runner, run: runner.run() };
  running.push(each);
  return each;
}

async function stopped(): Promise<void> {
  for (const { runner, run } of running.splice(0)) {
    await runner.close();
    await run;
  }
}

/** Waits until the request is over; a request that never ends is ended by the test's own time limit. */
async function over(id = request.id): Promise<BackfillProgress> {
  for (;;) {
    const progress = shelf.progress(request.feed);
    if (progress?.id === id && isOver(progress) && shelf.asked(request.feed)?.id !== id) return progress;
    await pause(5);
  }
}

const records = async (): Promise<string[]> =>
  (await bench.facts()).map(({ fact }) => fact.record_key).sort();
const all = ['2015-01-01', '2015-01-02', '2015-01-03', '2015-01-04'];

describe('a backfill', { timeout: 200_000 }, () => {
  it('is read by the feed that runs, in order, and counted', async () => {
    await started();
    shelf.ask(request);
    const progress = await over();
    const { state, parts, parts_done, requests, bytes, published, requests_left, bytes_left } = progress;
    assert.deepEqual(
      { state, parts, parts_done, requests, published, requests_left, bytes_left },
      { state: 'done', parts: 4, parts_done: 4, requests: 4, published: 4, requests_left: 0, bytes_left: 0 },
    );
    // "what was seen on 2015-01-01, NOT REAL" is 37 bytes.
    assert.equal(bytes, 4 * 37);
    assert.deepEqual(happened, ['poll', ...all]);
    assert.deepEqual(await records(), all);
    assert.ok((await bench.polls()).every(({ mode }) => mode === 'backfill'));
  });

  it('asked for again asks for nothing, and a longer one for what is new', async () => {
    await started();
    shelf.ask(request);
    await over();
    shelf.ask({ ...request, id: 'second' });
    const again = await over('second');
    assert.deepEqual([again.state, again.parts_read_before, again.requests], ['done', 4, 0]);
    shelf.ask({ ...request, id: 'third', until: request.until + day_ms });
    const longer = await over('third');
    assert.deepEqual([longer.parts, longer.parts_read_before, longer.requests], [5, 4, 1]);
  });

  it('lets a live poll that is due go before its next part', async () => {
    const { runner } = await started();
    const polls: Promise<unknown>[] = [];
    meanwhile = () => void polls.push(runner.pollOnce());
    shelf.ask(request);
    await over();
    await Promise.all(polls);
    assert.deepEqual(happened, ['poll', ...all.flatMap((day) => [day, 'poll'])]);
  });

  it('goes on where it was after its process has ended, at any part', async () => {
    for (const [n, period_of] of all.entries()) {
      const first = from + n * 100 * day_ms;
      const own: BackfillRequest = { ...request, id: period_of, from: first, until: first + days * day_ms };
      const ends_at = formatDay(first + n * day_ms);
      const { runner, run } = await started();
      const closed = Promise.withResolvers<undefined>();
      meanwhile = (day) => {
        if (day === ends_at) void runner.close().then(() => closed.resolve(undefined));
      };
      shelf.ask(own);
      await closed.promise;
      await run;
      running.splice(0);
      assert.equal(shelf.asked(request.feed)?.id, own.id);
      meanwhile = () => undefined;
      await started();
      const { state, parts_read_before } = await over(own.id);
      assert.deepEqual([state, parts_read_before], ['done', 0]);
      await stopped();
    }
    // No day was left out or published twice, whatever was in hand when the process ended.
    const published = await records();
    assert.equal(new Set(published).size, all.length * days);
    assert.equal(published.length, all.length * days);
  });

  it('that is cancelled stops after the question in hand and keeps what it has', async () => {
    await started();
    meanwhile = async (day) => {
      if (day !== '2015-01-02') return;
      shelf.cancel(request);
      await pause(50);
    };
    shelf.ask(request);
    const progress = await over();
    assert.equal(progress.state, 'cancelled');
    assert.ok(!happened.includes('2015-01-03'));
    assert.ok((await records()).includes('2015-01-01'));
    // A word to cancel is for the request it was said of.
    meanwhile = () => undefined;
    shelf.ask({ ...request, id: 'second' });
    assert.equal((await over('second')).state, 'done');
  });

  it('tries a part again while its publisher fails, names what it could not read, and reads the rest', async () => {
    await started();
    let refusals = 0;
    bench.stub.on('/day/2015-01-02', () => ((refusals += 1) <= 2 ? { status: 500 } : null));
    bench.stub.on('/day/2015-01-03', () => ({ fault: 'reset' }));
    const waited_for = new Set<string | null>();
    meanwhile = () => {
      const { state, detail } = shelf.progress(request.feed) ?? {};
      // A part that is tried again begins with the words that it waited with.
      if (state === 'reading' && typeof detail === 'string') waited_for.add(detail);
    };
    shelf.ask(request);
    const progress = await over();
    assert.deepEqual([progress.state, progress.parts_failed], ['incomplete', ['2015-01-03']]);
    assert.deepEqual(waited_for, new Set(['It failed: http-status.', 'It failed: unreachable.']));
    assert.deepEqual(await records(), ['2015-01-01', '2015-01-02', '2015-01-04']);
    assert.deepEqual(
      (await bench.polls()).map(({ reason }) => reason),
      [null, ...['http-status', 'http-status', null], ...['unreachable', 'unreachable', 'unreachable'], null],
    );
  });

  it('whose file a power cut has left empty is none, and the next one is read', async () => {
    shelf.ask(request);
    for (const kind of ['request', 'progress', 'cancel']) {
      writeFileSync(join(bench.data_dir, 'backfills', `${request.feed}.${kind}.json`), '');
    }
    assert.equal(shelf.asked(request.feed), null);
    assert.equal(shelf.progress(request.feed), null);
    await started();
    shelf.ask({ ...request, id: 'second' });
    assert.equal((await over('second')).state, 'done');
  });

  it('that is only to be planned says what there is, and asks for none of it', async () => {
    await started();
    shelf.ask({ ...request, until: from + day_ms });
    await over();
    shelf.ask({ ...request, id: 'dry', dry_run: true });
    const { state, plan, requests_left, bytes_left } = await over('dry');
    assert.deepEqual([state, requests_left, bytes_left], ['planned', 3, 90]);
    assert.deepEqual(
      plan.map(({ name, is_read }) => [name, is_read]),
      all.map((day) => [day, day === '2015-01-01']),
    );
    assert.equal(bench.stub.requests.length, 1);
  });

  it('ends with words where it cannot be planned, by the publisher or by a mistake of ours', async () => {
    const failing = (error: Error): Feed => ({ ...feed, plan: () => Promise.reject(error) });
    await started(failing(new PollFailed('empty-listing', 'The listing is empty.')));
    shelf.ask(request);
    const refused = await over();
    assert.deepEqual([refused.state, refused.detail], ['failed', 'The listing is empty.']);
    await stopped();

    const { runner } = await started(failing(new TypeError('a mistake of ours')));
    shelf.ask({ ...request, id: 'second' });
    assert.equal((await over('second')).state, 'failed');
    // The feed itself goes on.
    assert.deepEqual(await runner.pollOnce(), []);
    await stopped();

    const without = { ...feed };
    delete without.plan;
    await started(without);
    shelf.ask({ ...request, id: 'third' });
    assert.equal((await over('third')).state, 'failed');
  });
});
