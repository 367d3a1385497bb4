import { closeSync, existsSync, fsyncSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { CompatibilityLevel } from './compatibility.ts';

/** One line of the registry's journal; the registry's state is the journal read from the beginning. */
export type Entry =
  | { kind: 'schema'; id: number; text: string }
  | { kind: 'version'; subject: string; version: number; id: number }
  | { kind: 'level'; subject: string | null; level: CompatibilityLevel };

export interface Journal {
  entries: Entry[];
  /** Durable when it returns. */
  append: (entries: readonly Entry[]) => void;
  close: () => void;
}

/** Opens `<folder>/registry.jsonl`. A torn last line, left by a kill in the middle of a write, was never acknowledged and is cut off. */
export function openJournal(folder: string): Journal {
  const path = join(folder, 'registry.jsonl');
  const entries: Entry[] = [];
  if (existsSync(path)) {
    const bytes = readFileSync(path);
    const end = bytes.lastIndexOf(0x0a) + 1;
    if (end < bytes.length) truncateSync(path, end);
    for (const line of bytes.subarray(0, end).toString('utf8').split('\n')) {
      if (line !== '') entries.push(JSON.parse(line) as Entry);
    }
  }
  const file = openSync(path, 'a');
  return {
    entries,
    append: (added) => {
      writeSync(file, added.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
      fsyncSync(file);
      entries.push(...added);
    },
    close: () => closeSync(file),
  };
}
