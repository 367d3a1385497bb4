// The event rules of the contract, read a second time: every pair is looked at, nothing is shared with services/ but the shapes.
import type { Filters } from '../../../../services/hail/event/event.ts';
import type { Observation } from '../../../../services/hail/observation.ts';

export interface ReferenceEvent {
  /** The cited observations, the lead first, each as `name` gives it. */
  cited: string[];
  /** All that the event is made of, sorted. */
  members: string[];
}

interface Standing {
  at: Observation;
  stands_for: Observation[];
}

const publishers = ['NOAA_SED', 'COCORAHS', 'MRMS_MESH', 'NEXRAD_SWDI'];

/** A standing of a record. */
export function name({ publisher, record_key, began_ms, lat, lon }: Observation): string {
  return [publisher, record_key, began_ms, lat, lon].join(' ');
}

export function referenceEvents(observations: readonly Observation[], filters: Filters): ReferenceEvent[] {
  const away = ({ lat, lon }: Observation): number => miles(filters.lat, filters.lon, lat, lon);
  const seen = [...new Map(observations.map((each) => [name(each), each])).values()]
    .filter((each) => each.size_in >= filters.min_size_in && away(each) <= filters.radius_mi)
    .filter((each) => each.began_ms >= filters.from_ms && each.began_ms < filters.until_ms);

  const standing: Standing[] = [];
  const granules = new Set<string>();
  for (const each of seen) {
    if (each.size_tenths_mm !== null) granules.add(each.record_key);
    else if (each.publisher !== 'COCORAHS') standing.push({ at: each, stands_for: [each] });
  }
  for (const key of granules) {
    const cells = seen.filter((each) => each.size_tenths_mm !== null && each.record_key === key);
    for (const area of chains(cells, (a, b) => miles(a.lat, a.lon, b.lat, b.lon) <= 5)) {
      standing.push({ at: first(area, cellRank(away)), stands_for: area });
    }
  }
  const reports = seen.filter(({ publisher }) => publisher === 'COCORAHS');
  for (const id of new Set(reports.map(({ record_id }) => record_id))) {
    const of_id = reports.filter(({ record_id }) => record_id === id);
    const best = first(of_id, (each) => [-each.size_in, each.began_ms, each.record_key]);
    standing.push({ at: best, stands_for: [best] });
  }

  const rank = (each: Observation): (number | string)[] => [
    -each.size_in,
    away(each),
    publishers.indexOf(each.publisher),
    each.began_ms,
    each.record_id,
    each.record_key,
    -each.lat,
    each.lon,
  ];
  return chains(standing, (a, b) => together(a.at, b.at))
    .map((group) => {
      const keys = [...new Set(group.map(({ at }) => `${at.publisher} ${at.record_key}`))];
      const cited = keys.map((key) => {
        const of_record = group.filter(({ at }) => `${at.publisher} ${at.record_key}` === key);
        return first(
          of_record.map(({ at }) => at),
          cellRank(away),
        );
      });
      cited.sort((a, b) => compare(rank(a), rank(b)));
      const members = group.flatMap(({ stands_for }) => stands_for.map(name)).sort();
      return { lead: first(cited, rank), cited: cited.map(name), members };
    })
    .sort((a, b) =>
      compare(
        [a.lead.began_ms, a.lead.record_id, ...cellRank(away)(a.lead), a.lead.record_key],
        [b.lead.began_ms, b.lead.record_id, ...cellRank(away)(b.lead), b.lead.record_key],
      ),
    )
    .map(({ cited, members }) => ({ cited, members }));
}

/** Of one granule: raw size, distance, row from the north, column from the west. */
function cellRank(away: (each: Observation) => number): (each: Observation) => (number | string)[] {
  return (each) => [-(each.size_tenths_mm ?? 0), -each.size_in, away(each), -each.lat, each.lon];
}

function together(a: Observation, b: Observation): boolean {
  const twenty_minutes = 1_200_000;
  const noon_to_noon = ({ began_ms }: Observation): string =>
    new Date(began_ms - 43_200_000).toISOString().slice(0, 10);
  return (
    a.began_ms - b.ended_ms <= twenty_minutes &&
    b.began_ms - a.ended_ms <= twenty_minutes &&
    noon_to_noon(a) === noon_to_noon(b) &&
    miles(a.lat, a.lon, b.lat, b.lon) <= 5
  );
}

/** What hangs together by some chain of pairs. */
function chains<T>(all: readonly T[], near: (a: T, b: T) => boolean): T[][] {
  const left = new Set(all);
  const found: T[][] = [];
  for (const start of all) {
    if (!left.delete(start)) continue;
    const chain = [start];
    for (const link of chain) {
      for (const other of left) {
        if (near(link, other)) {
          chain.push(other);
          left.delete(other);
        }
      }
    }
    found.push(chain);
  }
  return found;
}

function first<T>(all: readonly T[], rank: (each: T) => readonly (number | string)[]): T {
  const [best] = [...all].sort((a, b) => compare(rank(a), rank(b)));
  if (best === undefined) throw new Error('nothing to choose from');
  return best;
}

function compare(a: readonly (number | string)[], b: readonly (number | string)[]): number {
  for (const [index, one] of a.entries()) {
    const other = b[index];
    if (other === undefined || one === other) continue;
    return one < other ? -1 : 1;
  }
  return 0;
}

/** Along the great circle, by the haversine of the differences; the Earth's mean radius is 6371.0088 km. */
function miles(lat_a: number, lon_a: number, lat_b: number, lon_b: number): number {
  const half = (degrees: number): number => Math.sin((degrees * Math.PI) / 360) ** 2;
  const cosines = Math.cos((lat_a * Math.PI) / 180) * Math.cos((lat_b * Math.PI) / 180);
  const h = half(lat_b - lat_a) + cosines * half(lon_b - lon_a);
  return (2 * 6371.0088 * Math.atan2(Math.sqrt(h), Math.sqrt(1 - h))) / 1.609344;
}
