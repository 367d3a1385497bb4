import type { Clock } from '../runtime/clock.ts';
import { readHolds, type Hold } from '../store/holds.ts';
import type { Store } from '../store/store.ts';

/** How often a projector looks whether anything is held; where something is, it looks before every batch. */
const look_ms = 1_000;
/** A hold whose beat has stood still for so long is over: its holder was killed. */
export const hold_lease_ms = 15_000;

export interface Holds {
  /** The offset at which a partition is held for all versions of a projection; null where it is free. */
  at: (projection: string, topic: string, partition: number) => Promise<number | null>;
}

/**
 * The holds of the store as one projector sees them. Whether a holder lives is told from its beat growing, measured by this process's
 * own clock, so that the clocks of two machines need not agree and a killed rebuild holds nobody for ever.
 */
export function createHolds(deps: { store: Store; clock: Clock }, lease_ms = hold_lease_ms): Holds {
  const { store, clock } = deps;
  const beats = new Map<string, { beat: number; seen_at: number }>();
  let holds: Hold[] = [];
  let looked_at = -Infinity;

  const isInForce = ({ projection }: Hold): boolean =>
    clock() - (beats.get(projection)?.seen_at ?? -Infinity) < lease_ms;
  const look = async (): Promise<void> => {
    holds = await readHolds(store);
    looked_at = clock();
    for (const { projection, beat } of holds) {
      if (beat > (beats.get(projection)?.beat ?? -1)) beats.set(projection, { beat, seen_at: looked_at });
    }
  };

  return {
    at: async (projection, topic, partition) => {
      if (holds.some(isInForce) || clock() - looked_at >= look_ms) await look();
      const own = holds.find(
        (hold) => hold.projection === projection && hold.topic === topic && hold.partition === partition,
      );
      return own !== undefined && isInForce(own) ? own.hold_at : null;
    },
  };
}
