import type { Clock } from '../runtime/clock.ts';
import type { LogOutput } from '../runtime/log-output.ts';
import type { Patiently } from '../runtime/patience.ts';
import type { Codec } from '../log/codec.ts';
import type { EventLog, MessageBatch } from '../log/event-log.ts';
import type { TopicName } from '../log/topics.ts';
import type { Store } from '../store/store.ts';
import { judgeBatch } from './batch.ts';
import type { DeadLetters } from './dead-letters.ts';
import type { ProjectorObserver } from './observer.ts';
import { nameOf, type Projection } from './projection.ts';
import { stepsOf, type StepName } from './steps.ts';

export interface BatchDeps {
  log: EventLog;
  codec: Codec;
  store: Store;
  dead_letters: DeadLetters;
  clock: Clock;
  output: LogOutput;
  patiently: Patiently;
  /** Called after each step of a batch with the name of the version; tests stop the process here. */
  afterStep?: (step: StepName, version: string) => void | Promise<void>;
  observer?: ProjectorObserver;
}

/**
 * A batch as the log cut it, stored as one or, where the projection wants smaller ones, in order as several. False once the partition is
 * another's.
 */
export async function storeBatch(
  deps: BatchDeps,
  projection: Projection,
  batch: MessageBatch,
  inTurn: Turns,
): Promise<boolean> {
  const most_bytes = projection.largest_batch_bytes?.[batch.topic as TopicName] ?? Infinity;
  for (const piece of piecesOf(batch, most_bytes)) {
    if (!(await storePiece(deps, projection, piece, inTurn))) return false;
  }
  return true;
}

/** Stretches of a batch that cover every offset of it; each ends past so many bytes of values. */
function* piecesOf(batch: MessageBatch, most_bytes: number): Generator<MessageBatch> {
  let { first_offset } = batch;
  let [from, bytes] = [0, 0];
  for (const [at, { offset, value }] of batch.messages.entries()) {
    bytes += value?.length ?? 0;
    if (bytes < most_bytes || at === batch.messages.length - 1) continue;
    const end_offset = offset + 1;
    yield { ...batch, messages: batch.messages.slice(from, at + 1), first_offset, end_offset };
    [first_offset, from, bytes] = [end_offset, at + 1, 0];
  }
  yield from === 0 ? batch : { ...batch, messages: batch.messages.slice(from), first_offset };
}

/**
 * One batch of one partition: judged, its dead letters durable, then the four steps. A store that is away or busy is waited for with the
 * batch in hand. Once the partition may be another's nothing more is written, and the answer is false: that member starts from the
 * stored position and writes the same. Batches of several partitions may be in hand: they are judged one after another, or all would be
 * judged together, then all wait for the store together.
 */
async function storePiece(
  deps: BatchDeps,
  projection: Projection,
  batch: MessageBatch,
  inTurn: Turns,
): Promise<boolean> {
  const began_ms = performance.now();
  const name = nameOf(projection);
  const judged = await inTurn(() => judgeBatch(deps, projection, batch));
  const whileOurs = (what: string, work: () => Promise<void>): Promise<boolean> =>
    deps.patiently(what, async () => {
      deps.observer?.ticked(name);
      if (batch.isStale()) return false;
      await work();
      return true;
    });
  // Another process may have met the same messages: one letter says it.
  if (judged.dead.length > 0 && !(await whileOurs('dead letters', deps.dead_letters.catchUp))) return false;
  for (const { message, reason, error } of judged.dead) {
    const write = (): Promise<void> => deps.dead_letters.write(message, name, reason, error);
    if (!(await whileOurs('dead letter', write))) return false;
  }
  const { topic, partition, first_offset, end_offset } = batch;
  const range = { topic, partition, first_offset, end_offset };
  const made = judged.changes.finish();
  for (const step of stepsOf(deps.store, projection, deps.log.id, range, made, deps.clock)) {
    if (!(await whileOurs(step.name, step.run))) return false;
    await deps.afterStep?.(step.name, name);
  }
  const { messages } = batch;
  deps.observer?.stored({ projection: name, topic, messages, span_ms: performance.now() - began_ms });
  const counts = {
    facts: judged.facts,
    dead: judged.dead.length,
    dropped: judged.dropped,
    settled: judged.settled,
  };
  deps.output.debug({ projection: name, ...range, ...counts }, 'batch stored');
  return true;
}

export type Turns = <T>(work: () => Promise<T>) => Promise<T>;

/** One piece of work at a time, in the order in which they came. */
export function createTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
}
