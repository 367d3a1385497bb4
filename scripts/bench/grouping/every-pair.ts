import { linked } from '../../../services/hail/event/link.ts';
import type { Observation } from '../../../services/hail/observation.ts';

/**
 * How many events there are, by comparing every pair: what the grouping is measured beside. It knows the link rule and nothing of cubes,
 * runs or days. `speaker` chooses the cell that an area stands at.
 */
export function countByEveryPair(
  observations: readonly Observation[],
  speaker: (area: readonly Observation[]) => Observation,
): number {
  const granules = Map.groupBy(
    observations.filter(({ size_tenths_mm }) => size_tenths_mm !== null),
    ({ record_key }) => record_key,
  );
  const points = observations.filter(({ size_tenths_mm }) => size_tenths_mm === null);
  const areas = [...granules.values()].flatMap((cells) => chains(cells).map(speaker));
  return chains([...points, ...areas]).length;
}

function chains(all: readonly Observation[]): Observation[][] {
  const chain_of = all.map((_, index) => [index]);
  for (const [a, one] of all.entries()) {
    for (const [b, other] of all.entries()) {
      if (b <= a) continue;
      const [first, second] = [chain_of[a], chain_of[b]];
      if (first === undefined || second === undefined || first === second || !linked(one, other)) continue;
      first.push(...second);
      for (const member of second) chain_of[member] = first;
    }
  }
  return [...new Set(chain_of)].map((chain) => chain.flatMap((index) => all[index] ?? []));
}
