import { historyAnswer, verifyAnswer } from '../../support/oracle/contract.ts';
import { miles } from '../../support/oracle/answers.ts';
import type { OracleRecord } from '../../support/oracle/records.ts';

/** NOT REAL: a house in traffic, and how many of the facts of a second are about hail near it. */
export interface Place {
  address: string;
  lat: number;
  lon: number;
  facts_per_s: number;
}

/**
 * From a place whose cells no batch leaves alone, where answers name a range, to places that change every second or two, where most answers
 * are exact and hardly two are the same.
 */
export const places: readonly Place[] = [
  { address: '1 Made Up Rd, San Antonio, TX 00000', lat: 29.55, lon: -98.4, facts_per_s: 60 },
  { address: '2 Made Up Rd, Wichita, KS 00000', lat: 37.7, lon: -97.33, facts_per_s: 8 },
  { address: '3 Made Up Rd, Denver, CO 00000', lat: 39.74, lon: -104.99, facts_per_s: 4 },
  { address: '4 Made Up Rd, Omaha, NE 00000', lat: 41.26, lon: -95.94, facts_per_s: 2 },
  { address: '5 Made Up Rd, Rapid City, SD 00000', lat: 44.08, lon: -103.23, facts_per_s: 2 },
  { address: '6 Made Up Rd, Nashville, TN 00000', lat: 36.16, lon: -86.78, facts_per_s: 1 },
  { address: '7 Made Up Rd, Atlanta, GA 00000', lat: 33.75, lon: -84.39, facts_per_s: 1 },
];

/** Farther away nothing is asked for. */
const largest_radius_mi = 25;

/** The days on which all hail of the traffic falls. */
export const hail_days = { first: '2026-05-01', last: '2026-08-31' } as const;

export interface Asked {
  place: number;
  operation: 'history' | 'verify';
  radius_mi: number;
  min_size_in: number;
  /** Of history, `YYYY-MM-DD`. */
  since: string;
  until: string;
  /** Of verify. */
  date_of_loss: string;
  window_days: number;
}

/** The places that a record matters to, by number. */
export function placesNear(lat: number, lon: number): number[] {
  const near: number[] = [];
  for (const [number, place] of places.entries()) {
    // A degree of latitude is 69 miles, one of longitude less: what this lets through is measured.
    if (Math.abs(place.lat - lat) > 0.5 || Math.abs(place.lon - lon) > 0.7) continue;
    if (miles(place.lat, place.lon, lat, lon) <= largest_radius_mi) near.push(number);
  }
  return near;
}

/** Questions of many kinds, so that an answer hardly ever repeats the one before: of every place, radius and length of time. */
export function drawQuestion(random: () => number): Asked {
  const pick = <T>(of: readonly T[]): T => {
    const one = of[Math.floor(random() * of.length)];
    if (one === undefined) throw new Error('there is nothing to pick from');
    return one;
  };
  const date_of_loss = dayAfter(hail_days.first, Math.floor(random() * 120));
  const since = random() < 0.5 ? '1955-01-01' : dayAfter(hail_days.first, Math.floor(random() * 60));
  return {
    place: Math.floor(random() * places.length),
    operation: random() < 0.6 ? 'history' : 'verify',
    radius_mi: pick([2, 5, 8, 15, largest_radius_mi]),
    min_size_in: pick([0, 0.5, 1]),
    since,
    until: random() < 0.5 ? hail_days.last : dayAfter(hail_days.first, 60 + Math.floor(random() * 60)),
    date_of_loss,
    window_days: pick([10, 45, 120]),
  };
}

export function dayAfter(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}

/** The path and the parameters that ask it. */
export function requestOf(asked: Asked): { path: string; parameters: Record<string, string> } {
  const { operation, radius_mi, min_size_in, since, until, date_of_loss, window_days } = asked;
  const { address } = placeOf(asked);
  const common = { address, radius_mi: String(radius_mi), min_size_in: String(min_size_in) };
  return operation === 'history'
    ? { path: '/v1/property/history', parameters: { ...common, since, until, limit: '5000' } }
    : {
        path: '/v1/property/verify',
        parameters: { ...common, date_of_loss, window_days: String(window_days) },
      };
}

/** `data` of the answer, without `property`, by brute force over the records near the place. */
export function expectedAnswer(asked: Asked, records: readonly OracleRecord[]): Record<string, unknown> {
  const { lat, lon } = placeOf(asked);
  const { operation, radius_mi, min_size_in, since, until, date_of_loss, window_days } = asked;
  const common = { lat, lon, radius_mi, min_size_in };
  return operation === 'history'
    ? historyAnswer(records, { ...common, since, until, limit: 5_000 })
    : verifyAnswer(records, { ...common, date_of_loss, window_days });
}

function placeOf({ place }: Asked): Place {
  const of = places[place];
  if (of === undefined) throw new Error(`there is no place ${place}`);
  return of;
}
