import type { DatabaseSync } from 'node:sqlite';
import { contentHash, type Draft } from './standing.ts';

export interface StagedRecord {
  record_key: string;
  hash: string;
  draft: Draft;
}

/** What stands out about a document once all of its records are staged. */
export interface StagedCounts {
  staged: number;
  /** Records that came more than once under one key; the larger stays, then the later. */
  doubled: number;
}

const page_records = 500;

/**
 * Puts a document's records aside on disk, so that nothing is published before the whole of it was read and judged, and memory does not
 * grow with it. Replaces whatever was staged before.
 */
export async function stage(
  database: DatabaseSync,
  drafts: AsyncIterable<Draft> | Iterable<Draft>,
): Promise<StagedCounts> {
  const counts: StagedCounts = { staged: 0, doubled: 0 };
  const insert = database.prepare('INSERT OR REPLACE INTO staged VALUES (?, ?, ?, ?)');
  const find = database.prepare('SELECT draft FROM staged WHERE record_key = ?');
  database.exec('BEGIN');
  try {
    database.exec('DELETE FROM staged');
    for await (const draft of drafts) {
      const rival = find.get(draft.record_key);
      if (rival !== undefined) {
        counts.doubled += 1;
        if (((JSON.parse(String(rival['draft'])) as Draft).size_in ?? 0) > (draft.size_in ?? 0)) continue;
      } else {
        counts.staged += 1;
      }
      insert.run(draft.record_key, draft.slice, contentHash(draft), JSON.stringify(draft));
    }
    database.exec('COMMIT');
    return counts;
  } catch (error) {
    database.exec('ROLLBACK');
    throw error;
  }
}

/** The staged records of a slice by key, in bounded pages. */
export function* stagedPages(database: DatabaseSync, slice: string): Generator<StagedRecord[]> {
  const page = database.prepare(
    'SELECT record_key, hash, draft FROM staged WHERE slice = ? AND record_key > ? ORDER BY record_key LIMIT ?',
  );
  let after = '';
  for (;;) {
    const rows = page.all(slice, after, page_records);
    if (rows.length === 0) return;
    after = String(rows.at(-1)?.['record_key']);
    yield rows.map((row) => ({
      record_key: String(row['record_key']),
      hash: String(row['hash']),
      draft: JSON.parse(String(row['draft'])) as Draft,
    }));
  }
}

export function countStaged(database: DatabaseSync, slice: string): number {
  return Number(database.prepare('SELECT count(*) AS n FROM staged WHERE slice = ?').get(slice)?.['n']);
}

/** How many records of a slice the index knows as standing, and the keys of those that what is staged no longer has. */
export function absentRecords(database: DatabaseSync, slice: string): { known: number; absent: string[] } {
  const known = database
    .prepare("SELECT count(*) AS n FROM records WHERE slice = ? AND status <> 'withdrawn'")
    .get(slice);
  const absent = database
    .prepare(
      `SELECT record_key FROM records WHERE slice = ? AND status <> 'withdrawn'
       AND NOT EXISTS (SELECT 1 FROM staged WHERE staged.record_key = records.record_key) ORDER BY record_key`,
    )
    .all(slice);
  return { known: Number(known?.['n']), absent: absent.map((row) => String(row['record_key'])) };
}
