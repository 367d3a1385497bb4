import type { GroupMember } from '../log/event-log.ts';
import { createHandler } from './held.ts';
import { nameOf, type Projection } from './projection.ts';
import { claimTables, startOf } from './resume.ts';
import type { BatchDeps } from './store-batch.ts';

export type LoopDeps = BatchDeps;

export interface LoopOptions {
  batch_messages: number;
  signal: AbortSignal;
  /** How long a hold whose beat stands still is honoured. */
  hold_lease_ms?: number;
}

/** While one batch is being stored the next is judged. More would only hold memory: judging is one thread's work. */
const batches_in_hand = 2;

/**
 * Runs projections, each the only writer of its tables and a group of its own. All tables are held against the log before any is written
 * to. The members returned run until they are told to leave, the signal aborts, or an error that does not pass ends them.
 */
export async function runProjections(
  deps: LoopDeps,
  projections: readonly Projection[],
  options: LoopOptions,
): Promise<GroupMember[]> {
  for (const projection of projections) await deps.patiently('resume', () => claimTables(deps, projection));
  return Promise.all(projections.map((projection) => runProjection(deps, projection, options)));
}

/** Runs one projection, whose tables have been claimed. */
export function runProjection(
  deps: LoopDeps,
  projection: Projection,
  options: LoopOptions,
): Promise<GroupMember> {
  const handler = createHandler(deps, projection, options);
  const name = nameOf(projection);
  return deps.log.join({
    group: `projector.${name}`,
    topics: projection.topics,
    batch_messages: options.batch_messages,
    batches_in_hand,
    signal: options.signal,
    startAt: (topic, partition) => {
      handler.began(topic, partition);
      return begin(deps, projection, topic, partition);
    },
    onBatch: handler.handle,
    onAway: (error) => {
      deps.observer?.logAway(name, error);
      deps.output.warn({ err: error, projection: name }, 'waiting for the log');
    },
    onTurn: () => deps.observer?.turned(name),
  });
}

/** Letters first: whoever held the partition before may have written some that this process has not seen. */
async function begin(
  deps: LoopDeps,
  projection: Projection,
  topic: string,
  partition: number,
): Promise<number> {
  await deps.patiently('dead letters', deps.dead_letters.catchUp);
  return deps.patiently('resume', () => startOf(deps, projection, topic, partition));
}
