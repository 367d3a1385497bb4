import { earth_radius_m } from '../geo/distance.ts';
import type { Observation } from '../observation.ts';
import { link_distance_m } from './link.ts';

/**
 * Places as points of the space that the globe lies in, metres from its centre: straight lines there have no poles and no antimeridian,
 * and two places are within five miles on the ground exactly when the straight line between them is at most this long.
 */
const link_chord_m = 2 * earth_radius_m * Math.sin(link_distance_m / (2 * earth_radius_m));

/** Shrunk by a hair, so that opposite corners of a cube are within the link distance however the numbers round. */
const side_m = (link_chord_m / Math.sqrt(3)) * 0.9999;

/** Longer by a hair: what is beyond it is certainly too far, what is within it is for the link rule to decide. */
const certain_chord_m2 = (link_chord_m * (1 + 1e-9)) ** 2;

/** A whole number of cubes from the centre to beyond the surface, on each side. */
const cubes_to_surface = Math.ceil(earth_radius_m / side_m) + 1;
const cubes_across = 2 * cubes_to_surface + 1;

/** An observation and where it is in space. */
export interface Spot<T> {
  observation: T;
  x_m: number;
  y_m: number;
  z_m: number;
}

/** The observations of one cube, in the order they were given: any two of them are within the link distance. */
export interface Cube<T> {
  x: number;
  y: number;
  z: number;
  spots: Spot<T>[];
}

/** The cubes that hold an observation. */
export function cubesOf<T extends Observation>(observations: readonly T[]): Cube<T>[] {
  const cubes = new Map<number, Cube<T>>();
  for (const observation of observations) {
    const spot = spotOf(observation);
    const [x, y, z] = [spot.x_m, spot.y_m, spot.z_m].map(
      (metres) => Math.floor(metres / side_m) + cubes_to_surface,
    ) as [number, number, number];
    const key = (x * cubes_across + y) * cubes_across + z;
    const cube = cubes.get(key);
    if (cube === undefined) cubes.set(key, { x, y, z, spots: [spot] });
    else cube.spots.push(spot);
  }
  return [...cubes.values()];
}

/**
 * Every pair of cubes that may hold linked observations: at most two steps apart on each axis, since a third would leave two whole sides
 * between them, which is more than the link distance. Touching cubes come first: in a dense storm they join almost everything, and pairs
 * that are joined need not be searched.
 */
export function neighbouringCubes<T>(cubes: readonly Cube<T>[]): [Cube<T>, Cube<T>][] {
  const ordered = cubes.toSorted((a, b) => a.x - b.x);
  const touching: [Cube<T>, Cube<T>][] = [];
  const near: [Cube<T>, Cube<T>][] = [];
  ordered.forEach((one, index) => {
    for (let next = index + 1; next < ordered.length; next += 1) {
      const other = ordered[next];
      if (other === undefined || other.x - one.x > 2) break;
      const steps = Math.max(other.x - one.x, Math.abs(other.y - one.y), Math.abs(other.z - one.z));
      if (steps <= 1) touching.push([one, other]);
      else if (steps === 2) near.push([one, other]);
    }
  });
  return [...touching, ...near];
}

/** False only for places that are farther apart than the link distance. */
export function mayLink(a: Spot<unknown>, b: Spot<unknown>): boolean {
  const [x, y, z] = [a.x_m - b.x_m, a.y_m - b.y_m, a.z_m - b.z_m];
  return x * x + y * y + z * z <= certain_chord_m2;
}

function spotOf<T extends Observation>(observation: T): Spot<T> {
  const lat = (observation.lat * Math.PI) / 180;
  const lon = (observation.lon * Math.PI) / 180;
  const from_axis_m = earth_radius_m * Math.cos(lat);
  return {
    observation,
    x_m: from_axis_m * Math.cos(lon),
    y_m: from_axis_m * Math.sin(lon),
    z_m: earth_radius_m * Math.sin(lat),
  };
}
