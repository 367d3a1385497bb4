import { pause, type Clock } from '../runtime/clock.ts';
import { HailmarkError, isTransient } from '../runtime/errors.ts';
import type { LogOutput } from '../runtime/log-output.ts';
import type { Codec } from '../log/codec.ts';
import type { EventLog, GroupMember, MessageBatch } from '../log/event-log.ts';
import type { TopicName } from '../log/topics.ts';
import { readPositions } from '../store/positions.ts';
import type { Store } from '../store/store.ts';
import type { DeadLetters } from './dead-letters.ts';
import type { Projection } from './projection.ts';
import { stepsOf, type StepName } from './steps.ts';

/** A batch this large of which more than half is dead is a schema incident: going on would bury a topic in dead letters. */
const breaker = { share: 0.5, messages: 20 };
const first_wait_ms = 100;
const longest_wait_ms = 5_000;

export interface LoopDeps {
  log: EventLog;
  codec: Codec;
  store: Store;
  dead_letters: DeadLetters;
  clock: Clock;
  output: LogOutput;
  /** Called after each step of a batch; tests stop the process here. */
  afterStep?: (step: StepName) => void | Promise<void>;
}

/**
 * Runs one projection: the only writer of its tables. It resumes from the positions in the store, never from the group's commit. A batch is
 * decoded and validated (which alone may send a message to the dead letters) and then written in four steps; a store that is away or busy
 * is waited for with the same batch in hand.
 */
export async function runProjection(
  deps: LoopDeps,
  projection: Projection,
  options: { batch_messages: number; signal: AbortSignal },
): Promise<GroupMember> {
  const name = `${projection.name}.v${projection.version}`;
  const patiently = <T>(what: string, work: () => Promise<T>): Promise<T> =>
    retry(work, options.signal, (error, wait_ms) =>
      deps.output.warn({ err: error, what, wait_ms, projection: name }, 'waiting'),
    );

  const handle = async (batch: MessageBatch): Promise<void> => {
    const changes: unknown[] = [];
    let dead = 0;
    for (const message of batch.messages) {
      if (deps.dead_letters.has(message)) continue;
      const topic = message.topic as TopicName;
      const decoded = await patiently('decode', () => deps.codec.decode(topic, message.value));
      const outcome =
        decoded.outcome === 'ok' ? projection.project(topic, decoded.fact, message.key, message) : decoded;
      if (outcome.outcome === 'ok') changes.push(outcome.change);
      if (outcome.outcome !== 'dead') continue;
      dead += 1;
      if (dead > breaker.messages && dead > batch.messages.length * breaker.share)
        throw incident(batch, outcome.reason);
      await patiently('dead letter', () =>
        deps.dead_letters.write(message, name, outcome.reason, outcome.error),
      );
    }
    const { topic, partition, first_offset, end_offset } = batch;
    const range = { topic, partition, first_offset, end_offset };
    for (const step of stepsOf(
      deps.store,
      projection,
      deps.log.id,
      range,
      projection.batch(changes),
      deps.clock,
    )) {
      // Another member may have this partition by now; what it writes is the same, but the position is no longer ours to move.
      if (batch.isStale()) return;
      await patiently(step.name, step.run);
      await deps.afterStep?.(step.name);
    }
    deps.output.debug({ projection: name, ...range, rows: changes.length, dead }, 'batch stored');
  };

  return deps.log.join({
    group: `projector.${name}`,
    topics: projection.topics,
    batch_messages: options.batch_messages,
    signal: options.signal,
    startAt: (topic, partition) => patiently('resume', () => startOf(deps, projection, topic, partition)),
    onBatch: handle,
  });
}

/** The stored position of a partition, 0 where there is none. Positions of another log, or beyond this one's end, fit no message. */
async function startOf(
  deps: LoopDeps,
  projection: Projection,
  topic: string,
  partition: number,
): Promise<number> {
  const positions = (await readPositions(deps.store, projection.name, projection.version)).filter(
    (position) => position.topic === topic && position.partition === partition,
  );
  const own = positions.find(({ log_id }) => log_id === deps.log.id);
  const end = (await deps.log.endOffsets(topic))[partition] ?? 0;
  if (positions.some(({ log_id }) => log_id !== deps.log.id) || (own?.next_offset ?? 0) > end) {
    throw new HailmarkError(
      'HAIL_OTHER_LOG',
      `The store's positions of ${projection.name} belong to another log than the one at hand: bring back that log, or rebuild the ` +
        'views from this one (stop the service, remove the clickhouse folder below the data folder, start again).',
    );
  }
  return own?.next_offset ?? 0;
}

function incident(batch: MessageBatch, reason: string): HailmarkError {
  return new HailmarkError(
    'HAIL_SCHEMA_INCIDENT',
    `Most messages of ${batch.topic}, partition ${batch.partition}, offsets ${batch.first_offset} to ${batch.end_offset - 1} are no ` +
      `valid facts (last reason: ${reason}). This is a schema incident, not a few bad messages: mend the writer or the schema, then start ` +
      'the projector again.',
  );
}

/** Tries until it works or the signal aborts; only what is transient is tried again. */
async function retry<T>(
  work: () => Promise<T>,
  signal: AbortSignal,
  onWait: (error: unknown, wait_ms: number) => void,
): Promise<T> {
  let wait_ms = first_wait_ms;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isTransient(error) || signal.aborted) throw error;
      onWait(error, wait_ms);
      await pause(wait_ms, signal);
      wait_ms = Math.min(longest_wait_ms, wait_ms * 2);
    }
  }
}
