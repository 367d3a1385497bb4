import type { Observation } from '../observation.ts';
import { convectiveDay } from '../time.ts';
import { mayLink, mayReach, neighbouringCubes, placeInSpace, type Cube, type Space } from './cubes.ts';
import { createDisjointSets } from './disjoint-sets.ts';
import { ascending } from './lead.ts';
import { link_gap_ms, linked } from './link.ts';

/** Observations of one cube, oldest first, none more than the link's gap after all that began before it: a connected group. */
interface Run {
  /** Among all runs of the day. */
  number: number;
  cube: Cube;
  members: number[];
  began_ms: number;
  /** The last end of a span. */
  ended_ms: number;
}

/**
 * The connected groups of the link rule: every observation in exactly one group, whatever the order they come in. Day by day, since nothing
 * links across two; in a day, observations of one cube of space need only their times to tell which of them hang together, so that what is
 * compared one by one are not observations but the few runs of neighbouring cubes, and those only until a first link is found.
 */
export function groupObservations<T extends Observation>(observations: readonly T[]): T[][] {
  const ordered = observations.toSorted((a, b) => ascending(a.began_ms, b.began_ms));
  const groups: T[][] = [];
  let day: T[] = [];
  let number: number | undefined;
  for (const observation of ordered) {
    const own = convectiveDay(observation.began_ms);
    if (own !== number) {
      groups.push(...groupsOfDay(day));
      day = [];
      number = own;
    }
    day.push(observation);
  }
  groups.push(...groupsOfDay(day));
  return groups;
}

/** `day` is in order of beginning. */
function groupsOfDay<T extends Observation>(day: readonly T[]): T[][] {
  const space = placeInSpace(day);
  const runs = runsOf(day, space.cubes);
  const sets = createDisjointSets(runs.all.length);
  for (const [one, other] of neighbouringCubes(space.cubes)) {
    for (const [a, b] of pairsInReach(runs.in_cube.get(one) ?? [], runs.in_cube.get(other) ?? [])) {
      if (sets.of(a.number) !== sets.of(b.number) && anyLinked(day, space, a, b))
        sets.join(a.number, b.number);
    }
  }
  const groups = new Map<number, T[]>();
  for (const run of runs.all) {
    const set = sets.of(run.number);
    const group = groups.get(set) ?? [];
    groups.set(set, group);
    for (const member of run.members) {
      const observation = day[member];
      if (observation !== undefined) group.push(observation);
    }
  }
  return [...groups.values()];
}

/** Places play no part: within a cube all are near enough. */
function runsOf(
  day: readonly Observation[],
  cubes: readonly Cube[],
): { all: Run[]; in_cube: Map<Cube, Run[]> } {
  const all: Run[] = [];
  const in_cube = new Map<Cube, Run[]>();
  for (const cube of cubes) {
    const own: Run[] = [];
    let run: Run | undefined;
    for (const member of cube.members) {
      const observation = day[member];
      if (observation === undefined) continue;
      const { began_ms, ended_ms } = observation;
      if (run === undefined || began_ms - run.ended_ms > link_gap_ms) {
        run = { number: all.length, cube, members: [member], began_ms, ended_ms };
        own.push(run);
        all.push(run);
      } else {
        run.members.push(member);
        run.ended_ms = Math.max(run.ended_ms, ended_ms);
      }
    }
    in_cube.set(cube, own);
  }
  return { all, in_cube };
}

/**
 * The pairs of runs whose times are near enough for a link. Runs of a cube lie one after another with more than the gap between them, so
 * the one that ends first can reach nothing after the other.
 */
function* pairsInReach(ones: readonly Run[], others: readonly Run[]): Generator<[Run, Run]> {
  let [at, other_at] = [0, 0];
  for (;;) {
    const [one, other] = [ones[at], others[other_at]];
    if (one === undefined || other === undefined) return;
    const gap_ms = Math.max(one.began_ms, other.began_ms) - Math.min(one.ended_ms, other.ended_ms);
    if (gap_ms <= link_gap_ms) yield [one, other];
    if (one.ended_ms <= other.ended_ms) at += 1;
    else other_at += 1;
  }
}

/** Only what lies towards the other cube is compared: two crowded cubes may be too far apart in all but a corner. */
function anyLinked(day: readonly Observation[], space: Space, one: Run, other: Run): boolean {
  const ones = one.members.filter((member) => mayReach(space, member, other.cube));
  const others = other.members.filter((member) => mayReach(space, member, one.cube));
  for (const a of ones) {
    for (const b of others) {
      if (!mayLink(space, a, b)) continue;
      const [first, second] = [day[a], day[b]];
      if (first !== undefined && second !== undefined && linked(first, second)) return true;
    }
  }
  return false;
}
