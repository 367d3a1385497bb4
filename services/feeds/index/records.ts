import type { DatabaseSync } from 'node:sqlite';
import { placeOf, type FactKind, type Said } from '../kinds/kind.ts';
import type { OwnLetters } from './letters.ts';

export interface KnownRecord {
  record_id: string;
  /** The slice that last held the record; it alone can withdraw it. */
  slice: string;
  hash: string;
  status: string;
  /** Offset of the newest message that could be decoded. */
  newest: number;
  /** The publisher's version that the newest message was published under; null where it has none. */
  version: string | null;
  /** The standings of the newest message; none once withdrawn. */
  own: string[];
  /** Places that the newest message names as superseded. */
  named: string[];
  /** Every standing that any message of the record had. */
  standings: string[];
  /** False for what no projection takes: publishing the same again would come to nothing. */
  valid: boolean;
  /** Every slice that any message of the record was read from. */
  slices: string[];
  /**
   * False while the newest message leaves out a place that another one had, or is a dead one that nobody waits for any more and so stands
   * in no view: the record must be published again.
   */
  complete: boolean;
}

export interface RecordBook {
  /** Takes a fact in, in whatever order: only the newest speaks for the record, all of them for where it has stood. */
  take: (said: Said, place: { partition: number; offset: number }) => void;
  known: (record_key: string) => KnownRecord | null;
  isHeld: (record_key: string) => boolean;
  /** Every record that is held, whichever slice it may belong to by now. */
  held: () => string[];
  /** The offset of the record's newest message that somebody waits for, whether it can be decoded or not; -1 where there is none. */
  newest: (record_key: string) => number;
  /** Takes in that nobody waits for a dead message any more. */
  close: (record_key: string, offset: number) => void;
  /**
   * True when a record of the slice is held or not complete, or was withdrawn by another slice that had taken it over: the slice may have
   * it still, and it alone can say so.
   */
  anyToMend: (slice: string) => boolean;
}

/** The part of the index that knows records: what is said of each, and everywhere it has ever stood. */
export function createRecordBook(
  database: DatabaseSync,
  letters: OwnLetters,
  { topic: { name: topic }, pack, unpack }: Pick<FactKind, 'topic' | 'pack' | 'unpack'>,
): RecordBook {
  const get = {
    record: database.prepare('SELECT * FROM records WHERE record_key = ?'),
    awaited: database.prepare('SELECT max(offset) AS offset FROM awaited WHERE record_key = ? AND topic = ?'),
    incomplete: database.prepare('SELECT 1 FROM records WHERE slice = ? AND complete = 0 LIMIT 1'),
    held: database.prepare(
      `SELECT 1 FROM awaited JOIN records USING (record_key)
       WHERE topic = ? AND slice = ? AND awaited.offset > newest LIMIT 1`,
    ),
    all_held: database.prepare(
      `SELECT DISTINCT record_key FROM awaited WHERE topic = ? AND NOT EXISTS (
         SELECT 1 FROM records WHERE records.record_key = awaited.record_key AND newest >= awaited.offset
       ) ORDER BY record_key`,
    ),
    elsewhere: database.prepare('SELECT 1 FROM withdrawn_elsewhere WHERE slice = ? LIMIT 1'),
  };
  const put = database.prepare(
    'INSERT OR REPLACE INTO records VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const elsewhere = {
    put: database.prepare('INSERT OR REPLACE INTO withdrawn_elsewhere VALUES (?, ?, ?, ?)'),
    remove: database.prepare('DELETE FROM withdrawn_elsewhere WHERE record_key = ?'),
  };
  const lose = database.prepare(
    'UPDATE records SET complete = 0 WHERE record_key = ? AND newest = ? AND valid = 1',
  );

  const known = (record_key: string): KnownRecord | null => {
    const row = get.record.get(record_key);
    if (row === undefined) return null;
    return {
      record_id: String(row['record_id']),
      slice: String(row['slice']),
      hash: String(row['hash']),
      status: String(row['status']),
      newest: Number(row['newest']),
      version: row['version'] === null ? null : String(row['version']),
      own: unpack(String(row['own'])),
      named: unpack(String(row['named'])),
      standings: unpack(String(row['standings'])),
      slices: JSON.parse(String(row['slices'])) as string[],
      valid: row['valid'] === 1,
      complete: row['complete'] === 1,
    };
  };

  const newestAwaited = (record_key: string): number => {
    const offset = get.awaited.get(record_key, topic)?.['offset'];
    return typeof offset === 'number' ? offset : -1;
  };

  return {
    known,
    take: (said, { partition, offset }) => {
      const { record_key } = said;
      const before = known(record_key);
      const standings = new Set([...(before?.standings ?? []), ...said.own]);
      const places = new Set([...standings].map(placeOf));
      // A place that only a superseding message tells of: the message that stood there cannot be decoded, yet may stand in a view.
      for (const place of said.named) if (!places.has(place)) standings.add(`L|${place}`);
      const newest = before === null || offset > before.newest ? { ...said, newest: offset } : before;
      const slices = new Set(before?.slices).add(said.slice);
      const named = new Set(newest.named);
      const own = new Set(newest.own);
      const is_lost = newest.valid && letters.isClosed(topic, record_key, newest.newest);
      const complete =
        !is_lost && [...standings].every((standing) => own.has(standing) || named.has(placeOf(standing)));
      put.run(
        record_key,
        newest.record_id,
        newest.slice,
        newest.hash,
        newest.status,
        newest.newest,
        newest.version,
        pack(newest.own),
        pack(newest.named),
        pack([...standings]),
        JSON.stringify([...slices]),
        newest.valid ? 1 : 0,
        complete ? 1 : 0,
      );
      if (slices.size === 1) return;
      elsewhere.remove.run(record_key);
      if (newest.status !== 'withdrawn') return;
      for (const slice of slices) {
        if (slice !== newest.slice) elsewhere.put.run(record_key, slice, partition, newest.newest);
      }
    },
    isHeld: (record_key) => newestAwaited(record_key) > (known(record_key)?.newest ?? -1),
    held: () => get.all_held.all(topic).map((row) => String(row['record_key'])),
    newest: (record_key) => Math.max(newestAwaited(record_key), known(record_key)?.newest ?? -1),
    close: (record_key, offset) => void lose.run(record_key, offset),
    anyToMend: (slice) =>
      get.incomplete.get(slice) !== undefined ||
      get.held.get(topic, slice) !== undefined ||
      get.elsewhere.get(slice) !== undefined,
  };
}
