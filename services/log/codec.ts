import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import avro from 'avsc';
import { HailmarkError } from '../runtime/errors.ts';
import { createRead, type Read } from './avro-read.ts';
import { createShapeCheck } from './avro-shape.ts';
import type { FactOfTopic } from './facts.ts';
import { createRegistryClient } from './schema-registry.ts';
import { topics, type TopicName } from './topics.ts';

/** Why bytes on a topic are no fact of it: stable reasons of dead letters. */
export const undecodableReasons = [
  'tombstone',
  'short',
  'foreign',
  'unknown-schema',
  'wrong-subject',
  'undecodable',
] as const;
export type UndecodableReason = (typeof undecodableReasons)[number];

export type Decoded<T> =
  { outcome: 'ok'; fact: T } | { outcome: 'dead'; reason: UndecodableReason; error: string };

export interface Codec {
  /** Registers every topic's schema under FULL_TRANSITIVE; encoding needs it, decoding does not. May be called again after a failure. */
  registerAll: () => Promise<void>;
  /** Bytes in the Confluent wire format. Throws `HAIL_INVALID_FACT` naming the fields that do not fit, never their values. */
  encode: <T extends TopicName>(topic: T, fact: FactOfTopic[T]) => Buffer;
  /** Tells facts from what is none; throws only while the registry is away. */
  decode: <T extends TopicName>(topic: T, value: Buffer | null) => Promise<Decoded<FactOfTopic[T]>>;
  /** `decode` without a promise, or null where the registry must be asked first: for loops over many messages. */
  decodeKnown: <T extends TopicName>(topic: T, value: Buffer | null) => Decoded<FactOfTopic[T]> | null;
}

const magic = 0;
const header_bytes = 5;
const max_writers = 1_000;
const committed_schemas = join(import.meta.dirname, '../../schemas/avro');

interface Reader {
  type: avro.Type;
  name: string;
  text: string;
}

type Dead = Extract<Decoded<never>, { outcome: 'dead' }>;

/** What is known of a writer's schema: how to read its bytes as ours, or why they cannot be. */
type Writer = { read: Read } | Dead;

/**
 * Facts to bytes and back: magic 0, the schema id as 32 bits big-endian, the Avro body. The registry's client registers and fetches;
 * writing is avsc, and so is reading where `avro-read.ts` leaves it to it, with one reader for each writer's schema, made once. The reader's
 * schema is always the committed one.
 */
export function createCodec(options: {
  registry_url: string;
  schemas_folder?: string;
  registry_timeout_ms?: number;
}): Codec {
  const registry = createRegistryClient(options.registry_url, options.registry_timeout_ms);
  const folder = options.schemas_folder ?? committed_schemas;
  const readers = new Map<string, Reader>(
    Object.values(topics).map(({ name }) => [name, readerOf(folder, name)]),
  );
  const own_ids = new Map<TopicName, number>();
  const writers = new Map<number, Map<TopicName, Writer>>();

  const readerFor = (topic: TopicName): Reader => {
    const reader = readers.get(topic);
    if (reader === undefined)
      throw new HailmarkError('HAIL_UNKNOWN_TOPIC', `No schema is known for ${topic}.`);
    return reader;
  };

  const learnWriter = async (topic: TopicName, id: number): Promise<Writer> => {
    const type = await registry.writer(id);
    // Not kept: an id that is unknown now can be a schema later, and a fact must not be taken for dead because of an earlier answer.
    if (type === 'unknown') return dead('unknown-schema', `the registry has no schema ${id}`);
    const writer =
      type === 'not-avro'
        ? dead('wrong-subject', `schema ${id} is not Avro`)
        : writerOf(readerFor(topic), id, type);
    const oldest = writers.size < max_writers ? undefined : writers.keys().next().value;
    if (oldest !== undefined) writers.delete(oldest);
    writers.set(id, (writers.get(id) ?? new Map<TopicName, Writer>()).set(topic, writer));
    return writer;
  };

  const decodeWith = <T extends TopicName>(
    topic: T,
    value: Buffer,
    writer: Writer,
  ): Decoded<FactOfTopic[T]> => {
    if ('outcome' in writer) return writer;
    try {
      return { outcome: 'ok', fact: writer.read(value, header_bytes) as FactOfTopic[T] };
    } catch (error) {
      return dead('undecodable', messageOf(error));
    }
  };

  const decodeKnown = <T extends TopicName>(
    topic: T,
    value: Buffer | null,
  ): Decoded<FactOfTopic[T]> | null => {
    const envelope = openEnvelope(value);
    if ('outcome' in envelope) return envelope;
    const writer = writers.get(envelope.id)?.get(topic);
    return writer === undefined ? null : decodeWith(topic, envelope.value, writer);
  };

  return {
    async registerAll() {
      for (const topic of Object.values(topics)) {
        own_ids.set(topic.name, await registry.register(topic.name, readerFor(topic.name).text));
      }
    },
    encode(topic, fact) {
      const id = own_ids.get(topic);
      if (id === undefined) {
        throw new HailmarkError('HAIL_NOT_STARTED', 'Schemas are registered before facts are written.');
      }
      const { type } = readerFor(topic);
      requireValid(topic, type, fact);
      const body = type.toBuffer(fact);
      const bytes = Buffer.allocUnsafe(header_bytes + body.length);
      bytes.writeUInt8(magic, 0);
      bytes.writeInt32BE(id, 1);
      body.copy(bytes, header_bytes);
      return bytes;
    },
    async decode(topic, value) {
      const known = decodeKnown(topic, value);
      if (known !== null) return known;
      const envelope = openEnvelope(value);
      if ('outcome' in envelope) return envelope;
      return decodeWith(topic, envelope.value, await learnWriter(topic, envelope.id));
    },
    decodeKnown,
  };
}

