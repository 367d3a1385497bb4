import { day_ms, formatDay, parseDay } from '../../hail/time.ts';
import { HailmarkError } from '../../runtime/errors.ts';
import type { Box } from '../../log/facts.ts';
import type { ReadSlice } from '../publish.ts';

/** A stretch of whole days: midnights UTC, end exclusive. */
export interface Days {
  from: number;
  until: number;
}

/** `-125,24,-66.5,50` as a box; the order is the publisher's: west, south, east, north. */
export function parseBox(text: string): Box {
  const [west = NaN, south = NaN, east = NaN, north = NaN, ...more] = text.split(',').map(Number);
  const valid = west >= -180 && east <= 180 && south >= -90 && north <= 90 && west < east && south < north;
  if (valid && more.length === 0) return { west, south, east, north };
  throw new HailmarkError(
    'HAIL_CONFIG',
    'SWDI_BBOX must be west,south,east,north in degrees, for example -125,24,-66.5,50.',
  );
}

/** `2011-05-24/2011-05-25,2026-08-27/2026-08-30` as stretches of days. */
export function parseHistory(text: string): Days[] {
  return text
    .split(',')
    .filter((period) => period.trim() !== '')
    .map((period) => {
      const [first = '', last = ''] = period.trim().split('/');
      const [from, until] = [parseDay(first), parseDay(last)];
      if (from !== null && until !== null && from < until) return { from, until };
      throw new HailmarkError(
        'HAIL_CONFIG',
        'SWDI_HISTORY must be periods FIRST/LAST of days, last exclusive, separated by commas: 2011-05-24/2011-05-25.',
      );
    });
}

/** The whole days that a stretch of time touches. */
export function wholeDays({ from, until }: { from: number; until: number }): Days {
  return { from: Math.floor(from / day_ms) * day_ms, until: Math.ceil(until / day_ms) * day_ms };
}

/** True when `inner` lies within `outer`, edges included. */
export function holds(outer: Box, inner: Box): boolean {
  return (
    outer.west <= inner.west &&
    outer.south <= inner.south &&
    outer.east >= inner.east &&
    outer.north >= inner.north
  );
}

/** Cuts a stretch at the firsts of months: the service refuses more than 744 hours at once. */
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

/** Two halves of whole days, or null for a single day. */
export function halves({ from, until }: Days): [Days, Days] | null {
  const days = Math.round((until - from) / day_ms);
  if (days < 2) return null;
  const middle = from + Math.floor(days / 2) * day_ms;
  return [
    { from, until: middle },
    { from: middle, until },
  ];
}

/** The slice of a day: a reading of one box says nothing about another, so the box is part of the name. */
export function sliceName(at: number, box: Box): string {
  return `${formatDay(at)}@${[box.west, box.south, box.east, box.north].join(',')}`;
}

/** Every day of a stretch as a slice that was read; days from `whole_until` on may still be filling and are not the whole truth. */
export function daySlices({ from, until }: Days, box: Box, whole_until: number): ReadSlice[] {
  return daysOf({ from, until }).map((day) => ({
    slice: sliceName(day, box),
    from: day,
    until: day + day_ms,
    box,
    publisher_version: null,
    complete: day < whole_until,
  }));
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
