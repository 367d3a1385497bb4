import { madeUpFacts } from '../../scripts/bench/facts.ts';
import type { Draft } from '../../services/feeds/kinds/points.ts';
import type { ObservationFact } from '../../services/hail/observation.ts';
import { createRevisions } from '../unit/projector/history.ts';

/** How far behind an observation its corrections follow. */
const later_by = 500;

/**
 * NOT REAL: so many made-up radar observations, and among them the corrections of earlier ones: of every seven one moves, one changes its
 * size, one loses its size, one is withdrawn and comes back elsewhere, and three are left alone.
 */
export function* correctedFacts(observations: number): Generator<ObservationFact> {
  const revise = createRevisions();
  const waiting: Draft[] = [];
  let number = 0;
  for (const draft of madeUpFacts(observations)) {
    // Named anew from what stood before: nothing at first.
    yield revise(draft);
    waiting.push(draft);
    if (waiting.length <= later_by) continue;
    const earlier = waiting.shift();
    if (earlier !== undefined) yield* corrections(earlier, number).map(revise);
    number += 1;
  }
  for (const [at, earlier] of waiting.entries()) yield* corrections(earlier, number + at).map(revise);
}

function corrections(draft: Draft, number: number): Draft[] {
  const lat = draft.lat ?? 30;
  switch (number % 7) {
    case 0:
      return [{ ...draft, lat: lat + 0.25 }];
    case 1:
      return [{ ...draft, size_in: (draft.size_in ?? 1) + 0.25 }];
    case 2:
      return [{ ...draft, size_in: null }];
    case 3:
      return [
        {
          ...draft,
          began_at: null,
          ended_at: null,
          lat: null,
          lon: null,
          size_in: null,
          status: 'withdrawn',
        },
        { ...draft, lat: lat - 0.25 },
      ];
    default:
      return [];
  }
}
