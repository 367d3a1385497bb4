import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TopicName } from '../../services/log/topics.ts';

/** A field of a record schema as its JSON has it. */
export interface FieldJson {
  name: string;
  type: unknown;
  default?: unknown;
  aliases?: string[];
}

export interface SchemaFolder {
  folder: string;
  /** Changes the fields of a topic's working file. */
  editFields: (topic: TopicName, edit: (fields: FieldJson[]) => FieldJson[]) => void;
  /** Changes a file's text, whatever file it is. */
  edit: (path: string, edit: (text: string) => string) => void;
  stop: () => void;
}

/** A copy of the schemas' folder, to be changed at will, outside of any repository. */
export function copySchemas(): SchemaFolder {
  const folder = mkdtempSync(join(tmpdir(), 'hailmark-schemas-'));
  cpSync(join(import.meta.dirname, '../../schemas/avro'), folder, { recursive: true });
  const edit: SchemaFolder['edit'] = (path, change) => {
    const full = join(folder, path);
    writeFileSync(full, change(readFileSync(full, 'utf8')));
  };
  return {
    folder,
    edit,
    editFields: (topic, change) =>
      edit(`${topic}.avsc`, (text) => {
        const record = JSON.parse(text) as { fields: FieldJson[] };
        return JSON.stringify({ ...record, fields: change(record.fields) }, null, 2);
      }),
    stop: () => rmSync(folder, { recursive: true, force: true }),
  };
}
