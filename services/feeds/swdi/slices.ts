import { day_ms, formatDay } from '../../hail/time.ts';
import { HailmarkError } from '../../runtime/errors.ts';
import type { Box } from '../../log/facts.ts';
import { daysOf, type Days } from '../days.ts';
import type { ReadSlice } from '../publish.ts';

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

/** True when `inner` lies within `outer`, edges included. */
export function holds(outer: Box, inner: Box): boolean {
  return (
    outer.west <= inner.west &&
    outer.south <= inner.south &&
    outer.east >= inner.east &&
    outer.north >= inner.north
  );
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
