import type { Observation } from '../observation.ts';
import { convectiveDay } from '../time.ts';
import { cubesOf, mayLink, neighbouringCubes, type Cube, type Spot } from './cubes.ts';
import { createDisjointSets } from './disjoint-sets.ts';
import { link_gap_ms, linked } from './link.ts';

/** Observations of one cube, oldest first, none of them more than the link's gap after all that began before it: a connected group. */
interface Run<T> {
  number: number;
  spots: Spot<T>[];
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
  const ordered = observations.toSorted((a, b) => a.began_ms - b.began_ms);
  const groups: T[][] = [];
  for (let from = 0; from < ordered.length;) {
    const day = dayOf(ordered[from]);
    let to = from + 1;
    while (to < ordered.length && dayOf(ordered[to]) === day) to += 1;
    for (const group of groupsOfDay(ordered.slice(from, to))) groups.push(group);
    from = to;
  }
  return groups;
}

function dayOf(observation: Observation | undefined): number {
  return convectiveDay(observation?.began_ms ?? NaN);
}

/** `day` is in order of beginning. */
function groupsOfDay<T extends Observation>(day: T[]): T[][] {
  if (day.length === 1) return [day];
  const runs = new Map<Cube<T>, Run<T>[]>();
  let count = 0;
  const cubes = cubesOf(day);
  for (const cube of cubes) {
    const own = runsOf(cube.spots, count);
    runs.set(cube, own);
    count += own.length;
  }
  const sets = createDisjointSets(count);
  for (const [one, other] of neighbouringCubes(cubes)) {
    for (const [a, b] of pairsInReach(runs.get(one) ?? [], runs.get(other) ?? [])) {
      if (sets.of(a.number) !== sets.of(b.number) && anyLinked(a, b)) sets.join(a.number, b.number);
    }
  }
  const groups = new Map<number, T[]>();
  for (const run of [...runs.values()].flat()) {
    const set = sets.of(run.number);
    const group = groups.get(set) ?? [];
    groups.set(set, group);
    for (const { observation } of run.spots) group.push(observation);
  }
  return [...groups.values()];
}

/** Numbered from `first_number`. Places play no part: within a cube all are near enough. */
function runsOf<T extends Observation>(spots: readonly Spot<T>[], first_number: number): Run<T>[] {
  const runs: Run<T>[] = [];
  let run: Run<T> | undefined;
  for (const spot of spots) {
    const { began_ms, ended_ms } = spot.observation;
    if (run === undefined || began_ms - run.ended_ms > link_gap_ms) {
      run = { number: first_number + runs.length, spots: [spot], began_ms, ended_ms };
      runs.push(run);
    } else {
      run.spots.push(spot);
      run.ended_ms = Math.max(run.ended_ms, ended_ms);
    }
  }
  return runs;
}

/**
 * The pairs of runs whose times are near enough for a link. Runs of a cube lie one after another with more than the gap between them, so
 * the one that ends first can reach nothing after the other.
 */
function* pairsInReach<T>(ones: readonly Run<T>[], others: readonly Run<T>[]): Generator<[Run<T>, Run<T>]> {
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

function anyLinked<T extends Observation>(one: Run<T>, other: Run<T>): boolean {
  return one.spots.some((a) =>
    other.spots.some((b) => mayLink(a, b) && linked(a.observation, b.observation)),
  );
}
