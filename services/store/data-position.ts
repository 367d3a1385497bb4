import type { Intent } from './cell_changes/intents.ts';

/** How far a version of the observations has come in a log, by what its tables say. */
export interface DataPosition {
  log_id: string;
  /** Next offset by topic and partition, in the order of the topics that were asked for; a partition that is missing stands at 0. */
  offsets: readonly (readonly number[])[];
}

/**
 * True when the intents reach every offset between two readings of the positions. Where they do not, a batch wrote between the readings
 * whose cells nobody knows.
 */
export function coverAll(
  intents: readonly (readonly Intent[])[],
  before: DataPosition['offsets'],
  after: DataPosition['offsets'],
): boolean {
  return after.every((ends, topic) => {
    const own = intents[topic] ?? [];
    return ends.every((end, partition) => {
      let reached = before[topic]?.[partition] ?? 0;
      for (const intent of own) {
        if (intent.partition === partition && intent.first_offset <= reached)
          reached = Math.max(reached, intent.end_offset);
      }
      return reached >= end;
    });
  });
}

/** What an answer stands on, as its header says it: short and opaque to clients, the same for the same log and positions. */
export function tokenOf({ log_id, offsets }: DataPosition): string {
  return `v1.${log_id.slice(0, 8) || 'none'}.${offsetsText(offsets)}`;
}

/** Of an answer in which batches that were under way may or may not be: they reach as far as `reach`. */
export function rangeTokenOf(position: DataPosition, reach: DataPosition['offsets']): string {
  return `${tokenOf(position)}~${offsetsText(reach)}`;
}

function offsetsText(offsets: DataPosition['offsets']): string {
  return offsets.map((of) => of.map((offset) => offset.toString(36)).join('-') || '0').join('.');
}
