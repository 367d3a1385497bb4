import type { HailEvent } from '../event/event.ts';
import { metres_per_mile } from '../geo/distance.ts';
import type { ScoreRecord } from './record.ts';

/**
 * What the score reads of events: every record and every cell of every area, so that of a granule the cell counts that is most probable to
 * have hit the roof, and not the one that happens to speak for a larger circle.
 */
export function recordsOfEvents(events: readonly HailEvent[]): ScoreRecord[] {
  return events.flatMap(({ members }) =>
    members.map(({ publisher, size_in, distance_m, sevprob, began_ms }) => ({
      publisher,
      size_in,
      distance_mi: distance_m / metres_per_mile,
      sevprob: sevprob ?? null,
      began_ms,
    })),
  );
}
