import { pause } from '../runtime/clock.ts';
import type { MessageBatch } from '../log/event-log.ts';
import { readPositions } from '../store/positions.ts';
import { createHolds } from './holds.ts';
import { nameOf, type Projection } from './projection.ts';
import { createTurns, storeBatch, type BatchDeps } from './store-batch.ts';

/** How often a hold is looked at while it is waited for. */
const look_ms = 100;

export interface Handler {
  /** To be called for each partition that the member begins. */
  began: (topic: string, partition: number) => void;
  handle: (batch: MessageBatch) => Promise<void>;
}

/**
 * Handles the batches of one member, up to a hold and no further: there a batch is cut exactly, and the rest waits in hand until the hold
 * is lifted or its holder is dead. A member has a few batches in hand and more partitions, so whoever waits first brings the others up to
 * their holds, or partitions would wait for one another. What is so stored comes once more afterwards, and changes nothing.
 */
export function createHandler(
  deps: BatchDeps,
  projection: Projection,
  options: { batch_messages: number; signal: AbortSignal; hold_lease_ms?: number },
): Handler {
  const { patiently, log, store } = deps;
  const { signal } = options;
  const holds = createHolds(deps, options.hold_lease_ms);
  const begun = new Map<string, Set<number>>();
  const judgeInTurn = createTurns();
  const bringInTurn = createTurns();

  const heldAt = (topic: string, partition: number): Promise<number | null> =>
    patiently('holds', () => {
      // Whoever waits at a hold comes by here all the while, and whoever waits for the store tries here.
      deps.observer?.ticked(nameOf(projection));
      return holds.at(projection.name, topic, partition);
    });

  const bringAlong = async (isStale: () => boolean): Promise<void> => {
    const positions = await patiently('holds', () =>
      readPositions(store, projection.name, projection.version),
    );
    for (const { topic, partition, next_offset } of positions) {
      if (!(begun.get(topic)?.has(partition) ?? false)) continue;
      const until = await heldAt(topic, partition);
      if (until === null || next_offset >= until) continue;
      for await (const batch of stretch(topic, partition, next_offset, until)) {
        if (signal.aborted || !(await storeBatch(deps, projection, { ...batch, isStale }, judgeInTurn)))
          return;
      }
    }
  };

  /** A stretch of one partition in batches that cover every offset of it. */
  async function* stretch(
    topic: string,
    partition: number,
    first: number,
    until: number,
  ): AsyncGenerator<Omit<MessageBatch, 'isStale'>> {
    const ends = await log.endOffsets(topic);
    // Nothing is read of the other partitions.
    const bound = (at: number): number[] => ends.map((_, each) => (each === partition ? at : 0));
    const from = bound(first);
    let next = first;
    const page_messages = options.batch_messages;
    for await (const messages of log.scan(topic, { from, until: bound(until), page_messages, signal })) {
      const end_offset = (messages.at(-1)?.offset ?? next - 1) + 1;
      yield { topic, partition, messages, first_offset: next, end_offset, high_watermark: until };
      next = end_offset;
    }
    // A twin may keep marks of its own behind the last message.
    if (next < until && !signal.aborted)
      yield { topic, partition, messages: [], first_offset: next, end_offset: until, high_watermark: until };
  }

  /** Waits while the batch, which begins at the hold, is held there; false once the partition is another's. */
  const waitAt = async ({ topic, partition, isStale }: MessageBatch, hold_at: number): Promise<boolean> => {
    deps.output.info(
      { projection: projection.name, version: projection.version, topic, partition, hold_at },
      'held',
    );
    await bringInTurn(() => bringAlong(isStale));
    for (;;) {
      // What is thrown after the signal is no error of the member's: this batch is not committed and comes again.
      signal.throwIfAborted();
      if (isStale()) return false;
      if ((await heldAt(topic, partition)) !== hold_at) return true;
      await pause(look_ms, signal);
    }
  };

  return {
    began: (topic, partition) => {
      begun.set(topic, (begun.get(topic) ?? new Set()).add(partition));
    },
    handle: async (batch) => {
      for (let rest = batch; ;) {
        const hold_at = await heldAt(rest.topic, rest.partition);
        // A hold that lies behind binds nobody: positions never go back.
        if (hold_at === null || hold_at < rest.first_offset || hold_at >= rest.end_offset) {
          await storeBatch(deps, projection, rest, judgeInTurn);
          return;
        }
        if (hold_at > rest.first_offset) {
          if (!(await storeBatch(deps, projection, upTo(rest, hold_at), judgeInTurn))) return;
          rest = beyond(rest, hold_at);
        }
        if (!(await waitAt(rest, hold_at))) return;
      }
    },
  };
}

function upTo(batch: MessageBatch, offset: number): MessageBatch {
  return { ...batch, messages: batch.messages.filter((each) => each.offset < offset), end_offset: offset };
}

function beyond(batch: MessageBatch, offset: number): MessageBatch {
  return { ...batch, messages: batch.messages.filter((each) => each.offset >= offset), first_offset: offset };
}
