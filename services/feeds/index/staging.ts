import type { DatabaseSync } from 'node:sqlite';
import type { AnyDraft, FactKind } from '../kinds/kind.ts';

export interface StagedRecord {
  record_key: string;
  hash: string;
  draft: AnyDraft;
}

/** What stands out about a document once all of its records are staged. */
export interface StagedCounts {
  staged: number;
  /** Records that came again under a key with other content; the publisher's newest version counts, and of one version the largest. */
  doubled: number;
}

const page_records = 500;

/**
 * Puts a document's records aside on disk, so that nothing is published before the whole of it was read and judged, and memory does not
 * grow with it. Replaces whatever was staged before; when `drafts` fails, nothing is staged.
 */
export async function stage(
  database: DatabaseSync,
  kind: Pick<FactKind, 'contentHash' | 'weight'>,
  drafts: AsyncIterable<AnyDraft> | Iterable<AnyDraft>,
): Promise<StagedCounts> {
  const counts: StagedCounts = { staged: 0, doubled: 0 };
  const insert = database.prepare('INSERT OR REPLACE INTO staged VALUES (?, ?, ?, ?)');
  const find = database.prepare('SELECT hash, draft FROM staged WHERE slice = ? AND record_key = ?');
  database.exec('DELETE FROM staged');
  database.exec('BEGIN');
  try {
    for await (const draft of drafts) {
      const hash = kind.contentHash(draft);
      const rival = find.get(draft.slice, draft.record_key);
      if (rival === undefined) {
        counts.staged += 1;
      } else {
        const other = String(rival['hash']);
        if (other === hash) continue;
        counts.doubled += 1;
        const before = JSON.parse(String(rival['draft'])) as AnyDraft;
        // The order of rows means nothing and changes between readings, so the choice must not depend on it.
        const preferred =
          compareVersions(draft, before) ||
          kind.weight(draft) - kind.weight(before) ||
          (hash < other ? 1 : -1);
        if (preferred < 0) continue;
      }
      insert.run(draft.slice, draft.record_key, hash, JSON.stringify(draft));
    }
    database.exec('COMMIT');
    return counts;
  } catch (error) {
    // SQLite rolls back by itself on some failures (a full disk), and a second rollback would hide the first error.
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

/** By the publisher's version of the record; 0 where either has none. */
function compareVersions(a: AnyDraft, b: AnyDraft): number {
  const [one, other] = [a.provenance.publisher_version, b.provenance.publisher_version];
  return one === null || other === null || one === other ? 0 : one < other ? -1 : 1;
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
      draft: JSON.parse(String(row['draft'])) as AnyDraft,
    }));
  }
}

export function countStaged(database: DatabaseSync, slice: string): number {
  return Number(database.prepare('SELECT count(*) AS n FROM staged WHERE slice = ?').get(slice)?.['n']);
}

const absent =
  'NOT EXISTS (SELECT 1 FROM staged WHERE staged.slice = ? AND staged.record_key = records.record_key)';

/** How many records of a slice the index knows as standing, and how many of those what is staged no longer has. */
export function countAbsent(database: DatabaseSync, slice: string): { known: number; absent: number } {
  const row = database
    .prepare(
      `SELECT count(*) AS known, count(*) FILTER (WHERE ${absent}) AS absent FROM records
       WHERE slice = ? AND status <> 'withdrawn'`,
    )
    .get(slice, slice);
  return { known: Number(row?.['known']), absent: Number(row?.['absent']) };
}

/**
 * Keys of the slice's records that what is staged no longer has and that are not withdrawn yet, or whose withdrawal leaves out a place:
 * in bounded pages.
 */
export function* absentPages(database: DatabaseSync, slice: string): Generator<string[]> {
  const page = database.prepare(
    `SELECT record_key FROM records WHERE slice = ? AND record_key > ? AND (status <> 'withdrawn' OR complete = 0)
     AND ${absent} ORDER BY record_key LIMIT ?`,
  );
  let after = '';
  for (;;) {
    const keys = page.all(slice, after, slice, page_records).map((row) => String(row['record_key']));
    if (keys.length === 0) return;
    after = keys.at(-1) ?? '';
    yield keys;
  }
}
