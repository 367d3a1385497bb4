import type { DatabaseSync } from 'node:sqlite';
import type { ObservationFact } from '../../hail/observation.ts';
import { topics } from '../../log/topics.ts';
import { contentHash, placeOf, placeText, standingOf } from './standing.ts';

export interface KnownRecord {
  record_id: string;
  /** The slice that last held the record; it alone can withdraw it. */
  slice: string;
  hash: string;
  status: string;
  /** Offset of the newest message that could be decoded. */
  newest: number;
  /** The standing of the newest message; null once withdrawn. */
  own: string | null;
  /** Places that the newest message names as superseded. */
  named: string[];
  /** Every standing that any message of the record had. */
  standings: string[];
  /** False while the newest message leaves out a place that another one had: it must be published again. */
  complete: boolean;
}

export interface RecordBook {
  /** Takes a fact in, in whatever order: only the newest speaks for the record, all of them for where it has stood. */
  take: (fact: ObservationFact, offset: number) => void;
  known: (record_key: string) => KnownRecord | null;
  isHeld: (record_key: string) => boolean;
  /** True when a record of the slice is held, or its newest message leaves out a place. */
  anyToMend: (slice: string) => boolean;
}

/** The part of the index that knows records: what is said of each, and everywhere it has ever stood. */
export function createRecordBook(database: DatabaseSync): RecordBook {
  const get = {
    record: database.prepare('SELECT * FROM records WHERE record_key = ?'),
    undecoded: database.prepare(
      'SELECT max(offset) AS offset FROM undecoded WHERE record_key = ? AND topic = ?',
    ),
    incomplete: database.prepare('SELECT 1 FROM records WHERE slice = ? AND complete = 0 LIMIT 1'),
    held: database.prepare(
      `SELECT 1 FROM undecoded JOIN records USING (record_key)
       WHERE topic = ? AND slice = ? AND undecoded.offset > newest LIMIT 1`,
    ),
  };
  const put = database.prepare('INSERT OR REPLACE INTO records VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');

  const known = (record_key: string): KnownRecord | null => {
    const row = get.record.get(record_key);
    if (row === undefined) return null;
    return {
      record_id: String(row['record_id']),
      slice: String(row['slice']),
      hash: String(row['hash']),
      status: String(row['status']),
      newest: Number(row['newest']),
      own: row['own'] === null ? null : String(row['own']),
      named: JSON.parse(String(row['named'])) as string[],
      standings: JSON.parse(String(row['standings'])) as string[],
      complete: row['complete'] === 1,
    };
  };

  return {
    known,
    take: (fact, offset) => {
      const before = known(fact.record_key);
      const own = standingOf(fact);
      const superseded = fact.supersedes.map(placeText);
      const standings = new Set(before?.standings);
      if (own !== null) standings.add(own);
      const places = new Set([...standings].map(placeOf));
      // A place that only a superseding message tells of: the message that stood there cannot be decoded, yet may stand in a view.
      for (const place of superseded) if (!places.has(place)) standings.add(`L|${place}`);
      const newest =
        before === null || offset > before.newest
          ? { ...fact, hash: contentHash(fact), newest: offset, own, named: superseded }
          : before;
      const named = new Set(newest.named);
      const complete = [...standings].every(
        (standing) => standing === newest.own || named.has(placeOf(standing)),
      );
      put.run(
        fact.record_key,
        newest.record_id,
        newest.slice,
        newest.hash,
        newest.status,
        newest.newest,
        newest.own,
        JSON.stringify(newest.named),
        JSON.stringify([...standings]),
        complete ? 1 : 0,
      );
    },
    isHeld: (record_key) => {
      const offset = get.undecoded.get(record_key, topics.observation.name)?.['offset'];
      return typeof offset === 'number' && offset > (known(record_key)?.newest ?? -1);
    },
    anyToMend: (slice) =>
      get.incomplete.get(slice) !== undefined || get.held.get(topics.observation.name, slice) !== undefined,
  };
}
