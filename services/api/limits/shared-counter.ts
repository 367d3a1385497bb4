import { Redis } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import type { Clock } from '../../runtime/clock.ts';
import type { LogOutput } from '../../runtime/log-output.ts';
import {
  addOne,
  createMemoryCounter,
  no_limit_of_its_own,
  type Counted,
  type WindowCounter,
} from './window-counter.ts';

const prefix = 'hailmark-limits';
/** A request waits no longer than this for its count. */
const usual_patience_ms = 500;
/** After a failure Redis is left alone for so long, so that one that hangs does not slow every request. */
const left_alone_ms = 1_000;

export interface SharedCounter extends WindowCounter {
  /** Resolves when Redis can be counted in, or when it failed to answer for the first time. */
  tried: Promise<void>;
  close: () => void;
}

/**
 * Counts that all API processes of one Redis share. This process's own requests are counted in memory beside it: while Redis is away they
 * alone are held against the limits, each process for itself, and what was counted so is not added to Redis afterwards.
 */
export function createSharedCounter(
  deps: {
    clock: Clock;
    output: LogOutput;
    /** Told at each change, for a metric: true when Redis has gone, false when it is back. */
    onAway?: (is_away: boolean) => void;
  },
  options: { redis_url: string; patience_ms?: number },
): SharedCounter {
  const { redis_url, patience_ms = usual_patience_ms } = options;
  const own = createMemoryCounter();
  const redis = new Redis(redis_url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: 2 * patience_ms,
    retryStrategy: (attempt) => Math.min(attempt * 50, 1_000),
  });
  const limiter = new RateLimiterRedis({
    storeClient: redis,
    keyPrefix: prefix,
    points: no_limit_of_its_own,
    duration: 1,
    rejectIfRedisNotReady: true,
  });
  let is_away = false;
  let left_alone_until_ms = 0;
  const tried = Promise.withResolvers<undefined>();

  const setAway = (now_away: boolean, error?: unknown): void => {
    if (now_away === is_away) return;
    is_away = now_away;
    deps.onAway?.(is_away);
    if (is_away) deps.output.warn({ err: error }, 'Redis is away: this process counts limits for itself');
    else deps.output.info('Redis is back: limits are counted together');
  };
  const failed = (error: unknown): void => {
    left_alone_until_ms = deps.clock() + left_alone_ms;
    setAway(true, error);
    tried.resolve(undefined);
  };
  redis.on('error', failed);
  redis.on('ready', () => {
    left_alone_until_ms = 0;
    setAway(false);
    tried.resolve(undefined);
  });

  const withRedis = async <T>(work: () => Promise<T>): Promise<T | null> => {
    if (deps.clock() < left_alone_until_ms) return null;
    try {
      const result = await inTime(work(), patience_ms);
      setAway(false);
      return result;
    } catch (error) {
      failed(error);
      return null;
    }
  };
  return {
    async add(window, span_s): Promise<Counted> {
      const mine = await own.add(window, span_s);
      const shared = await withRedis(() => addOne(limiter, window, { span_s, margin_ms: patience_ms }));
      if (shared === null) return mine;
      return {
        ...shared,
        takeBack: async () => {
          await mine.takeBack();
          // Where Redis has gone meanwhile the request stays counted there, to the end of its window.
          await withRedis(shared.takeBack);
        },
      };
    },
    async begin(window, count, span_s) {
      await own.begin(window, count, span_s);
      // Only where there is none: other processes have counted on since.
      await withRedis(() => redis.set(limiter.getKey(window), count, 'EX', span_s, 'NX'));
    },
    countedIn: () => (is_away ? 'memory-while-redis-is-away' : 'redis'),
    tried: tried.promise,
    close: () => {
      redis.disconnect();
      tried.resolve(undefined);
    },
  };
}

/**
 * Rejects when `work` takes too long. A process that was busy itself finds its timers due before it has read what came meanwhile; the
 * answers that lie there are let in first, or a busy process would take Redis for dead.
 */
function inTime<T>(work: Promise<T>, patience_ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => setImmediate(() => reject(new Error('Redis does not answer in time'))),
      patience_ms,
    );
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
