import { setImmediate as eventLoopTurn } from 'node:timers/promises';
import { HailmarkError } from '../runtime/errors.ts';
import type { Codec } from '../log/codec.ts';
import type { MessageBatch, StoredMessage } from '../log/event-log.ts';
import { topics, type TopicName } from '../log/topics.ts';
import type { DeadLetters } from './dead-letters.ts';
import type { Patiently } from '../runtime/patience.ts';
import { collectorOf, type Collector, type Projection } from './projection.ts';

/** Of a batch this large more than this share dead is a schema incident: going on would bury a topic in dead letters. */
const breaker = { messages: 20, share: 0.5 };

/** So many messages are judged in a few milliseconds. */
const turn_messages = 1_000;

export interface DeadMessage {
  message: StoredMessage;
  reason: string;
  error: string;
}

/** A batch, decoded and judged. Nothing has been written yet. */
export interface JudgedBatch {
  /** Takes the changes as they are made; its rows are those of the batch. */
  changes: Collector<unknown>;
  facts: number;
  dead: DeadMessage[];
  /** Valid facts that this projection has no use for. */
  dropped: number;
  /** Messages that have a dead letter already. */
  settled: number;
}

/**
 * Decodes and validates a batch: the only place where a message can turn out dead. Throws `HAIL_SCHEMA_INCIDENT` when most of the batch
 * does, before a single letter is written.
 */
export async function judgeBatch(
  deps: { codec: Codec; dead_letters: DeadLetters; patiently: Patiently },
  projection: Projection,
  batch: MessageBatch,
): Promise<JudgedBatch> {
  const judged: JudgedBatch = {
    changes: collectorOf(projection),
    facts: 0,
    dead: [],
    dropped: 0,
    settled: 0,
  };
  const topic = batch.topic as TopicName;
  let until_turn = turn_messages;
  for (const message of batch.messages) {
    // What other batches wait for, answers of the store above all, gets its turn meanwhile.
    if (--until_turn === 0) {
      await eventLoopTurn();
      until_turn = turn_messages;
    }
    if (deps.dead_letters.has(message)) {
      judged.settled += 1;
      continue;
    }
    // A promise for each message would cost as much as its decoding; only the first of a schema has to wait for the registry.
    const decoded =
      deps.codec.decodeKnown(topic, message.value) ??
      (await deps.patiently('decode', () => deps.codec.decode(topic, message.value)));
    const outcome =
      decoded.outcome === 'ok' ? projection.project(topic, decoded.fact, message.key, message) : decoded;
    if (outcome.outcome === 'ok') {
      judged.changes.add(outcome.change);
      judged.facts += 1;
    } else if (outcome.outcome === 'drop') judged.dropped += 1;
    // A letter that cannot be read gets none: that would carry its bytes once more, past what a message may hold. Whoever reads letters to
    // know them, this process too, has said so in its output.
    else if (topic === topics.dead_letter.name) judged.dropped += 1;
    else judged.dead.push({ message, reason: outcome.reason, error: outcome.error });
  }
  const messages = batch.messages.length;
  if (messages >= breaker.messages && judged.dead.length > messages * breaker.share)
    throw incident(batch, judged.dead);
  return judged;
}

function incident(batch: MessageBatch, dead: readonly DeadMessage[]): HailmarkError {
  const { topic, partition, first_offset, end_offset, messages } = batch;
  const reasons = [...new Set(dead.map(({ reason }) => reason))].join(', ');
  return new HailmarkError(
    'HAIL_SCHEMA_INCIDENT',
    `${dead.length} of ${messages.length} messages of ${topic}, partition ${partition}, offsets ${first_offset} to ${end_offset - 1}, are no ` +
      `valid facts (${reasons}). This is a schema incident, not a few bad messages: nothing was written. Mend the writer or the schema and ` +
      'start the projector again; or, to send them all to the dead letters, start it once with ' +
      `PROJECTOR_BATCH_MESSAGES=${breaker.messages - 1}.`,
  );
}
