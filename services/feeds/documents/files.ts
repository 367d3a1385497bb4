import { createHash } from 'node:crypto';
import { open, readFile, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import {
  zstdCompress as zstdCompressWithCallback,
  zstdDecompress as zstdDecompressWithCallback,
} from 'node:zlib';
import { dataFolder } from '../../runtime/config.ts';
import { HailmarkError, systemCode } from '../../runtime/errors.ts';

const zstdCompress = promisify(zstdCompressWithCallback);
const zstdDecompress = promisify(zstdDecompressWithCallback);

/** Past any document a feed accepts; a damaged file must not inflate without end. */
const max_document_bytes = 512 * 1024 * 1024;

/** `.zst` where compressing helps, `.bin` as it is where the document is gzip already. */
export type Suffix = '.zst' | '.bin';
export const suffixes: readonly Suffix[] = ['.zst', '.bin'];

export type KeptDocument =
  | { outcome: 'found'; bytes: Buffer }
  | { outcome: 'missing' }
  /** There is a file, and it does not hold the bytes of its name. */
  | { outcome: 'broken' };

export function documentsFolder(data_dir: string): string {
  return join(data_dir, 'documents');
}

export function documentPath(data_dir: string, sha256: string, suffix: Suffix): string {
  return join(documentsFolder(data_dir), sha256.slice(0, 2), sha256 + suffix);
}

/** The bytes of a document as they were served, by their SHA-256 (lower-case hex), which is checked. */
export async function readDocument(data_dir: string, sha256: string): Promise<KeptDocument> {
  let outcome: 'missing' | 'broken' = 'missing';
  for (const suffix of suffixes) {
    const file = await fileOrNull(documentPath(data_dir, sha256, suffix));
    if (file === null) continue;
    const bytes = suffix === '.bin' ? file : await inflatedOrNull(file);
    if (bytes !== null && sha256Of(bytes) === sha256) return { outcome: 'found', bytes };
    outcome = 'broken';
  }
  return { outcome };
}

/** Writes a document's file and returns its size. Complete and on the disk before it has its name: a crash leaves it whole or absent. */
export async function writeDocument(
  data_dir: string,
  sha256: string,
  served: Buffer,
): Promise<{ suffix: Suffix; bytes: number }> {
  const suffix: Suffix = served[0] === 0x1f && served[1] === 0x8b ? '.bin' : '.zst';
  const content = suffix === '.bin' ? served : await zstdCompress(served);
  const path = documentPath(data_dir, sha256, suffix);
  const folder = dataFolder(dirname(path));
  try {
    const file = await open(`${path}.part`, 'w');
    try {
      await file.writeFile(content);
      await file.datasync();
    } finally {
      await file.close();
    }
    await rename(`${path}.part`, path);
    const directory = await open(folder);
    await directory.sync().finally(() => directory.close());
  } catch (error) {
    throw new HailmarkError(
      'HAIL_DATA_DIR',
      `A document cannot be kept below ${folder} (${systemCode(error) ?? 'unknown cause'}): ` +
        'make room or make it writable, or set DOCUMENTS_KEEP=false.',
      { cause: error },
    );
  }
  return { suffix, bytes: content.byteLength };
}

export function sha256Of(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

async function fileOrNull(path: string): Promise<Buffer | null> {
  try {
    return await readFile(path);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw error;
  }
}

async function inflatedOrNull(file: Buffer): Promise<Buffer | null> {
  try {
    return await zstdDecompress(file, { maxOutputLength: max_document_bytes });
  } catch {
    return null;
  }
}
