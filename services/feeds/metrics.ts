import { systemClock } from '../runtime/clock.ts';
import type { Config } from '../runtime/config.ts';
import { createDiskMetrics, diskOf } from '../runtime/disk.ts';
import type { Loop } from '../runtime/liveness.ts';
import type { OpsReports } from '../runtime/ops-server.ts';
import { createWaitMetrics, type OnWait } from '../runtime/wait-metrics.ts';
import { pollFailures } from '../log/facts.ts';
import { createLogMetrics, type LogMetrics } from '../log/metrics.ts';
import { topics } from '../log/topics.ts';
import type { Feed } from './feed.ts';
import { longest_turn_wait_ms } from './host-queue.ts';
import type { FeedObserver } from './observer.ts';
import type { FeedRunner } from './runner.ts';

/** Of reading what one answer brought: a year's file of millions of lines on a small machine takes minutes. */
const reading_ms = 900_000;
const poll_buckets_s = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900, 3_600];
const modes = ['live', 'backfill'];
const outcomes = ['read', 'not_modified', 'failed'];

export interface FeedMetrics {
  onWait: OnWait;
  log: LogMetrics;
  observer: FeedObserver;
  /** What is asked for at each scrape; the feeds' loops begin with it. */
  read: (runners: readonly { feed: string; runner: Pick<FeedRunner, 'state'> }[]) => void;
}

/** Every metric of the feeds by its name, and what feeds it. Times of the process are the machine's, `read_through` is the facts'. */
export function createFeedMetrics(
  { metrics, liveness }: OpsReports,
  feeds: readonly Feed[],
  config: Pick<Config, 'FEEDS_TIMEOUT_MS' | 'HAILMARK_DATA_DIR'>,
): FeedMetrics {
  const names = feeds.map(({ feed }) => feed);
  const polls = metrics.counter('feed_polls_total', 'Questions to a publisher that have their poll fact.', {
    feed: names,
    mode: modes,
    outcome: outcomes,
  });
  const failures = metrics.counter('feed_poll_failures_total', 'Questions that failed, and why.', {
    feed: names,
    reason: pollFailures,
  });
  const durations = metrics.histogram(
    'feed_poll_duration_seconds',
    'One question to a publisher, from asking to its poll fact.',
    { known: { feed: names }, buckets: poll_buckets_s },
  );
  const facts = metrics.counter('feed_facts_published_total', 'Messages appended by a feed.', {
    feed: [],
    topic: [],
  });
  for (const { feed, kind } of feeds) {
    for (const topic of [kind.topic, topics.feed_poll]) facts.add({ feed, topic: topic.name }, 0);
  }
  const last_poll = metrics.gauge(
    'feed_last_poll_timestamp_seconds',
    'When this process last settled a question of the feed, however it ended.',
    ['feed'],
  );
  const last_complete_poll = metrics.gauge(
    'feed_last_complete_poll_timestamp_seconds',
    'When this process last ended a poll of the feed of which no question failed.',
    ['feed'],
  );
  const read_through = metrics.gauge(
    'feed_read_through_timestamp_seconds',
    'The instant through which the publisher has been read.',
    ['feed'],
  );
  const held = metrics.gauge(
    'feed_records_held',
    'Records that are not published because a message of theirs cannot be decoded.',
    ['feed'],
  );
  const withdrawals_refused = metrics.gauge(
    'feed_withdrawals_refused',
    'Readings that would withdraw too much and wait for an operator to accept them.',
    ['feed'],
  );
  const loops = new Map<string, Loop>();
  createDiskMetrics(metrics, () => diskOf(config.HAILMARK_DATA_DIR));

  return {
    onWait: createWaitMetrics(metrics, 'feeds'),
    log: createLogMetrics(metrics),
    observer: {
      ticked: (feed) => loops.get(feed)?.tick(),
      settled: ({ feed, mode, outcome, reason, span_ms }) => {
        polls.add({ feed, mode, outcome });
        if (outcome === 'failed' && reason !== null) failures.add({ feed, reason });
        durations.observe({ feed }, span_ms / 1_000);
        last_poll.set({ feed }, systemClock() / 1_000);
      },
      polled: (feed, failed) => {
        if (failed.length === 0) last_complete_poll.set({ feed }, systemClock() / 1_000);
      },
      appended: (feed, topic, messages) => facts.add({ feed, topic }, messages),
    },
    read: (runners) => {
      // Between two ticks of a loop that works lie one turn at a host, one request and the reading of what it brought.
      const within_ms = longest_turn_wait_ms + 2 * config.FEEDS_TIMEOUT_MS + reading_ms;
      for (const { feed, runner } of runners) {
        loops.set(feed, liveness.loop(feed, within_ms));
        metrics.atScrape(feed, runner.state, (state) => {
          if (state === null) return;
          held.set({ feed }, state.records_held);
          withdrawals_refused.set({ feed }, state.withdrawals_refused);
          if (state.read_through !== null) read_through.set({ feed }, state.read_through / 1_000);
        });
      }
    },
  };
}
