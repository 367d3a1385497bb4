import type { Clock } from '../runtime/clock.ts';
import type { Config } from '../runtime/config.ts';
import type { OpsReports } from '../runtime/ops-server.ts';
import { createWaitMetrics, type OnWait } from '../runtime/wait-metrics.ts';
import { createLogMetrics, type LogMetrics } from '../log/metrics.ts';
import { createStoreMetrics, type StoreMetrics } from '../store/metrics.ts';
import type { FollowedKeys } from './keys/directory.ts';
import type { Limiter } from './limits/limiter.ts';
import type { ApiObserver, GeocoderObserver } from './observer.ts';
import { feeds } from './operations/health.ts';
import type { IndexedHailReader } from './hail-reader.ts';
import type { Usage } from './usage/usage.ts';

/** The usage loop goes round each second; an append to a log that hangs may take a while to fail. */
const usage_within_ms = 300_000;
const operations = ['verify', 'score', 'history', 'lookup', 'health', 'methodology', 'openapi'];
const statuses = ['200', '400', '401', '422', '429', '500', '503'];
const geocoder_outcomes = ['match', 'no_match', 'candidates', 'unavailable'];
const no_operation = 'none';
const client_gone = 'client_gone';

export interface ApiMetrics {
  onWait: OnWait;
  log: LogMetrics;
  store: StoreMetrics;
  observer: ApiObserver;
  geocoders: GeocoderObserver;
  /** Of each answer: how many of its cells the index held, and how many had to be read. */
  onCells: (held: number, missing: number) => void;
  /** The loop that publishes usage; it begins with the first call. */
  usageTicked: () => void;
  /** What is asked for at each scrape, once there is something to ask. */
  read: (deps: {
    keys: Pick<FollowedKeys, 'isLoaded' | 'isFollowing'>;
    usage: Pick<Usage, 'counts'>;
    limiter: Pick<Limiter, 'countedIn'>;
    hail: Pick<IndexedHailReader, 'feedsReadThrough' | 'cellsHeld'>;
    clock: Clock;
  }) => void;
}

/** Every metric of the API by its name, and what feeds it. */
export function createApiMetrics(
  { metrics, liveness }: OpsReports,
  config: Pick<Config, 'GEOCODERS'>,
): ApiMetrics {
  const requests = metrics.counter('http_requests_total', 'Requests answered, or left by their clients.', {
    operation: operations,
    status: statuses,
  });
  const durations = metrics.histogram(
    'http_request_duration_seconds',
    'From the arrival of a request until its answer is out.',
    // All of them: the first errors of a process come in one burst, and a rate sees them only where the series stood at 0 before.
    { known: { operation: operations, status: statuses } },
  );
  const in_flight = metrics.gauge('http_requests_in_flight', 'Requests that have no answer yet.', []);
  const waiting = metrics.gauge(
    'http_waiting_for_store',
    'Requests that wait for their turn at the views.',
    [],
  );
  const refused = metrics.counter('http_refused_total', 'Requests refused for now.', {
    reason: ['capacity', 'deadline'],
  });
  const limited = metrics.counter('rate_limited_total', 'Requests over a limit of their key.', {
    reason: ['minute-rate-limit', 'day-rate-limit'],
  });
  const mismatches = metrics.counter(
    'response_mismatch_total',
    'Answers that did not fit openapi.json and became a 500.',
    {},
  );

  const geocoders = config.GEOCODERS.split(',');
  const geocoding = metrics.histogram(
    'geocoder_request_duration_seconds',
    'Questions to a geocoder, tries and pauses included; what the cache or an open breaker answers is none.',
    { known: { geocoder: geocoders, outcome: geocoder_outcomes } },
  );
  const breaker = metrics.gauge('geocoder_breaker_open', '1 while a geocoder is left alone.', ['geocoder']);
  for (const geocoder of geocoders) breaker.set({ geocoder }, 0);
  const cache = metrics.counter('geocode_cache_total', 'Addresses looked for among those remembered.', {
    result: ['hit', 'miss'],
  });

  const cells = metrics.counter('cell_index_lookups_total', 'Cells that answers asked the index for.', {
    result: ['held', 'missing'],
  });

  let [flying, usage_loop]: [number, { tick: () => void } | null] = [0, null];
  in_flight.set({}, 0);
  waiting.set({}, 0);

  return {
    onWait: createWaitMetrics(metrics, 'api'),
    log: createLogMetrics(metrics),
    store: createStoreMetrics(metrics),
    observer: {
      began: () => in_flight.set({}, (flying += 1)),
      ended: ({ operation, status, duration_ms }) => {
        in_flight.set({}, (flying -= 1));
        const labels = {
          operation: operation ?? no_operation,
          status: status === null ? client_gone : String(status),
        };
        requests.add(labels);
        durations.observe(labels, duration_ms / 1_000);
      },
      unreadable: (status) => requests.add({ operation: no_operation, status: String(status) }),
      answered: (error) => {
        if (error.kind === 'refused') refused.add({ reason: error.reason });
        else if (error.kind === 'limited') limited.add({ reason: error.reason });
        else mismatches.add({});
      },
      waiting: (count) => waiting.set({}, count),
    },
    geocoders: {
      asked: ({ geocoder, outcome, duration_ms }) =>
        geocoding.observe({ geocoder, outcome }, duration_ms / 1_000),
      breaker: (geocoder, is_open) => breaker.set({ geocoder }, is_open ? 1 : 0),
      cache: (result) => cache.add({ result }),
    },
    onCells: (held, missing) => {
      cells.add({ result: 'held' }, held);
      cells.add({ result: 'missing' }, missing);
    },
    usageTicked: () => {
      usage_loop ??= liveness.loop('usage', usage_within_ms);
      usage_loop.tick();
    },
    read: (deps) => readAtScrape(metrics, deps),
  };
}

