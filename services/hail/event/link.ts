import { distanceMetres, metres_per_mile } from '../geo/distance.ts';
import { convectiveDay, minute_ms } from '../time.ts';
import type { Observation } from '../observation.ts';

/** Two spans are one fall while the gap between them is at most this, inclusive (each padded by ten minutes). */
export const link_gap_ms = 20 * minute_ms;

/** Two places are one fall while they are at most this apart, inclusive. */
export const link_distance_m = 5 * metres_per_mile;

/** The link rule of `decisions.md`: close in time, close in space, and within one convective day. Symmetric. */
export function linked(a: Observation, b: Observation): boolean {
  const gap_ms = Math.max(a.began_ms, b.began_ms) - Math.min(a.ended_ms, b.ended_ms);
  return (
    gap_ms <= link_gap_ms &&
    convectiveDay(a.began_ms) === convectiveDay(b.began_ms) &&
    distanceMetres(a.lat, a.lon, b.lat, b.lon) <= link_distance_m
  );
}
