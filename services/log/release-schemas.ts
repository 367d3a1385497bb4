import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { hash_list, hashList, new_hash_list, readReleased, sha256 } from './released-files.ts';
import {
  breaksWith,
  examplesFolder,
  jsonFiles,
  readWorking,
  readVersions,
  type SchemaVersion,
} from './schema-versions.ts';

export interface Release {
  released: { topic: string; version: number }[];
  problems: string[];
}

/**
 * Makes the next version of every topic whose working file differs from its last one, or says why not and changes nothing. The list is
 * written last and whole: until it names a version's files that version is not released, and a second try writes them again.
 */
export function releaseSchemas(folder: string, topics: readonly string[]): Release {
  const files = readReleased(folder);
  const problems: string[] = [];
  const next: { topic: string; version: number; working: SchemaVersion }[] = [];
  for (const topic of topics) {
    const versions = readVersions(files, topic, problems);
    const working = readWorking(folder, topic, problems);
    if (working === null || working.text === versions.at(-1)?.text) continue;
    if (working.examples.length === 0)
      problems.push(`${topic}: there are no examples in examples/${topic}/valid.`);
    problems.push(...breaksWith(topic, versions, working));
    next.push({ topic, version: versions.length + 1, working });
  }
  // An unlisted file of a version that is made now is left from a try that was interrupted.
  const made = next.map(({ topic, version }) => `released/${topic}/${version}.`);
  problems.push(...files.problems.filter((problem) => !made.some((prefix) => problem.startsWith(prefix))));
  if (problems.length > 0 || next.length === 0) return { released: [], problems: [...new Set(problems)] };

  const hashes = new Map(files.hashes);
  const write = (path: string, text: string): void => {
    const full = join(folder, 'released', path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text);
    hashes.set(path, sha256(text));
  };
  for (const { topic, version, working } of next) {
    const examples = examplesFolder(folder, topic);
    rmSync(join(folder, 'released', topic, `${version}.examples`), { recursive: true, force: true });
    for (const name of jsonFiles(examples))
      write(`${topic}/${version}.examples/${name}`, readFileSync(join(examples, name), 'utf8'));
    write(`${topic}/${version}.avsc`, working.text);
  }
  const list = join(folder, 'released', new_hash_list);
  writeFileSync(list, hashList(hashes));
  renameSync(list, join(folder, 'released', hash_list));
  return { released: next.map(({ topic, version }) => ({ topic, version })), problems: [] };
}