function readerOf(folder: string, topic: TopicName): Reader {
  const text = readFileSync(join(folder, `${topic}.avsc`), 'utf8');
  const type = avro.Type.forSchema(JSON.parse(text) as avro.Schema);
  if (type.name === undefined) throw new Error(`the schema of ${topic} is not a named record`);
  return { type, name: type.name, text };
}

function writerOf({ type: own, name }: Reader, id: number, type: avro.Type): Writer {
  if (type.name !== name)
    return dead('wrong-subject', `schema ${id} is ${type.name ?? 'no record'}, not ${name}`);
  try {
    return { read: createRead(type, own) ?? readInTwoPasses(type, own) };
  } catch (error) {
    return dead('undecodable', `schema ${id} cannot be read as ${name}: ${messageOf(error)}`);
  }
}

/** For writers whose schema differs from ours by more than fields with defaults. Throws where avsc finds no way from theirs to ours. */
function readInTwoPasses(type: avro.Type, own: avro.Type): Read {
  const resolver = own.createResolver(type);
  const check = createShapeCheck(type);
  return (bytes, from) => {
    const body = bytes.subarray(from);
    check(body);
    return own.fromBuffer(body, resolver) as unknown;
  };
}

/** The parts of the wire format's envelope, or why there are none. */
function openEnvelope(value: Buffer | null): { id: number; value: Buffer } | Dead {
  if (value === null) return dead('tombstone', 'the message has no value');
  const first = value[0];
  if (first !== undefined && first !== magic)
    return dead('foreign', `the first byte is ${first}, not the wire format's 0`);
  if (value.length <= header_bytes) return dead('short', `${value.length} bytes are too few for a fact`);
  return { id: value.readInt32BE(1), value };
}

/** Fields that do not fit, that the schema does not have, and numbers that are none: all would be lost or changed on the way. */
function requireValid(topic: TopicName, type: avro.Type, fact: unknown): void {
  const wrong = new Set<string>();
  type.isValid(fact, {
    noUndeclaredFields: true,
    errorHook: (path, value: unknown, expected) => {
      // Of fields that the schema lacks avsc names the record only.
      const undeclared = undeclaredFields(value, expected);
      for (const name of undeclared) wrong.add([...path, name].join('.'));
      if (undeclared.length === 0) wrong.add(path.join('.'));
    },
  });
  collectNotFinite(fact, [], wrong);
  if (wrong.size === 0) return;
  const where = [...wrong].map((path) => (path === '' ? 'its whole' : path)).join(', ');
  throw new HailmarkError('HAIL_INVALID_FACT', `A fact of ${topic} does not fit its schema at ${where}.`);
}

function undeclaredFields(value: unknown, expected: avro.Type): string[] {
  if (!(expected instanceof avro.types.RecordType) || typeof value !== 'object' || value === null) return [];
  const declared = new Set(expected.fields.map(({ name }) => name));
  return Object.keys(value).filter((name) => !declared.has(name));
}

function collectNotFinite(value: unknown, path: readonly string[], wrong: Set<string>): void {
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) wrong.add(path.join('.'));
  } else if (typeof value === 'object' && value !== null && !Buffer.isBuffer(value)) {
    for (const [name, inner] of Object.entries(value)) collectNotFinite(inner, [...path, name], wrong);
  }
}

function dead(reason: UndecodableReason, error: string): Dead {
  return { outcome: 'dead', reason, error };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
