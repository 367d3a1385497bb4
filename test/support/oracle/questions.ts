// Seeded places and windows around the recorded hail; see records.ts. Nothing here may import from services/.
import { eventsOf, miles, type Question } from './answers.ts';
import type { OracleRecord } from './records.ts';

export interface SeededQuestion extends Question {
  operation: 'verify' | 'history';
  /** The calendar days that the request names: loss date and N, or since and until. */
  loss_day: string;
  window_days: number;
  since: string;
  until_day: string;
  /** Of the three kinds that a run must hold enough of. */
  with_event: boolean;
  at_edge: boolean;
  many_sources: boolean;
}

const day_ms = 86_400_000;

/** A small seeded generator (mulberry32): the same seed gives the same questions. */
export function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/**
 * `count` questions, in tens: three with a record at the rim of the radius or the window's edge, three in dense storms, one anywhere, the
 * others around a random record.
 */
export function seededQuestions(
  records: readonly OracleRecord[],
  seed: number,
  count: number,
): SeededQuestion[] {
  const random = generator(seed);
  const between = (low: number, high: number): number => low + (high - low) * random();
  const radar = records.filter(({ publisher }) => publisher === 'NEXRAD_SWDI');
  const pick = (from: readonly OracleRecord[]): OracleRecord => {
    const record = from[Math.floor(random() * from.length)];
    if (record === undefined) throw new Error('there is nothing to pick from');
    return record;
  };
  return Array.from({ length: count }, (_, index) => {
    const kind = index % 10;
    const dense = kind >= 4 && kind <= 6;
    const record = dense ? pick(radar) : pick(records);
    const operation = random() < 0.5 ? 'verify' : 'history';
    let radius_mi = round(dense ? between(10, 25) : between(0.5, 25), 2);
    // Mostly within the radius of the record, at times beside it.
    const reach_deg = kind < 2 ? 0.1 : radius_mi / 90;
    const near = [record.lat + between(-reach_deg, reach_deg), record.lon + between(-reach_deg, reach_deg)];
    let [lat = 0, lon = 0] = kind === 9 ? [between(28, 47), between(-105, -80)] : near;
    [lat, lon] = [round(lat, 6), round(lon, 6)];
    const window_days = 1 + Math.floor(random() * (kind === 3 ? 3 : 180));
    const record_day = Math.floor(record.began / day_ms) * day_ms;
    const since = record_day - Math.floor(between(0, 4_000)) * day_ms;
    const until_day = record_day + Math.floor(between(0, 4_000)) * day_ms;
    let [from, until] = [Math.max(since, Date.UTC(1950, 0, 1)), until_day + day_ms];
    let loss_day = record_day + Math.floor(between(-window_days, window_days)) * day_ms;
    if (operation === 'verify')
      [from, until] = [loss_day - window_days * day_ms, loss_day + window_days * day_ms];
    if (kind < 2) {
      // The record within a hundredth of a mile of the rim, half of them inside.
      radius_mi = round(
        Math.min(25, Math.max(0.05, miles(lat, lon, record.lat, record.lon) + between(-0.004, 0.004))),
        3,
      );
    } else if (kind === 2) {
      // The record's day is the window's first or its last one.
      const last = random() < 0.5;
      loss_day = last ? record_day - (window_days - 1) * day_ms : record_day + window_days * day_ms;
      if (operation === 'verify')
        [from, until] = [loss_day - window_days * day_ms, loss_day + window_days * day_ms];
      else if (last) until = record_day + day_ms;
      else from = record_day;
    }
    const sizes = [0, 0.5, 0.75, 1, 1.5].filter((size) => kind < 3 || kind === 9 || size <= record.size);
    const min_size_in = sizes[Math.floor(random() * sizes.length)] ?? 0.75;
    const question: Question = { lat, lon, radius_mi, min_size_in, from, until };
    const events = eventsOf(records, question);
    const rim = records.some((each) => Math.abs(miles(lat, lon, each.lat, each.lon) - radius_mi) <= 0.01);
    const edge = records.some(
      ({ began }) =>
        began === from ||
        began === until ||
        (began >= from && began < from + day_ms) ||
        (began < until && began >= until - day_ms),
    );
    return {
      ...question,
      operation,
      loss_day: new Date(loss_day).toISOString().slice(0, 10),
      window_days,
      since: new Date(from).toISOString().slice(0, 10),
      until_day: new Date(until - day_ms).toISOString().slice(0, 10),
      with_event: events.length > 0,
      at_edge: kind < 3 && (kind === 2 ? edge : rim),
      many_sources: events.some(({ members }) => members.length >= 4),
    };
  });
}

function round(value: number, decimals: number): number {
  return Number(value.toFixed(decimals));
}
