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

/** More than the globe is wide, so that no two cubes have one key. */
const cubes_across = 2 * Math.ceil(earth_radius_m / side_m) + 3;

/** The observations of one cube, by their numbers, ascending: any two of them are within the link distance. */
export interface Cube {
  x: number;
  y: number;
  z: number;
  members: number[];
}

/** Observations in space: by their numbers where they are, and the cubes that hold one. Columns, because there may be very many of them. */
export interface Space {
  x_m: Float64Array;
  y_m: Float64Array;
  z_m: Float64Array;
  cubes: Cube[];
}

/** Observations are numbered as they stand in the array. */
export function placeInSpace(observations: readonly Observation[]): Space {
  const cubes = new Map<number, Cube>();
  const { length } = observations;
  const [x_m, y_m, z_m] = [new Float64Array(length), new Float64Array(length), new Float64Array(length)];
  observations.forEach((observation, member) => {
    const lat = (observation.lat * Math.PI) / 180;
    const lon = (observation.lon * Math.PI) / 180;
    const from_axis_m = earth_radius_m * Math.cos(lat);
    const x = Math.floor((x_m[member] = from_axis_m * Math.cos(lon)) / side_m);
    const y = Math.floor((y_m[member] = from_axis_m * Math.sin(lon)) / side_m);
    const z = Math.floor((z_m[member] = earth_radius_m * Math.sin(lat)) / side_m);
    const key = (x * cubes_across + y) * cubes_across + z;
    const cube = cubes.get(key);
    if (cube === undefined) cubes.set(key, { x, y, z, members: [member] });
    else cube.members.push(member);
  });
  return { x_m, y_m, z_m, cubes: [...cubes.values()] };
}

/**
 * Every pair of cubes that may hold linked observations: at most two steps apart on each axis, since a third would leave two whole sides
 * between them, which is more than the link distance. Touching cubes come first: in a dense storm they join almost everything, and pairs
 * that are joined need not be searched.
 */
export function neighbouringCubes(cubes: readonly Cube[]): [Cube, Cube][] {
  const ordered = cubes.toSorted((a, b) => a.x - b.x);
  const touching: [Cube, Cube][] = [];
  const near: [Cube, Cube][] = [];
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
export function mayLink({ x_m, y_m, z_m }: Space, a: number, b: number): boolean {
  const x = at(x_m, a) - at(x_m, b);
  const y = at(y_m, a) - at(y_m, b);
  const z = at(z_m, a) - at(z_m, b);
  return x * x + y * y + z * z <= certain_chord_m2;
}

/** False only where the whole cube is farther away than the link distance. */
export function mayReach({ x_m, y_m, z_m }: Space, member: number, cube: Cube): boolean {
  const x = beyond(at(x_m, member), cube.x);
  const y = beyond(at(y_m, member), cube.y);
  const z = beyond(at(z_m, member), cube.z);
  return x * x + y * y + z * z <= certain_chord_m2;
}

/** How far a coordinate lies outside the sides of a cube, metres; 0 within. */
function beyond(metres: number, step: number): number {
  return Math.max(0, step * side_m - metres, metres - (step + 1) * side_m);
}

function at(column: Float64Array, member: number): number {
  return column[member] ?? NaN;
}
