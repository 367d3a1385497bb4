import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseExample, type SchemaExample } from './schema-examples.ts';

/** One released version of a topic's schema, as its files say. */
export interface ReleasedVersion {
  topic: string;
  version: number;
  text: string;
  examples: SchemaExample[];
}

export interface ReleasedFiles {
  /** Every listed version by topic, ascending. */
  versions: Map<string, ReleasedVersion[]>;
  /** SHA-256 by path below `released/`, as the list has it. */
  hashes: Map<string, string>;
  /** What is wrong with the files as files, a sentence each. */
  problems: string[];
}

/** The list of hashes, which `sha256sum -c` reads in the folder of the released files. */
export const hash_list = 'SHA256SUMS';
/** The list while it is written; left behind by a release that was interrupted. */
export const new_hash_list = `${hash_list}.new`;

const schema_path = /^([^/]+)\/([1-9][0-9]*)\.avsc$/;
const example_path = /^([^/]+)\/([1-9][0-9]*)\.examples\/([^/]+)\.json$/;

/** Reads `<folder>/released`: what the list names is released, and nothing else is. */
export function readReleased(folder: string): ReleasedFiles {
  const released = join(folder, 'released');
  const problems: string[] = [];
  const hashes = readHashes(join(released, hash_list), problems);
  const contents = new Map<string, Buffer>();

  for (const path of filesBelow(released)) {
    const listed = hashes.get(path);
    if (listed === undefined) {
      problems.push(
        `released/${path} is not in ${hash_list}: a version is released with \`npm run schemas -- release\`, or the file goes.`,
      );
      continue;
    }
    const bytes = readFileSync(join(released, path));
    contents.set(path, bytes);
    if (sha256(bytes) !== listed)
      problems.push(`released/${path} has changed: a released file never changes, put it back as it was.`);
  }
  for (const path of hashes.keys()) {
    if (!contents.has(path)) problems.push(`released/${path} is in ${hash_list} and missing: put it back.`);
  }
  return { versions: versionsOf(contents, problems), hashes, problems };
}

export function sha256(bytes: Buffer | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** The text of the list, in the form and order in which it is kept. */
export function hashList(hashes: ReadonlyMap<string, string>): string {
  return [...hashes]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([path, hash]) => `${hash}  ${path}\n`)
    .join('');
}

function readHashes(path: string, problems: string[]): Map<string, string> {
  const hashes = new Map<string, string>();
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [];
  for (const [index, line] of lines.entries()) {
    if (line === '') continue;
    const [, hash, name] = /^([0-9a-f]{64}) [ *](\S+)$/.exec(line) ?? [];
    if (hash === undefined || name === undefined || hashes.has(name))
      problems.push(`Line ${index + 1} of released/${hash_list} is no hash of a file of its own.`);
    else hashes.set(name, hash);
  }
  return hashes;
}

/** Paths below the folder with `/`, ascending, without the list itself. */
function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll('\\', '/'),
    )
    .filter((path) => path !== hash_list && path !== new_hash_list)
    .sort();
}

function versionsOf(
  contents: ReadonlyMap<string, Buffer>,
  problems: string[],
): Map<string, ReleasedVersion[]> {
  const found = new Map<string, ReleasedVersion>();
  for (const [path, bytes] of contents) {
    const [, topic, version] = schema_path.exec(path) ?? [];
    if (topic !== undefined && version !== undefined)
      found.set(`${topic}/${version}`, {
        topic,
        version: Number(version),
        text: bytes.toString('utf8'),
        examples: [],
      });
  }
  for (const [path, bytes] of contents) {
    if (schema_path.test(path)) continue;
    const [, topic, version, name] = example_path.exec(path) ?? [];
    const owner = found.get(`${topic ?? ''}/${version ?? ''}`);
    if (owner === undefined || name === undefined) {
      problems.push(`released/${path} belongs to no released version.`);
      continue;
    }
    try {
      owner.examples.push({ name, content: parseExample(bytes.toString('utf8')) });
    } catch {
      problems.push(`released/${path} is not JSON.`);
    }
  }
  const by_topic = Map.groupBy(found.values(), ({ topic }) => topic);
  for (const [topic, versions] of by_topic) {
    versions.sort((one, other) => one.version - other.version);
    for (const [index, { version, examples }] of versions.entries()) {
      if (version !== index + 1 && versions[index - 1]?.version !== version - 1)
        problems.push(`${topic}: version ${version - 1} is missing below version ${version}.`);
      if (examples.length === 0) problems.push(`${topic}: version ${version} has no examples.`);
    }
  }
  return by_topic;
}
