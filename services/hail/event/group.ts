import { link_distance_m, link_gap_ms, linked } from './link.ts';
import { metres_per_mile } from '../geo/distance.ts';
import type { Observation } from '../observation.ts';

/** Metres in a degree of latitude, rounded down, so that a bucket is never narrower than the link distance. */
const degree_m = 110_000;

/**
 * The connected groups of the link rule: every observation in exactly one group, whatever the order they come in. A sweep in order of
 * beginning holds only observations whose spans can still reach the present one, in buckets of space a link wide, so that the cost
 * follows the number of near neighbours and not the square of a storm.
 */
export function groupObservations<T extends Observation>(observations: readonly T[]): T[][] {
  const ordered = observations.toSorted((a, b) => a.began_ms - b.began_ms);
  const parent = ordered.map((_, index) => index);
  const buckets = bucketing(ordered);
  const open = new Map<string, number[]>();

  ordered.forEach((observation, index) => {
    const { row, column } = buckets(observation);
    for (let y = row - 1; y <= row + 1; y += 1) {
      for (let x = column - 1; x <= column + 1; x += 1) {
        const key = `${y},${x}`;
        const neighbours = open.get(key);
        if (neighbours === undefined) continue;
        const reachable = neighbours.filter((other) => {
          const earlier = ordered[other];
          return earlier !== undefined && observation.began_ms - earlier.ended_ms <= link_gap_ms;
        });
        open.set(key, reachable);
        for (const other of reachable) {
          const earlier = ordered[other];
          if (
            earlier !== undefined &&
            rootOf(parent, other) !== rootOf(parent, index) &&
            linked(earlier, observation)
          ) {
            parent[rootOf(parent, index)] = rootOf(parent, other);
          }
        }
      }
    }
    const own = open.get(`${row},${column}`);
    if (own === undefined) open.set(`${row},${column}`, [index]);
    else own.push(index);
  });

  const groups = new Map<number, T[]>();
  ordered.forEach((observation, index) => {
    const root = rootOf(parent, index);
    const group = groups.get(root);
    if (group === undefined) groups.set(root, [observation]);
    else group.push(observation);
  });
  return [...groups.values()];
}

/** Union-find with path halving. */
function rootOf(parent: number[], index: number): number {
  let at = index;
  for (;;) {
    const up = parent[at] ?? at;
    if (up === at) return at;
    const over = parent[up] ?? up;
    parent[at] = over;
    at = over;
  }
}

/**
 * Rows and columns at least one link wide everywhere among the observations: columns are measured where a degree of longitude is
 * shortest. Longitudes are taken relative to the first observation, so that a group across the antimeridian is not torn apart.
 */
function bucketing(
  observations: readonly Observation[],
): (at: Observation) => { row: number; column: number } {
  const span_deg = (link_distance_m + metres_per_mile / 100) / degree_m;
  const first_lon = observations[0]?.lon ?? 0;
  const widest_lat = observations.reduce((most, { lat }) => Math.max(most, Math.abs(lat)), 0);
  const shrink = Math.max(0.01, Math.cos(((widest_lat + span_deg) * Math.PI) / 180));
  return ({ lat, lon }) => ({
    row: Math.floor(lat / span_deg),
    column: Math.floor((((((lon - first_lon + 180) % 360) + 360) % 360) - 180) / (span_deg / shrink)),
  });
}
