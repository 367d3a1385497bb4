import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { points } from '../../../services/feeds/kinds/points.ts';
import type { Feed } from '../../../services/feeds/feed.ts';
import type { FeedObserver } from '../../../services/feeds/observer.ts';
import { PollFailed } from '../../../services/feeds/poll-failure.ts';
import type { PollRun } from '../../../services/feeds/poll.ts';
import type { EventLog } from '../../../services/log/event-log.ts';
import { topics } from '../../../services/log/topics.ts';
import { pause } from '../../../services/runtime/clock.ts';
import { HailmarkError } from '../../../services/runtime/errors.ts';
import { startFeedBench, type FeedBench } from './bench.ts';

let bench: FeedBench;
beforeEach(async () => {
  bench = await startFeedBench();
});
afterEach(() => bench.stop());

interface Heard {
  observer: FeedObserver;
  ticks: (feed: string) => number;
  settled: unknown[];
  polled: unknown[];
  appended: unknown[];
}

function listener(): Heard {
  const ticks = new Map<string, number>();
  const [settled, polled, appended]: [unknown[], unknown[], unknown[]] = [[], [], []];
  return {
    observer: {
      ticked: (feed) => void ticks.set(feed, (ticks.get(feed) ?? 0) + 1),
      settled: ({ feed, mode, outcome, reason }) => settled.push([feed, mode, outcome, reason]),
      polled: (feed, failures) => polled.push([feed, ...failures]),
      appended: (feed, topic, messages) => appended.push([feed, topic, messages]),
    },
    ticks: (feed) => ticks.get(feed) ?? 0,
    ...{ settled, polled, appended },
  };
}

/** A feed whose polls are what the test says. */
const feedOf = (name: string, poll: (run: PollRun) => Promise<void>): Feed => ({
  feed: name,
  publisher: 'NOAA_SED',
  kind: points,
  schedule: '0 0 1 1 *',
  poll,
  history: () => Promise.resolve(),
});

describe('what a feed tells of its work', () => {
  it('is how each question ended, what was appended, and how the poll was', async () => {
    const { observer, settled, polled, appended } = listener();
    const feed = feedOf('storm_events', async (run) => {
      await run.settle('live', bench.stub.url, () =>
        Promise.resolve({ outcome: 'not_modified' as const, read_through: 1_000 }),
      );
      await run.settle('backfill', bench.stub.url, () =>
        Promise.reject(new PollFailed('count-mismatch', 'It did not work.')),
      );
      await run.settle('live', bench.stub.url, () => Promise.resolve({ outcome: 'asked_smaller' as const }));
    });
    const runner = await bench.runner(feed, { observer });
    assert.deepEqual(runner.state(), { read_through: null, records_held: 0, withdrawals_refused: 0 });
    await runner.pollOnce();
    assert.deepEqual(settled, [
      ['storm_events', 'live', 'not_modified', null],
      ['storm_events', 'backfill', 'failed', 'count-mismatch'],
    ]);
    assert.deepEqual(polled, [['storm_events', 'count-mismatch']]);
    const poll_fact = ['storm_events', topics.feed_poll.name, 1];
    assert.deepEqual(appended, [poll_fact, poll_fact]);
    await runner.pollOnce();
    assert.equal(runner.state().read_through, 1_000, 'as the log says it');
    await runner.close();
  });

  it('goes on while it is idle, and stands still where its poll does', async () => {
    const { observer, ticks } = listener();
    const begun = Promise.withResolvers<undefined>();
    const over = Promise.withResolvers<undefined>();
    const hanging = feedOf('storm_events', () => {
      begun.resolve(undefined);
      return over.promise;
    });
    const idle = feedOf('radar_hail', () => Promise.resolve());
    const runners = await Promise.all(
      [hanging, idle].map((feed) => bench.runner(feed, { observer, look_ms: 5 })),
    );
    const running = runners.map((runner) => runner.run());
    await begun.promise;
    const [at_first, of_idle] = [ticks('storm_events'), ticks('radar_hail')];
    while (ticks('radar_hail') < of_idle + 20) await pause(5);
    assert.equal(ticks('storm_events'), at_first);
    over.resolve(undefined);
    while (ticks('storm_events') < at_first + 5) await pause(5);
    bench.abort();
    await Promise.all(running);
    for (const runner of runners) await runner.close();
  });

  it('is that it waits, from the first failure of the log until it answers again', async () => {
    const { observer } = listener();
    const waits = { begun: 0, over: 0 };
    let failures = 1;
    const log: EventLog = {
      ...bench.log,
      endOffsets: (topic) => {
        if ((failures -= 1) >= 0) {
          return Promise.reject(new HailmarkError('HAIL_LOG_UNAVAILABLE', 'The log is away (NOT REAL).'));
        }
        return bench.log.endOffsets(topic);
      },
    };
    const polled = Promise.withResolvers<undefined>();
    const feed = feedOf('storm_events', () => {
      polled.resolve(undefined);
      return Promise.resolve();
    });
    const onWait = (error: unknown): (() => void) => {
      assert.ok(error instanceof HailmarkError && error.code === 'HAIL_LOG_UNAVAILABLE');
      waits.begun += 1;
      return () => (waits.over += 1);
    };
    const runner = await bench.runner(feed, { log, observer, onWait });
    const running = runner.run();
    await polled.promise;
    bench.abort();
    await running;
    await runner.close();
    assert.deepEqual(waits, { begun: 1, over: 1 });
  });
});
