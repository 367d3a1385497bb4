import { areasOf } from './area.ts';
import { groupObservations } from './group.ts';
import { ascending, byGridIndex, byLargestOfRecord, byLead } from './lead.ts';
import { distanceMetres, metres_per_mile } from '../geo/distance.ts';
import type { Observation } from '../observation.ts';
import { compareText } from '../text-order.ts';
import type { SightedObservation } from './sighted.ts';

/** One fall of hail passing a property. */
export interface HailEvent {
  lead: SightedObservation;
  /** What is cited: the lead first, the others in the same order; each record once, a granule by its largest area. */
  observations: SightedObservation[];
  /** All that the event is made of: every point record, and every cell of every area. The order says nothing. */
  members: SightedObservation[];
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
 * The events at a property, oldest first, whatever the order in which the observations come. All filters come before grouping, so that
 * every record that passes them is cited and none that does not can join two events. `until_ms` is exclusive. Cells of a granule first
 * become areas (`area.ts`): each links, and is counted, as its speaking cell.
 */
export function eventsAt(observations: Iterable<Observation>, filters: Filters): HailEvent[] {
  const sighted = withoutDoubles(passing(observations, filters).sort(byTime));
  const cells = sighted.filter(isCell);
  const points = cells.length === 0 ? sighted : sighted.filter((each) => !isCell(each));
  const areas = areasOf(cells);
  return groupObservations([...largestOfOneId(points), ...areas.keys()])
    .map((group): HailEvent => {
      const cited = onceEach(group).sort(byLead);
      const [lead] = cited;
      if (lead === undefined) throw new Error('a group holds at least the observation that opened it');
      const members = group.flatMap((each) => areas.get(each) ?? each);
      return { lead, observations: cited, members };
    })
    .sort(byOccurrence);
}

/**
 * Oldest first, ties by the lead's record id as text. Two events that are led by one granule and so share both come in the order of its
 * areas, the largest first.
 */
export function byOccurrence(a: HailEvent, b: HailEvent): number {
  return (
    ascending(a.lead.began_ms, b.lead.began_ms) ||
    compareText(a.lead.record_id, b.lead.record_id) ||
    byLargestOfRecord(a.lead, b.lead) ||
    compareText(a.lead.record_key, b.lead.record_key)
  );
}

function passing(observations: Iterable<Observation>, filters: Filters): SightedObservation[] {
  const radius_m = filters.radius_mi * metres_per_mile;
  const sighted: SightedObservation[] = [];
  for (const observation of observations) {
    if (observation.size_in < filters.min_size_in) continue;
    if (observation.began_ms < filters.from_ms || observation.began_ms >= filters.until_ms) continue;
    const distance_m = distanceMetres(filters.lat, filters.lon, observation.lat, observation.lon);
    if (distance_m <= radius_m) sighted.push({ ...observation, distance_m });
  }
  return sighted;
}

/** Total over distinct standings of records. The order of everything that no rule orders, so that no answer depends on that of the rows. */
function byTime(a: Observation, b: Observation): number {
  return (
    ascending(a.began_ms, b.began_ms) ||
    // Before the texts: the cells of a granule differ in nothing else.
    byGridIndex(a, b) ||
    compareText(a.publisher, b.publisher) ||
    compareText(a.record_key, b.record_key) ||
    ascending(b.size_in, a.size_in)
  );
}

/** `ordered` by time, so that the same standing read twice stands side by side. */
function withoutDoubles(ordered: readonly SightedObservation[]): SightedObservation[] {
  return ordered.filter((each, index) => {
    const before = ordered[index - 1];
    return (
      before?.began_ms !== each.began_ms ||
      before.lat !== each.lat ||
      before.lon !== each.lon ||
      before.record_key !== each.record_key ||
      before.publisher !== each.publisher
    );
  });
}

function isCell({ size_tenths_mm }: Observation): boolean {
  return size_tenths_mm !== null;
}

/** Of a granule that stands in a group with several areas, the largest: a chain of other records may have joined them. */
function onceEach(group: readonly SightedObservation[]): SightedObservation[] {
  const cited: SightedObservation[] = [];
  const granules = new Map<string, SightedObservation>();
  for (const each of group) {
    if (!isCell(each)) {
      cited.push(each);
      continue;
    }
    const rival = granules.get(each.record_key);
    if (rival === undefined || byLargestOfRecord(each, rival) < 0) granules.set(each.record_key, each);
  }
  return [...cited, ...granules.values()];
}

/**
 * A CoCoRaHS id names a station and a day, so several reports may carry it; only the largest (then the earliest) takes part, or one id
 * would be cited twice with two sizes.
 */
function largestOfOneId(observations: readonly SightedObservation[]): readonly SightedObservation[] {
  const chosen = new Map<string, SightedObservation>();
  for (const observation of observations) {
    if (observation.publisher !== 'COCORAHS') continue;
    const rival = chosen.get(observation.record_id);
    if (rival === undefined || byLargestThenEarliest(observation, rival) < 0) {
      chosen.set(observation.record_id, observation);
    }
  }
  if (chosen.size === 0) return observations;
  return observations.filter((each) => each.publisher !== 'COCORAHS' || chosen.get(each.record_id) === each);
}

function byLargestThenEarliest(a: Observation, b: Observation): number {
  return b.size_in - a.size_in || a.began_ms - b.began_ms || compareText(a.record_key, b.record_key);
}
