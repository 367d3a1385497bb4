import { day_ms } from '../hail/time.ts';

/** A stretch of whole days: midnights UTC, end exclusive. */
export interface Days {
  from: number;
  until: number;
}

/** The whole days that a stretch of time touches. */
export function wholeDays({ from, until }: { from: number; until: number }): Days {
  return { from: Math.floor(from / day_ms) * day_ms, until: Math.ceil(until / day_ms) * day_ms };
}

/** The midnights of a stretch. */
export function daysOf({ from, until }: Days): number[] {
  return Array.from(
    { length: Math.max(0, Math.round((until - from) / day_ms)) },
    (_, n) => from + n * day_ms,
  );
}

/** Single days, ascending, joined to stretches without a gap. */
export function stretches(days: readonly number[]): Days[] {
  const joined: Days[] = [];
  for (const day of days) {
    const last = joined.at(-1);
    if (last?.until === day) last.until = day + day_ms;
    else joined.push({ from: day, until: day + day_ms });
  }
  return joined;
}

/** Cuts a stretch at the firsts of months: a question about no more than 744 hours, and a part of history with a name. */
export function byMonth({ from, until }: Days): Days[] {
  const chunks: Days[] = [];
  for (let start = from; start < until;) {
    const at = new Date(start);
    const next = Math.min(until, Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 1));
    chunks.push({ from: start, until: next });
    start = next;
  }
  return chunks;
}
