import type { Clock } from '../runtime/clock.ts';
import type { HistogramMetric } from '../runtime/metrics.ts';
import type { Loop } from '../runtime/liveness.ts';
import type { OpsReports } from '../runtime/ops-server.ts';
import { createWaitMetrics, type OnWait } from '../runtime/wait-metrics.ts';
import { undecodableReasons } from '../log/codec.ts';
import type { EventLog } from '../log/event-log.ts';
import { createLogMetrics, type LogMetrics } from '../log/metrics.ts';
import { topics } from '../log/topics.ts';
import { createStoreMetrics, type StoreMetrics } from '../store/metrics.ts';
import type { Store } from '../store/store.ts';
import type { DeadLetters } from './dead-letters.ts';
import { createLagReader } from './lag.ts';
import type { ProjectorObserver, RunningVersion } from './observer.ts';
import { nameOf } from './projection.ts';

/** One request to the store may take two minutes before it fails and the loop ticks; past this it does not go round any more. */
const loop_within_ms = 300_000;
const batch_buckets_s = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
/** From a moment to the day after an outage. */
const delay_buckets_s = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3_600, 14_400, 86_400];

/** What a message can be found dead for: as the codec says it, or by the rules of its kind. */
const reasons = [...undecodableReasons, 'invalid-fact'];
const read_topics = Object.values(topics).map(({ name }) => name);

export interface ProjectorMetrics {
  onWait: OnWait;
  log: LogMetrics;
  store: StoreMetrics;
  observer: ProjectorObserver;
  /** What is asked for at each scrape, once there is something to ask. */
  read: (deps: { log: EventLog; store: Store; dead_letters: DeadLetters }) => void;
}

/** Every metric of the projector by its name, and what feeds it. */
export function createProjectorMetrics({ metrics, liveness }: OpsReports, clock: Clock): ProjectorMetrics {
  const messages = metrics.counter('projector_messages_total', 'Messages whose batch is stored.', {
    projection: [],
    topic: [],
  });
  const durations = metrics.histogram(
    'projector_batch_duration_seconds',
    'A batch from the first look at it until its position is written.',
    { known: { projection: [] }, buckets: batch_buckets_s },
  );
  const delays = metrics.histogram(
    'ingest_to_queryable_seconds',
    'From the append of a message until the position of its batch is written, in the versions that serve.',
    { known: { topic: read_topics }, buckets: delay_buckets_s },
  );
  const letters = metrics.counter('dead_letters_total', 'Dead letters written by this process.', {
    topic: read_topics,
    reason: reasons,
  });
  const open_letters = metrics.gauge(
    'dead_letters_open',
    'Dead messages that nobody has settled or dropped.',
    ['topic'],
  );
  const lag_messages = metrics.gauge(
    'projector_lag_messages',
    'Messages that a version has still to pass, also while the store is away.',
    ['projection', 'topic', 'partition'],
  );
  const lag_seconds = metrics.gauge(
    'projector_lag_seconds',
    'How long the oldest message that a version has not passed has been waiting.',
    ['projection'],
  );
  const onWait = createWaitMetrics(metrics, 'projector');

  // Begun with the first look: until then the process waits for its log or its store, which may take as long as it takes.
  let looks: Loop | undefined;
  const loops = new Map<string, Loop>();
  const log_waits = new Map<string, () => void>();
  let running: readonly RunningVersion[] = [];

  const runs = (versions: readonly RunningVersion[]): void => {
    running = versions;
    const names = versions.map(({ projection }) => nameOf(projection));
    for (const [name, loop] of loops) {
      if (names.includes(name)) continue;
      loop.end();
      loops.delete(name);
    }
    for (const { projection } of versions) {
      const name = nameOf(projection);
      if (loops.has(name)) continue;
      loops.set(name, liveness.loop(name, loop_within_ms));
      for (const topic of projection.topics) messages.add({ projection: name, topic }, 0);
    }
  };
  const isServing = (name: string): boolean =>
    running.some(({ projection, is_serving }) => is_serving && nameOf(projection) === name);

  const observer: ProjectorObserver = {
    looking: () => {
      looks ??= liveness.loop('versions', loop_within_ms);
      looks.tick();
    },
    runs,
    ticked: (name) => loops.get(name)?.tick(),
    turned: (name) => {
      loops.get(name)?.tick();
      log_waits.get(name)?.();
      log_waits.delete(name);
    },
    logAway: (name, error) => {
      loops.get(name)?.tick();
      if (!log_waits.has(name)) log_waits.set(name, onWait(error));
    },
    stored: (batch) => {
      const { projection, topic } = batch;
      messages.add({ projection, topic }, batch.messages.length);
      durations.observe({ projection }, batch.span_ms / 1_000);
      // A version that is being built reads messages that are years old, which says nothing about how fresh answers are.
      if (isServing(projection)) observeDelays(delays, batch, clock());
    },
    letter: (topic, reason) => letters.add({ topic, reason }),
  };

  return {
    onWait,
    log: createLogMetrics(metrics),
    store: createStoreMetrics(metrics),
    observer,
    read: ({ log, store, dead_letters }) => {
      const readLag = createLagReader({ log, store, clock }, () =>
        running.map(({ projection }) => projection),
      );
      metrics.atScrape('lag', readLag, (found) => {
        const each = found ?? [];
        lag_seconds.replace(each.map(({ projection, waiting_ms }) => [{ projection }, waiting_ms / 1_000]));
        lag_messages.replace(
          each.flatMap(({ projection, lags }) =>
            lags.map(
              ({ topic, partition, lag }) =>
                [{ projection, topic, partition: String(partition) }, lag ?? 0] as const,
            ),
          ),
        );
      });
      metrics.atScrape(
        'dead letters',
        async () => {
          await dead_letters.catchUp();
          return dead_letters.open();
        },
        (open) =>
          open_letters.replace(
            open === null ? [] : read_topics.map((topic) => [{ topic }, open.get(topic) ?? 0]),
          ),
      );
    },
  };
}

function observeDelays(
  delays: HistogramMetric<'topic'>,
  { topic, messages }: { topic: string; messages: readonly { appended_at: number }[] },
  now_ms: number,
): void {
  const observe = delays.observerOf({ topic });
  // Two clocks: that of the log may be a little ahead.
  for (const { appended_at } of messages) observe(Math.max(0, now_ms - appended_at) / 1_000);
}
