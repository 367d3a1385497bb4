import type { Kafka, Message, Producer, RecordMetadata } from 'kafkajs';
import { HailmarkError } from '../../runtime/errors.ts';
import { max_append_messages, type Appended, type NewMessage, type TopicSpec } from '../event-log.ts';
import { partitionOf } from '../partition.ts';
import { guarded } from './failures.ts';

const all_replicas = -1;

/** Appends through one producer, one call after another, in the order of the calls. */
export interface Appender {
  append: (spec: TopicSpec, messages: readonly NewMessage[]) => Promise<Appended[]>;
  close: () => Promise<void>;
}

/** Sends within what a producer counts as one unit. */
type Send = (topic: string, messages: Message[]) => Promise<RecordMetadata[]>;

/**
 * An appender of the process's own messages. Its producer is idempotent, so a send that the client repeats stands once; after a failure it
 * is thrown away: kafkajs would give the next batch the numbers of the one whose fate is unknown, and the broker might take it for that one.
 */
export function createAppender(kafka: Kafka): Appender {
  return appenderOf(
    () => kafka.producer({ idempotent: true, maxInFlightRequests: 1, retry: { retries: 4 } }),
    async (producer, work) =>
      work(async (topic, messages) => producer.send({ topic, messages, acks: all_replicas })),
  );
}

/**
 * An appender under a transactional id: everything of one call or nothing, and nothing at all once another process has begun with the same
 * id (`HAIL_OWNERSHIP_LOST`).
 */
export function createOwnedAppender(kafka: Kafka, transactional_id: string): Appender {
  return appenderOf(
    () =>
      kafka.producer({
        transactionalId: transactional_id,
        idempotent: true,
        maxInFlightRequests: 1,
        // A killed owner's open transaction holds its readers up for so long, unless the next owner comes first.
        transactionTimeout: 15_000,
        retry: { retries: 4 },
      }),
    async (producer, work) => {
      const transaction = await producer.transaction();
      try {
        const result = await work(async (topic, messages) =>
          transaction.send({ topic, messages, acks: all_replicas }),
        );
        await transaction.commit();
        return result;
      } catch (error) {
        // The first error says why; what cannot be given up now is given up by the next owner's beginning, or times out.
        if (transaction.isActive()) await transaction.abort().catch(() => undefined);
        throw error;
      }
    },
  );
}

function appenderOf(
  makeProducer: () => Producer,
  unit: <T>(producer: Producer, work: (send: Send) => Promise<T>) => Promise<T>,
): Appender {
  let producer: Producer | null = null;
  let turn: Promise<unknown> = Promise.resolve();

  const drop = async (): Promise<void> => {
    const dropped = producer;
    producer = null;
    await dropped?.disconnect().catch(() => undefined);
  };
  const appendNow = async (spec: TopicSpec, messages: readonly NewMessage[]): Promise<Appended[]> => {
    try {
      return await guarded(async () => {
        if (producer === null) {
          const made = makeProducer();
          await made.connect();
          producer = made;
        }
        return unit(producer, async (send) => {
          const appended: Appended[] = [];
          for (const chunk of chunksOf(spec, messages))
            appended.push(...(await sendChunk(send, spec, chunk)));
          return appended;
        });
      });
    } catch (error) {
      await drop();
      throw error;
    }
  };
  return {
    append: (spec, messages) => {
      const refusal = refusalOf(spec, messages);
      if (refusal !== null) return Promise.reject(refusal);
      if (messages.length === 0) return Promise.resolve([]);
      const result = turn.then(() => appendNow(spec, messages));
      turn = result.catch(() => undefined);
      return result;
    },
    close: async () => {
      await turn;
      await drop();
    },
  };
}

async function sendChunk(send: Send, spec: TopicSpec, chunk: readonly NewMessage[]): Promise<Appended[]> {
  const partitions = chunk.map(({ key }) => partitionOf(key, spec.partitions));
  const sent = await send(
    spec.name,
    chunk.map(({ key, value, headers }, index): Message => ({
      key: Buffer.from(key, 'utf8'),
      value,
      partition: partitions[index] ?? 0,
      ...(headers === undefined ? {} : { headers: { ...headers } }),
    })),
  );
  const next = new Map(
    sent.map(({ partition, baseOffset }) => [partition, Number(baseOffset ?? Number.NaN)]),
  );
  return partitions.map((partition) => {
    const offset = next.get(partition);
    if (offset === undefined || !Number.isSafeInteger(offset) || offset < 0) {
      // The broker knew the batch already and has forgotten where: the append stands, its place is unknown.
      throw new HailmarkError('HAIL_LOG_UNAVAILABLE', `Kafka did not say where in ${spec.name} it appended.`);
    }
    next.set(partition, offset + 1);
    return { partition, offset };
  });
}

function refusalOf(spec: TopicSpec, messages: readonly NewMessage[]): Error | null {
  if (messages.length > max_append_messages) {
    return new RangeError(
      `an append takes at most ${max_append_messages} messages, this one has ${messages.length}`,
    );
  }
  const size = Math.max(0, ...messages.map(sizeOf));
  if (size <= spec.max_message_bytes) return null;
  return new HailmarkError(
    'HAIL_MESSAGE_TOO_LARGE',
    `A message of ${size} bytes is over the limit of ${spec.max_message_bytes} bytes of ${spec.name}.`,
  );
}

/** The broker's limit is on the batch that a partition gets in one send, so a large append is several sends. */
function* chunksOf(spec: TopicSpec, messages: readonly NewMessage[]): Generator<NewMessage[]> {
  let chunk: NewMessage[] = [];
  let bytes = 0;
  for (const message of messages) {
    // What a record has around its key and value is at most this.
    const size = sizeOf(message) + headerBytes(message) + 40;
    if (chunk.length > 0 && bytes + size > spec.max_message_bytes) {
      yield chunk;
      chunk = [];
      bytes = 0;
    }
    chunk.push(message);
    bytes += size;
  }
  if (chunk.length > 0) yield chunk;
}

function sizeOf({ key, value }: NewMessage): number {
  return Buffer.byteLength(key) + (value?.byteLength ?? 0);
}

function headerBytes({ headers }: NewMessage): number {
  return Object.entries(headers ?? {}).reduce(
    (sum, [name, value]) => sum + Buffer.byteLength(name) + Buffer.byteLength(value) + 10,
    0,
  );
}