function readAtScrape(
  metrics: OpsReports['metrics'],
  { keys, usage, limiter, hail, clock }: Parameters<ApiMetrics['read']>[0],
): void {
  const loaded = metrics.gauge('keys_loaded', '1 once the API keys have been read to their end.', []);
  const following = metrics.gauge(
    'keys_following',
    '1 while changes of API keys arrive; else the last known keys hold.',
    [],
  );
  const usage_waiting = metrics.gauge('usage_facts_waiting', 'Usage that is not in the log yet.', []);
  const published = metrics.counter('usage_facts_published_total', 'Usage that is in the log.', {});
  const dropped = metrics.counter(
    'usage_facts_dropped_total',
    'Usage lost because too much of it waited.',
    {},
  );
  const redis = metrics.gauge(
    'limits_redis_up',
    '1 while limits are counted in Redis, 0 while each process counts for itself; absent without REDIS_URL.',
    [],
  );
  const index_bytes = metrics.gauge('cell_index_bytes', 'What the cell index holds; absent without one.', []);
  const index_rows = metrics.gauge('cell_index_rows', 'Observations that the cell index holds.', []);
  let told = { published: 0, dropped: 0 };
  metrics.atScrape(
    'process',
    () => ({ counts: usage.counts(), counted_in: limiter.countedIn(), held: hail.cellsHeld() }),
    (state) => {
      loaded.set({}, keys.isLoaded() ? 1 : 0);
      following.set({}, keys.isFollowing() ? 1 : 0);
      if (state === null) return;
      const { counts, counted_in, held } = state;
      index_bytes.replace(held === null ? [] : [[{}, held.bytes]]);
      index_rows.replace(held === null ? [] : [[{}, held.rows]]);
      usage_waiting.set({}, counts.waiting);
      published.add({}, counts.published - told.published);
      dropped.add({}, counts.dropped - told.dropped);
      told = counts;
      if (counted_in !== 'memory') redis.set({}, counted_in === 'redis' ? 1 : 0);
    },
  );

  const queryable = metrics.gauge(
    'feed_queryable_through_timestamp_seconds',
    'The instant through which a feed can be queried, as health says; absent where it never was read.',
    ['feed'],
  );
  const age = metrics.gauge(
    'feed_age_seconds',
    "The age of that instant by the service's own clock, which npm start --at sets to another time.",
    ['feed'],
  );
  const threshold = metrics.gauge('feed_threshold_seconds', 'The age past which health calls a feed stale.', [
    'feed',
  ]);
  for (const { feed, threshold_hours } of feeds) threshold.set({ feed }, threshold_hours * 3_600);
  metrics.atScrape('freshness', hail.feedsReadThrough, (read) => {
    const each = [...(read ?? [])];
    const now_ms = clock();
    queryable.replace(each.map(([feed, through_ms]) => [{ feed }, through_ms / 1_000]));
    age.replace(each.map(([feed, through_ms]) => [{ feed }, (now_ms - through_ms) / 1_000]));
  });
}
