import { day_ms } from '../../hail/time.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { ApiKeyFact } from '../../log/facts.ts';
import type { Counted, WindowCounter } from './window-counter.ts';

export type RefusalReason = 'minute-rate-limit' | 'day-rate-limit';

/** How a key stands against one of its limits. */
export interface Standing {
  limit: 'minute' | 'day';
  quota: number;
  window_s: number;
  remaining: number;
  resets_in_s: number;
}

export type LimitDecision =
  | {
      outcome: 'admitted';
      standings: Standing[];
      /** For a request that turned out not to count (5xx). Never rejects. */
      giveBack: () => Promise<void>;
    }
  | { outcome: 'refused'; reason: RefusalReason; retry_after_s: number; standings: Standing[] };

export interface Limiter {
  admit: (key: Pick<ApiKeyFact, 'key_id' | 'per_minute' | 'per_day'>) => Promise<LimitDecision>;
  /** Counts of a UTC day, by key id, that were made before this process began. */
  beginDay: (day: string, counts: ReadonlyMap<string, number>) => Promise<void>;
  countedIn: WindowCounter['countedIn'];
}

const minute_s = 60;
const day_s = 86_400;
/** A day's count is named by its date; it only has to live until nobody asks for that date any more. */
const day_kept_s = 2 * day_s;

/** The UTC date of an instant: `2026-11-21`. */
export function utcDay(at_ms: number): string {
  return new Date(at_ms).toISOString().slice(0, 10);
}

/**
 * Holds requests against the limits of their key: 60 s windows from the first request, and UTC days of the service's clock.
 *
 * A request is counted before it is answered and taken back out when it turns out not to count: refused, or ended in 5xx. So however many
 * come at once, never more than the limit are under way or answered; the price is that a request may be refused while one that will be
 * taken back still holds the last place. The minute comes first: a place held for a moment then costs a wait of seconds, not of a day.
 */
export function createLimiter(deps: { counter: WindowCounter; clock: Clock }): Limiter {
  const { counter, clock } = deps;
  return {
    async admit({ key_id, per_minute, per_day }) {
      const minute = await counter.add(`minute/${key_id}`, minute_s);
      const of_minute = (count: number): Standing => ({
        limit: 'minute',
        quota: per_minute,
        window_s: minute_s,
        remaining: Math.max(0, per_minute - count),
        resets_in_s: wholeSeconds(minute.ends_in_ms),
      });
      if (minute.count > per_minute) return refuse('minute-rate-limit', of_minute(minute.count), [minute]);

      const now_ms = clock();
      const day = await counter.add(dayWindow(utcDay(now_ms), key_id), day_kept_s);
      const of_day: Standing = {
        limit: 'day',
        quota: per_day,
        window_s: day_s,
        remaining: Math.max(0, per_day - day.count),
        resets_in_s: wholeSeconds(day_ms - (now_ms % day_ms)),
      };
      if (day.count > per_day) return refuse('day-rate-limit', of_day, [minute, day]);
      return {
        outcome: 'admitted',
        standings: [of_minute(minute.count), of_day],
        giveBack: () => takeBack([minute, day]),
      };
    },
    async beginDay(day, counts) {
      for (const [key_id, count] of counts) await counter.begin(dayWindow(day, key_id), count, day_kept_s);
    },
    countedIn: counter.countedIn,
  };
}

async function refuse(
  reason: RefusalReason,
  standing: Standing,
  counted: readonly Counted[],
): Promise<LimitDecision> {
  await takeBack(counted);
  return { outcome: 'refused', reason, retry_after_s: standing.resets_in_s, standings: [standing] };
}

async function takeBack(counted: readonly Counted[]): Promise<void> {
  for (const each of counted) await each.takeBack();
}

function dayWindow(day: string, key_id: string): string {
  return `day/${day}/${key_id}`;
}

/** At least one: "again in 0 seconds" would be an invitation to try while the window still runs. */
function wholeSeconds(span_ms: number): number {
  return Math.max(1, Math.ceil(span_ms / 1_000));
}
