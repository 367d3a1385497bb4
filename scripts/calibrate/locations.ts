import { distanceMiles } from '../../services/hail/geo/distance.ts';
import { day_ms } from '../../services/hail/time.ts';
import type { YearOfPairs } from './pairs.ts';

/** One place on one UTC day with radar hail within reach: the unit of the fit, as a property is the unit of the score. */
export interface PlaceDay {
  /** Number of the place in the grid. */
  place: number;
  /** Days since 1970-01-01, UTC. */
  day: number;
  year: number;
  /** 1 to 12, UTC. */
  month: number;
  /** Number of the run of consecutive days with radar hail: days of one run are one block, because a storm may straddle midnight. */
  block: number;
  /** Radar cells within reach. */
  cells: readonly { size_in: number; distance_mi: number }[];
  /** The largest size reported on the ground within the circle of the fit, inches; 0 where none was. */
  reported_in: number;
}

/** Places lie on the buckets of the files. */
const step_deg = 0.05;

/** Miles in a degree of latitude, rounded down, so that an inset is never too narrow. */
const degree_mi = 68.9;

/**
 * Every place of the grid on every day with a radar cell within `reach_mi`, the grid being what the cells span less the reach on each side:
 * nearer to the edge neither all cells nor all reports of a place are in the files. A place without radar hail is no row: radar says 0
 * there, and the reports without radar hail within reach (20 of 125 of an inch and more) are what that costs. A report counts for the radar day of its own date and of the day
 * after, since its date is local.
 */
export function placeDays(
  years: readonly YearOfPairs[],
  options: { reach_mi: number; circle_mi: number },
): { rows: PlaceDay[]; places: number } {
  const reports = Map.groupBy(
    years.flatMap((each) => each.reports),
    ({ day }) => day,
  );
  const days = [
    ...Map.groupBy(
      years.flatMap(({ cells }) => cells),
      ({ day }) => day,
    ),
  ].sort(([a], [b]) => a - b);
  const places = gridOf(years, options.reach_mi);
  const rows: PlaceDay[] = [];
  let block = 0;
  let before = -Infinity;
  for (const [day, cells] of days) {
    if (day !== before + 1) block += 1;
    before = day;
    const seen = [...(reports.get(day) ?? []), ...(reports.get(day - 1) ?? [])];
    const date = new Date(day * day_ms);
    for (const [number, place] of places.entries()) {
      const near = within(place, cells, options.reach_mi);
      if (near.length === 0) continue;
      rows.push({
        place: number,
        day,
        year: date.getUTCFullYear(),
        month: date.getUTCMonth() + 1,
        block,
        cells: near,
        reported_in: within(place, seen, options.circle_mi).reduce(
          (most, { size_in }) => Math.max(most, size_in),
          0,
        ),
      });
    }
  }
  return { rows, places: places.length };
}

interface Place {
  lat: number;
  lon: number;
}

function gridOf(years: readonly YearOfPairs[], inset_mi: number): Place[] {
  const cells = years.flatMap((each) => each.cells);
  const lats = extent(
    cells.map(({ lat }) => lat),
    inset_mi / degree_mi,
  );
  const highest_lat = Math.max(...cells.map(({ lat }) => Math.abs(lat)));
  const lons = extent(
    cells.map(({ lon }) => lon),
    inset_mi / degree_mi / Math.cos((highest_lat * Math.PI) / 180),
  );
  return lats.flatMap((lat) => lons.map((lon) => ({ lat, lon })));
}

/** The multiples of the step between the least and the greatest value, less the inset on each side. */
function extent(values: readonly number[], inset_deg: number): number[] {
  const first = Math.ceil((Math.min(...values) + inset_deg) / step_deg);
  const last = Math.floor((Math.max(...values) - inset_deg) / step_deg);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => (first + index) * step_deg);
}

function within(
  place: Place,
  candidates: readonly (Place & { size_in: number })[],
  radius_mi: number,
): { size_in: number; distance_mi: number }[] {
  const span_deg = radius_mi / degree_mi;
  return candidates.flatMap(({ lat, lon, size_in }) => {
    // A degree of latitude is the same everywhere, so this saves most distances and decides nothing.
    if (Math.abs(lat - place.lat) > span_deg) return [];
    const distance_mi = distanceMiles(place.lat, place.lon, lat, lon);
    return distance_mi <= radius_mi ? [{ size_in, distance_mi }] : [];
  });
}
