import { citingPublishers, type CitingPublisher } from '../publisher.ts';
import type { Observation } from '../observation.ts';
import { compareText } from '../text-order.ts';
import type { SightedObservation } from './sighted.ts';

const rank = Object.fromEntries(citingPublishers.map((name, index) => [name, index])) as Record<
  CitingPublisher,
  number
>;

/**
 * The order in which observations speak for an event: the largest, then the nearest (unrounded), then by publisher, then the earliest,
 * then the record id. It is total over distinct records, so no answer depends on the order in which rows arrive. Of a granule it may be
 * given one area only: between two the raw size decides, which the rounded size of a third record could contradict.
 */
export function byLead(a: SightedObservation, b: SightedObservation): number {
  return (
    ascending(b.size_in, a.size_in) ||
    ascending(a.distance_m, b.distance_m) ||
    ascending(rank[a.publisher], rank[b.publisher]) ||
    ascending(a.began_ms, b.began_ms) ||
    compareText(a.record_id, b.record_id) ||
    compareText(a.record_key, b.record_key) ||
    byGridIndex(a, b)
  );
}

/**
 * The order among the cells, or areas, of one granule: the largest by the raw tenths of a millimetre, then the nearest, then the lowest
 * cell index.
 */
export function byLargestOfRecord(a: SightedObservation, b: SightedObservation): number {
  return (
    ascending(b.size_tenths_mm ?? 0, a.size_tenths_mm ?? 0) ||
    ascending(b.size_in, a.size_in) ||
    ascending(a.distance_m, b.distance_m) ||
    byGridIndex(a, b)
  );
}

/** Cells are numbered by rows from the north, and in a row from the west. */
export function byGridIndex(a: Observation, b: Observation): number {
  return ascending(b.lat, a.lat) || ascending(a.lon, b.lon);
}

/**
 * Compares numbers by the sign alone: a difference of two fractions is an object of the heap, and sorting many observations would make
 * more of them than there is anything else.
 */
export function ascending(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
