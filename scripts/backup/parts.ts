import { createHash } from 'node:crypto';
import { constants, createReadStream, existsSync, readdirSync } from 'node:fs';
import { copyFile, mkdir, open, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { documentsFolder } from '../../services/feeds/documents/files.ts';
import { HailmarkError } from '../../services/runtime/errors.ts';

/** What a backup holds; written last, so that a folder without it is none. */
export interface Manifest {
  format: number;
  made_at: string;
  /** Identity of the log, and the next offset of each partition by topic: what the backup knows and nothing later. */
  log_id: string;
  end_offsets: Record<string, number[]>;
  /** Files but the documents, by their path in the backup. */
  files: Record<string, { bytes: number; sha256: string }>;
  /** Kept documents; null where they were left out. */
  documents: number | null;
  /** Rows of usage; null where they were left out. */
  usage_rows: number | null;
}

export const manifest_file = 'backup.json';
export const log_file = 'log/log.sqlite';
export const registry_file = 'registry/registry.jsonl';
export const usage_file = 'usage.jsonl';

export function refuse(words: string): HailmarkError {
  return new HailmarkError('HAIL_BACKUP', words);
}

export function isEmptyFolder(folder: string): boolean {
  return !existsSync(folder) || readdirSync(folder).length === 0;
}

export async function readManifest(folder: string): Promise<Manifest> {
  const path = join(folder, manifest_file);
  if (!existsSync(path))
    throw refuse(`There is no ${manifest_file} in ${folder}: it is no backup, or one that was not finished.`);
  const manifest = JSON.parse(await readFile(path, 'utf8')) as Manifest;
  if (manifest.format !== 1)
    throw refuse(`The backup in ${folder} is of another version of Hailmark (format ${manifest.format}).`);
  return manifest;
}

/** Writes the manifest whole or not at all. */
export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  const path = join(folder, manifest_file);
  await writeFile(`${path}.part`, `${JSON.stringify(manifest, null, 2)}\n`);
  await onDisk(`${path}.part`);
  await rename(`${path}.part`, path);
}

export async function copyOne(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  await copyFile(from, to, constants.COPYFILE_FICLONE);
  await onDisk(to);
}

/** Copies every finished document and returns how many. They never change, and one may be removed while this runs: it was the oldest. */
export async function copyDocuments(from: string, to: string): Promise<number> {
  const source = documentsFolder(from);
  if (!existsSync(source)) return 0;
  let copied = 0;
  for (const path of readdirSync(source, { recursive: true, encoding: 'utf8' })) {
    if (!/\.(?:zst|bin)$/.test(path) || !existsSync(join(source, path))) continue;
    await copyOne(join(source, path), join(documentsFolder(to), path));
    copied += 1;
  }
  return copied;
}

export async function sizeAndHash(path: string): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256');
  let bytes = 0;
  await pipeline(createReadStream(path), async (chunks: AsyncIterable<Buffer>) => {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      hash.update(chunk);
    }
  });
  return { bytes, sha256: hash.digest('hex') };
}

async function onDisk(path: string): Promise<void> {
  const file = await open(path, 'r');
  await file.sync().finally(() => file.close());
}
