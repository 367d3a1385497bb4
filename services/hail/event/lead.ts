import { citingPublishers, type CitingPublisher } from '../publisher.ts';
import { compareText } from '../text-order.ts';
import type { SightedObservation } from './sighted.ts';

const rank = Object.fromEntries(citingPublishers.map((name, index) => [name, index])) as Record<
  CitingPublisher,
  number
>;

/**
 * The order in which observations speak for an event: the largest, then the nearest (unrounded), then by publisher, then the earliest,
 * then the record id. It is total over distinct records, so no answer depends on the order in which rows arrive.
 */
export function byLead(a: SightedObservation, b: SightedObservation): number {
  return (
    b.size_in - a.size_in ||
    a.distance_m - b.distance_m ||
    rank[a.publisher] - rank[b.publisher] ||
    a.began_ms - b.began_ms ||
    compareText(a.record_id, b.record_id) ||
    compareText(a.record_key, b.record_key)
  );
}
