import { RateLimiterMemory, type RateLimiterAbstract } from 'rate-limiter-flexible';

/** The count of a window with the request that was just added. */
export interface Counted {
  count: number;
  ends_in_ms: number;
  /** Takes the request back out; does nothing once the window is over, because the next one owes nobody anything. Never rejects. */
  takeBack: () => Promise<void>;
}

/** Where the counts live that limits are held against. */
export type CountedIn = 'memory' | 'redis' | 'memory-while-redis-is-away';

/**
 * Counts in fixed windows. It only counts: what is too much is for the caller to say, because every key has limits of its own and they
 * change while the service runs.
 */
export interface WindowCounter {
  /** Adds one; opens a window of `span_s` where there is none. */
  add: (window: string, span_s: number) => Promise<Counted>;
  /** Lets a window begin with what was counted before this process; a count that is shared and known already is left alone. */
  begin: (window: string, count: number, span_s: number) => Promise<void>;
  countedIn: () => CountedIn;
}

/** The library refuses past its own number of points; here the count alone is wanted. */
export const no_limit_of_its_own = Number.MAX_SAFE_INTEGER;

/** Counts of this process alone. */
export function createMemoryCounter(): WindowCounter {
  const limiter = new RateLimiterMemory({ points: no_limit_of_its_own, duration: 1 });
  return {
    add: (window, span_s) => addOne(limiter, window, { span_s, margin_ms: 0 }),
    begin: async (window, count, span_s) => {
      await limiter.penalty(window, count, { customDuration: span_s });
    },
    countedIn: () => 'memory',
  };
}

/**
 * One request into a window of a limiter. A request taken back after its window has ended would open a new one at minus one; `margin_ms`
 * covers the time that an answer of a shared store was under way.
 */
export async function addOne(
  limiter: Pick<RateLimiterAbstract, 'penalty'>,
  window: string,
  { span_s, margin_ms }: { span_s: number; margin_ms: number },
): Promise<Counted> {
  const { consumedPoints: count, msBeforeNext: ends_in_ms } = await limiter.penalty(window, 1, {
    customDuration: span_s,
  });
  const ends_at_ms = Date.now() + ends_in_ms - margin_ms;
  return {
    count,
    ends_in_ms,
    takeBack: async () => {
      if (Date.now() < ends_at_ms) await limiter.penalty(window, -1, { customDuration: span_s });
    },
  };
}
