import { groupObservations } from './group.ts';
import { byLead } from './lead.ts';
import { distanceMetres, metres_per_mile } from '../geo/distance.ts';
import type { Observation } from '../observation.ts';
import { compareText } from '../text-order.ts';
import type { SightedObservation } from './sighted.ts';

/** One fall of hail passing a property: at least one observation, the lead first, the others in the same order. */
export interface HailEvent {
  lead: SightedObservation;
  observations: SightedObservation[];
}

/** What passes into an answer: places within the radius, beginnings in `[from_ms, until_ms)`, sizes of at least `min_size_in`. */
export interface Filters {
  lat: number;
  lon: number;
  radius_mi: number;
  from_ms: number;
  until_ms: number;
  min_size_in: number;
}

/**
 * The events at a property, oldest first. All filters come before grouping, so that every observation that passes them is cited in
 * exactly one event and none that does not can join two of them. `until_ms` is exclusive.
 */
export function eventsAt(observations: Iterable<Observation>, filters: Filters): HailEvent[] {
  const radius_m = filters.radius_mi * metres_per_mile;
  const sighted: SightedObservation[] = [];
  for (const observation of observations) {
    if (observation.size_in < filters.min_size_in) continue;
    if (observation.began_ms < filters.from_ms || observation.began_ms >= filters.until_ms) continue;
    const distance_m = distanceMetres(filters.lat, filters.lon, observation.lat, observation.lon);
    if (distance_m <= radius_m) sighted.push({ ...observation, distance_m });
  }
  return groupObservations(largestOfOneId(sighted))
    .map((group): HailEvent => {
      const ordered = group.toSorted(byLead);
      const [lead] = ordered;
      if (lead === undefined) throw new Error('a group holds at least the observation that opened it');
      return { lead, observations: ordered };
    })
    .sort(byOccurrence);
}

/** Oldest first, ties by the lead's record id as text. */
export function byOccurrence(a: HailEvent, b: HailEvent): number {
  return a.lead.began_ms - b.lead.began_ms || compareText(a.lead.record_id, b.lead.record_id);
}

/**
 * A CoCoRaHS id names a station and a day, so several reports may carry it; only the largest (then the earliest) takes part, or one id
 * would be cited twice with two sizes.
 */
function largestOfOneId(observations: readonly SightedObservation[]): SightedObservation[] {
  const chosen = new Map<string, SightedObservation>();
  const others: SightedObservation[] = [];
  for (const observation of observations) {
    if (observation.publisher !== 'COCORAHS') {
      others.push(observation);
      continue;
    }
    const rival = chosen.get(observation.record_id);
    if (rival === undefined || byLargestThenEarliest(observation, rival) < 0) {
      chosen.set(observation.record_id, observation);
    }
  }
  return [...others, ...chosen.values()];
}

function byLargestThenEarliest(a: Observation, b: Observation): number {
  return b.size_in - a.size_in || a.began_ms - b.began_ms || compareText(a.record_key, b.record_key);
}
