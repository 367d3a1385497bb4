import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { HailmarkError } from '../../../services/runtime/errors.ts';
import type { CompatibilityLevel } from './compatibility.ts';

/** One line of the registry's journal; the registry's state is the journal read from the beginning. */
export type Entry =
  | { kind: 'schema'; id: number; text: string }
  | { kind: 'version'; subject: string; version: number; id: number }
  | { kind: 'level'; subject: string | null; level: CompatibilityLevel };

export interface Journal {
  entries: readonly Entry[];
  /** Length of an unfinished last line that was cut off at opening; 0 where there was none. */
  torn_bytes: number;
  /** Durable when it returns; where it throws, the journal is as it was. */
  append: (entries: readonly Entry[]) => void;
  close: () => void;
}

/** Opens `<folder>/registry.jsonl`. A torn last line, left by a kill in the middle of a write, was never acknowledged and is cut off. */
export function openJournal(folder: string): Journal {
  const path = join(folder, 'registry.jsonl');
  const bytes = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
  const end = bytes.lastIndexOf(0x0a) + 1;
  const entries = bytes
    .subarray(0, end)
    .toString('utf8')
    .split('\n')
    .slice(0, -1)
    .map((line, at) => entryOf(line, path, at + 1));
  if (end < bytes.length) truncateSync(path, end);
  const file = openSync(path, 'a');
  // The name in the folder must be as durable as what the file holds.
  const parent = openSync(folder, 'r');
  fsyncSync(parent);
  closeSync(parent);
  return {
    entries,
    torn_bytes: bytes.length - end,
    append: (added) => {
      const { size } = fstatSync(file);
      try {
        writeWhole(file, Buffer.from(added.map((entry) => `${JSON.stringify(entry)}\n`).join('')));
        fsyncSync(file);
      } catch (error) {
        // Half a line left here would become the beginning of the next one.
        ftruncateSync(file, size);
        throw error;
      }
      entries.push(...added);
    },
    close: () => closeSync(file),
  };
}

function writeWhole(file: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
}

function entryOf(line: string, path: string, number: number): Entry {
  try {
    return JSON.parse(line) as Entry;
  } catch (error) {
    throw new HailmarkError(
      'HAIL_DATA_DIR',
      `Line ${number} of ${path} is damaged: restore the file from a copy, or remove it and register the schemas anew.`,
      { cause: error },
    );
  }
}
