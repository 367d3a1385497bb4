import { projectionNames } from '../../../services/projector/all-projections.ts';
import { readPositions } from '../../../services/store/positions.ts';
import type { Store } from '../../../services/store/store.ts';

/** How far every projection has come, by projection, topic and partition. */
export async function committedVector(store: Store): Promise<Map<string, number>> {
  const vector = new Map<string, number>();
  for (const projection of projectionNames) {
    for (const { topic, partition, next_offset } of await readPositions(store, projection, 1))
      vector.set(`${projection}/${topic}/${partition}`, next_offset);
  }
  return vector;
}
