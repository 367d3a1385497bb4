import type { Clock } from '../runtime/clock.ts';
import type { LogOutput } from '../runtime/log-output.ts';
import type { Codec } from '../log/codec.ts';
import type { EventLog, GroupMember, MessageBatch } from '../log/event-log.ts';
import type { Store } from '../store/store.ts';
import { judgeBatch } from './batch.ts';
import type { DeadLetters } from './dead-letters.ts';
import type { Patiently } from '../runtime/patience.ts';
import type { Projection } from './projection.ts';
import { claimTables, startOf } from './resume.ts';
import { stepsOf, type StepName } from './steps.ts';

export interface LoopDeps {
  log: EventLog;
  codec: Codec;
  store: Store;
  dead_letters: DeadLetters;
  clock: Clock;
  output: LogOutput;
  patiently: Patiently;
  /** Called after each step of a batch; tests stop the process here. */
  afterStep?: (step: StepName) => void | Promise<void>;
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
  options: { batch_messages: number; signal: AbortSignal },
): Promise<GroupMember[]> {
  for (const projection of projections) await deps.patiently('resume', () => claimTables(deps, projection));
  return Promise.all(
    projections.map((projection) => {
      const inTurn = createTurns();
      return deps.log.join({
        group: `projector.${nameOf(projection)}`,
        topics: projection.topics,
        batch_messages: options.batch_messages,
        batches_in_hand,
        signal: options.signal,
        startAt: (topic, partition) => begin(deps, projection, topic, partition),
        onBatch: (batch) => handle(deps, projection, batch, inTurn),
      });
    }),
  );
}

function nameOf({ name, version }: Projection): string {
  return `${name}.v${version}`;
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

/**
 * One batch of one partition: judged, its dead letters durable, then the four steps. A store that is away or busy is waited for with the
 * batch in hand. Once the partition may be another's nothing more is written: that member starts from the stored position and writes
 * the same. Batches of several partitions may be in hand: they are judged one after another, or all would be judged together, then all wait
 * for the store together.
 */
async function handle(
  deps: LoopDeps,
  projection: Projection,
  batch: MessageBatch,
  inTurn: Turns,
): Promise<void> {
  const judged = await inTurn(() => judgeBatch(deps, projection, batch));
  const whileOurs = (what: string, work: () => Promise<void>): Promise<boolean> =>
    deps.patiently(what, async () => {
      if (batch.isStale()) return false;
      await work();
      return true;
    });
  for (const { message, reason, error } of judged.dead) {
    const write = (): Promise<void> => deps.dead_letters.write(message, nameOf(projection), reason, error);
    if (!(await whileOurs('dead letter', write))) return;
  }
  const { topic, partition, first_offset, end_offset } = batch;
  const range = { topic, partition, first_offset, end_offset };
  const made = judged.changes.finish();
  for (const step of stepsOf(deps.store, projection, deps.log.id, range, made, deps.clock)) {
    if (!(await whileOurs(step.name, step.run))) return;
    await deps.afterStep?.(step.name);
  }
  const counts = {
    facts: judged.facts,
    dead: judged.dead.length,
    dropped: judged.dropped,
    settled: judged.settled,
  };
  deps.output.debug({ projection: nameOf(projection), ...range, ...counts }, 'batch stored');
}

type Turns = <T>(work: () => Promise<T>) => Promise<T>;

/** One piece of work at a time, in the order in which they came. */
function createTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
}
