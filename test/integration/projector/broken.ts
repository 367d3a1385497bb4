import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import avro from 'avsc';
import type { ObservationFact } from '../../../services/hail/observation.ts';
import type { Codec } from '../../../services/log/codec.ts';
import { topics } from '../../../services/log/topics.ts';
import { poll } from '../../unit/projector/polls.ts';

const observation = topics.observation.name;

/** The seven ways in which a message can be none, by the reason of its letter. */
export const ways = [
  'tombstone',
  'short',
  'foreign',
  'unknown-schema',
  'wrong-subject',
  'undecodable',
  'invalid-fact',
] as const;

export type Way = (typeof ways)[number];

/** A later version of the observation's schema, which a writer used before it was registered. */
export interface EarlyWriter {
  /** The id that the registry gives next; it counts them in sequence. */
  id: number;
  encode: (fact: ObservationFact) => Buffer;
  /** The repair: the schema is registered, and gets that id. */
  register: () => Promise<number>;
}

export async function earlyWriter(registry_url: string): Promise<EarlyWriter> {
  const path = join(import.meta.dirname, '../../../schemas/avro', `${observation}.avsc`);
  const schema = JSON.parse(readFileSync(path, 'utf8')) as avro.schema.RecordType;
  schema.fields.push({ name: 'observer_note', type: 'string', default: '' });
  const type = avro.Type.forSchema(structuredClone(schema));
  const used = Object.values(topics).map(async ({ name }) => {
    const latest = await fetch(`${registry_url}/subjects/${name}-value/versions/latest`);
    return ((await latest.json()) as { id: number }).id;
  });
  const id = Math.max(...(await Promise.all(used))) + 1;
  return {
    id,
    encode: (fact) => {
      const header = Buffer.alloc(5);
      header.writeInt32BE(id, 1);
      return Buffer.concat([header, type.toBuffer({ ...fact, observer_note: 'from the road' })]);
    },
    register: async () => {
      const response = await fetch(`${registry_url}/subjects/${observation}-value/versions`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/vnd.schemaregistry.v1+json' },
        body: JSON.stringify({ schema: JSON.stringify(schema) }),
      });
      return ((await response.json()) as { id: number }).id;
    },
  };
}

/** The fact's bytes, broken in one way. */
export function broken(way: Way, fact: ObservationFact, codec: Codec, early: EarlyWriter): Buffer | null {
  const whole = codec.encode(observation, fact);
  switch (way) {
    case 'tombstone':
      return null;
    case 'short':
      return whole.subarray(0, 4);
    case 'foreign':
      return Buffer.from(JSON.stringify(fact));
    case 'unknown-schema':
      return early.encode(fact);
    case 'wrong-subject':
      return codec.encode(topics.feed_poll.name, poll());
    case 'undecodable':
      return whole.subarray(0, whole.length - 9);
    case 'invalid-fact':
      return codec.encode(observation, { ...fact, size_in: -1 });
  }
}
