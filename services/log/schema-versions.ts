import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import avro from 'avsc';
import type { ReleasedFiles } from './released-files.ts';
import { exampleBreaks, parseExample, type SchemaExample } from './schema-examples.ts';
import { schemaBreaks, type LabelledSchema } from './schema-rules.ts';

/** One schema with its examples, ready to compare. */
export interface SchemaVersion extends LabelledSchema {
  text: string;
  examples: SchemaExample[];
}

/** The released versions of a topic, ascending; one that is no Avro schema is a problem and left out. */
export function readVersions(
  { versions }: ReleasedFiles,
  topic: string,
  problems: string[],
): SchemaVersion[] {
  return (versions.get(topic) ?? []).flatMap(({ version, text, examples }) => {
    const label = `version ${version}`;
    const type = typeOf(text, `${topic}: ${label}`, problems);
    return type === null ? [] : [{ label, type, text, examples }];
  });
}

/** The schema that the service uses and the examples it is tested with; null, and a problem, where there is none. */
export function readWorking(folder: string, topic: string, problems: string[]): SchemaVersion | null {
  const path = join(folder, `${topic}.avsc`);
  if (!existsSync(path)) {
    problems.push(`${topic}: there is no ${topic}.avsc.`);
    return null;
  }
  const text = readFileSync(path, 'utf8');
  const label = 'the working file';
  const type = typeOf(text, `${topic}: ${label}`, problems);
  if (type === null) return null;
  const examples = examplesFolder(folder, topic);
  return {
    label,
    type,
    text,
    examples: jsonFiles(examples).map((file) => ({
      name: file.slice(0, -'.json'.length),
      content: parseExample(readFileSync(join(examples, file), 'utf8')),
    })),
  };
}

/** What stands between a version that comes after others and each of them, both ways, by its schema and by its examples and theirs. */
export function breaksWith(topic: string, former: readonly SchemaVersion[], next: SchemaVersion): string[] {
  const by_schema = former.flatMap((older, index) =>
    schemaBreaks(topic, older, next, index === former.length - 1),
  );
  // Versions that cannot read each other fail at their examples too, in words that say less.
  if (by_schema.length > 0) return by_schema;
  return [
    ...exampleBreaks(topic, next, next),
    ...former.flatMap((older) => [
      ...exampleBreaks(topic, older, next),
      ...exampleBreaks(topic, next, older),
    ]),
  ];
}

export function breaksAmong(topic: string, versions: readonly SchemaVersion[]): string[] {
  return versions.flatMap((next, index) => breaksWith(topic, versions.slice(0, index), next));
}

export function examplesFolder(folder: string, topic: string): string {
  return join(folder, 'examples', topic, 'valid');
}

export function jsonFiles(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort();
}

function typeOf(text: string, what: string, problems: string[]): avro.Type | null {
  try {
    const type = avro.Type.forSchema(JSON.parse(text) as avro.Schema);
    if (type instanceof avro.types.RecordType) return type;
    problems.push(`${what} is no record.`);
  } catch (error) {
    problems.push(`${what} is no Avro schema: ${error instanceof Error ? error.message : String(error)}.`);
  }
  return null;
}
