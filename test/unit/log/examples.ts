import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TopicName } from '../../../services/log/topics.ts';

export const schemas_folder = join(import.meta.dirname, '../../../schemas/avro');

export interface Example {
  name: string;
  content: unknown;
}

/** The committed examples of a topic. Bytes stand in them as JSON writes a Buffer. */
export function examples(topic: TopicName, kind: 'valid' | 'invalid'): Example[] {
  const folder = join(schemas_folder, 'examples', topic, kind);
  return readdirSync(folder).map((name) => ({
    name,
    content: JSON.parse(readFileSync(join(folder, name), 'utf8'), revive) as unknown,
  }));
}

function revive(_: string, value: unknown): unknown {
  const is_bytes =
    typeof value === 'object' &&
    value !== null &&
    'type' in value &&
    value.type === 'Buffer' &&
    'data' in value;
  return is_bytes ? Buffer.from(value.data as number[]) : value;
}
