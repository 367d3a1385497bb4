import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { COMPATIBILITY, SchemaRegistry, SchemaType } from '@kafkajs/confluent-schema-registry';
import avro from 'avsc';
import { HailmarkError } from '../runtime/errors.ts';
import type { FactOfTopic } from './facts.ts';
import { topics, type TopicName } from './topics.ts';

/** Why bytes on a topic are no fact of it: stable reasons of dead letters. */
export type UndecodableReason =
  'tombstone' | 'short' | 'foreign' | 'unknown-schema' | 'wrong-subject' | 'undecodable';

export type Decoded<T> =
  { outcome: 'ok'; fact: T } | { outcome: 'dead'; reason: UndecodableReason; error: string };

export interface Codec {
  /** Registers every topic's schema under FULL_TRANSITIVE; encoding needs it, decoding does not. */
  registerAll: () => Promise<void>;
  /** Bytes in the Confluent wire format. Throws `HAIL_INVALID_FACT` naming the field, never its value. */
  encode: <T extends TopicName>(topic: T, fact: FactOfTopic[T]) => Buffer;
  /** Tells facts from what is none; throws only while the registry is away. */
  decode: <T extends TopicName>(topic: T, value: Buffer | null) => Promise<Decoded<FactOfTopic[T]>>;
}

const magic = 0;
const header_bytes = 5;
const schema_folder = join(import.meta.dirname, '../../schemas/avro');

interface Reader {
  type: avro.Type;
  name: string;
  text: string;
}

/** What is known of a writer's schema: how to read it as ours, or why it cannot be. */
type Writer = { resolver: avro.Resolver | null } | { reason: UndecodableReason; error: string };

/**
 * Facts to bytes and back: magic 0, the schema id as 32 bits big-endian, the Avro body. The registry's client registers and fetches;
 * reading and writing is avsc, with one resolver for each writer's schema, made once.
 */
export function createCodec(options: { registry_url: string }): Codec {
  const registry = new SchemaRegistry({ host: options.registry_url, retry: { retries: 2 } });
  const readers = new Map<TopicName, Reader>(Object.values(topics).map(({ name }) => [name, readerOf(name)]));
  const own_ids = new Map<TopicName, number>();
  const writers = new Map<string, Writer>();

  const reader = (topic: TopicName): Reader => {
    const found = readers.get(topic);
    if (found === undefined)
      throw new HailmarkError('HAIL_UNKNOWN_TOPIC', `No schema is known for ${topic}.`);
    return found;
  };

  const learnWriter = async (topic: TopicName, id: number): Promise<Writer> => {
    const own = reader(topic);
    let schema: unknown;
    try {
      schema = await registry.getSchema(id);
    } catch (error) {
      // An id the registry does not know is the message's fault; a registry that does not answer is nobody's, and passes.
      if (statusOf(error) === 404)
        return { reason: 'unknown-schema', error: `the registry has no schema ${id}` };
      throw unavailable(error);
    }
    try {
      const type = avro.Type.forSchema((schema as avro.Type).schema({ exportAttrs: true }));
      if (type.name !== own.name) {
        return {
          reason: 'wrong-subject',
          error: `schema ${id} is ${type.name ?? 'no record'}, not ${own.name}`,
        };
      }
      return { resolver: own.type.createResolver(type) };
    } catch (error) {
      return {
        reason: 'undecodable',
        error: `schema ${id} cannot be read as ${own.name}: ${messageOf(error)}`,
      };
    }
  };

  return {
    async registerAll() {
      for (const [topic, { text }] of readers) {
        try {
          const { id } = await registry.register(
            { type: SchemaType.AVRO, schema: text },
            { subject: `${topic}-value`, compatibility: COMPATIBILITY.FULL_TRANSITIVE },
          );
          own_ids.set(topic, id);
        } catch (error) {
          const status = statusOf(error);
          if (status === 409 || status === 422) {
            throw new HailmarkError(
              'HAIL_SCHEMA_CHANGED',
              `The registry refuses the schema of ${topic} as incompatible with the versions it has: a fact's schema may only ` +
                'gain or lose fields with defaults.',
              { cause: error },
            );
          }
          throw unavailable(error);
        }
      }
    },
    encode(topic, fact) {
      const id = own_ids.get(topic);
      if (id === undefined)
        throw new HailmarkError('HAIL_NOT_STARTED', 'Schemas are registered before facts are written.');
      const { type } = reader(topic);
      const wrong: string[] = [];
      if (!type.isValid(fact, { errorHook: (path) => void wrong.push(path.join('.')) })) {
        throw new HailmarkError(
          'HAIL_INVALID_FACT',
          `A fact of ${topic} does not fit its schema at ${wrong.join(', ')}.`,
        );
      }
      const prefix = Buffer.alloc(header_bytes);
      prefix.writeUInt8(magic, 0);
      prefix.writeInt32BE(id, 1);
      return Buffer.concat([prefix, type.toBuffer(fact)]);
    },
    async decode(topic, value) {
      if (value === null) return { outcome: 'dead', reason: 'tombstone', error: 'the message has no value' };
      if (value.length > 0 && value.readUInt8(0) !== magic) {
        return {
          outcome: 'dead',
          reason: 'foreign',
          error: `the first byte is ${value.readUInt8(0)}, not the wire format's 0`,
        };
      }
      if (value.length <= header_bytes) {
        return { outcome: 'dead', reason: 'short', error: `${value.length} bytes are too few for a fact` };
      }
      const id = value.readInt32BE(1);
      const name = `${topic}/${id}`;
      let writer = writers.get(name);
      if (writer === undefined) {
        writer = await learnWriter(topic, id);
        // An unknown id may be registered later, so it is asked for again; the number of known ones is the registry's to bound.
        if (!('reason' in writer) || writer.reason !== 'unknown-schema') writers.set(name, writer);
      }
      if ('reason' in writer) return { outcome: 'dead', reason: writer.reason, error: writer.error };
      try {
        const fact: unknown = reader(topic).type.fromBuffer(
          value.subarray(header_bytes),
          writer.resolver ?? undefined,
        );
        return { outcome: 'ok', fact: fact as never };
      } catch (error) {
        return { outcome: 'dead', reason: 'undecodable', error: messageOf(error) };
      }
    },
  };
}

function readerOf(topic: TopicName): Reader {
  const text = readFileSync(join(schema_folder, `${topic}.avsc`), 'utf8');
  const type = avro.Type.forSchema(JSON.parse(text) as avro.Schema);
  return { type, name: type.name ?? topic, text };
}

function unavailable(cause: unknown): HailmarkError {
  return new HailmarkError('HAIL_REGISTRY_UNAVAILABLE', 'The schema registry does not answer.', { cause });
}

function statusOf(error: unknown): number | null {
  return error instanceof Error && 'status' in error && typeof error.status === 'number'
    ? error.status
    : null;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
