import type { DatabaseSync } from 'node:sqlite';
import type { Codec } from '../../log/codec.ts';
import type { EventLog, StoredMessage } from '../../log/event-log.ts';
import type { FeedPollFact } from '../../log/facts.ts';
import { topics } from '../../log/topics.ts';
import type { ObservationFact } from '../../hail/observation.ts';
import { contentHash, placeOf, placeText, standingOf } from './standing.ts';

export interface KnownSlice {
  publisher_version: string | null;
  read_at: number;
}

export interface KnownRecord {
  slice: string;
  record_id: string;
  hash: string;
  status: string;
  own: string | null;
  /** Places that the newest message names: its own and those it supersedes. */
  named: string[];
  /** Every standing that any message of the record had. */
  standings: string[];
}

export interface FeedIndex {
  database: DatabaseSync;
  /** Reads the feed's topics to their end. Nothing may be published before. */
  catchUp: () => Promise<void>;
  slice: (slice: string) => KnownSlice | null;
  record: (record_key: string) => KnownRecord | null;
  /** Records with a message that cannot be decoded and is not followed by one that can: they must not be published. */
  held: (record_key: string) => boolean;
  /** The newest `read_through` of the feed's live polls, epoch milliseconds. */
  cursor: () => number | null;
  close: () => void;
}

/**
 * What a feed has published, from the log and nothing else: what stands where, what was read completely, and what cannot be read. One index
 * a feed; records of other publishers in the shared topic are passed over by their key.
 */
export function createFeedIndex(
  deps: { log: EventLog; codec: Codec; database: DatabaseSync },
  names: { feed: string; publisher: string },
): FeedIndex {
  const { log, codec, database } = deps;
  const prefix = `${names.publisher}/`;
  const get = {
    position: database.prepare('SELECT next_offset FROM positions WHERE topic = ? AND partition = ?'),
    record: database.prepare('SELECT * FROM records WHERE record_key = ?'),
    slice: database.prepare('SELECT publisher_version, read_at FROM slices WHERE slice = ?'),
    undecoded: database.prepare('SELECT max(offset) AS offset FROM undecoded WHERE record_key = ?'),
    meta: database.prepare('SELECT value FROM meta WHERE name = ?'),
  };
  const put = {
    position: database.prepare('INSERT OR REPLACE INTO positions VALUES (?, ?, ?)'),
    record: database.prepare('INSERT OR REPLACE INTO records VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)'),
    slice: database.prepare('INSERT OR REPLACE INTO slices VALUES (?, ?, ?, ?)'),
    undecoded: database.prepare('INSERT OR IGNORE INTO undecoded VALUES (?, ?, ?, ?)'),
    decoded: database.prepare('DELETE FROM undecoded WHERE topic = ? AND partition = ? AND offset = ?'),
    meta: database.prepare('INSERT OR REPLACE INTO meta VALUES (?, ?)'),
  };

  const record = (record_key: string): (KnownRecord & { newest: number }) | null => {
    const row = get.record.get(record_key);
    if (row === undefined) return null;
    return {
      slice: String(row['slice']),
      record_id: String(row['record_id']),
      hash: String(row['hash']),
      status: String(row['status']),
      newest: Number(row['newest']),
      own: row['own'] === null ? null : String(row['own']),
      named: JSON.parse(String(row['named'])) as string[],
      standings: JSON.parse(String(row['standings'])) as string[],
    };
  };

  /** Takes a fact in, in whatever order: only the newest speaks for the record, all of them for where it has stood. */
  const takeObservation = (fact: ObservationFact, offset: number): void => {
    const known = record(fact.record_key);
    const own = standingOf(fact);
    const superseded = fact.supersedes.map(placeText);
    const standings = new Set(known?.standings);
    if (own !== null) standings.add(own);
    const places = new Set([...standings].map(placeOf));
    for (const place of superseded) if (!places.has(place)) standings.add(`L|${place}`);
    const newest = known === null || offset > known.newest;
    const of = newest
      ? {
          record_id: fact.record_id,
          slice: fact.slice,
          hash: contentHash(fact),
          status: fact.status,
          newest: offset,
          own,
          named: superseded,
        }
      : known;
    put.record.run(
      fact.record_key,
      of.record_id,
      of.slice,
      of.hash,
      of.status,
      of.newest,
      of.own,
      JSON.stringify(of.named),
      JSON.stringify([...standings]),
    );
  };

  const takePoll = (fact: FeedPollFact): void => {
    if (fact.feed !== names.feed) return;
    for (const reading of fact.readings) {
      if (!reading.complete) continue;
      put.slice.run(reading.slice, reading.publisher_version, fact.ended_at, reading.records);
    }
    const before = get.meta.get('cursor')?.['value'];
    if (
      fact.mode === 'live' &&
      fact.read_through !== null &&
      fact.read_through > Number(before ?? Number.NEGATIVE_INFINITY)
    ) {
      put.meta.run('cursor', String(fact.read_through));
    }
  };

  const take = async (message: StoredMessage): Promise<void> => {
    const { topic, partition, offset, key, value } = message;
    if (topic === topics.feed_poll.name) {
      const decoded = await codec.decode(topics.feed_poll.name, value);
      if (decoded.outcome === 'ok') takePoll(decoded.fact);
      return;
    }
    if (!key.startsWith(prefix)) return;
    const decoded = await codec.decode(topics.observation.name, value);
    if (decoded.outcome === 'ok') {
      takeObservation(decoded.fact, offset);
      put.decoded.run(topic, partition, offset);
    } else {
      put.undecoded.run(topic, partition, offset, key.slice(prefix.length));
    }
  };

  /** One page and its position in one transaction: a crash leaves the index behind, never wrong. */
  const takePage = async (page: readonly StoredMessage[]): Promise<void> => {
    database.exec('BEGIN');
    try {
      for (const message of page) await take(message);
      const last = page.at(-1);
      if (last !== undefined) put.position.run(last.topic, last.partition, last.offset + 1);
      database.exec('COMMIT');
    } catch (error) {
      database.exec('ROLLBACK');
      throw error;
    }
  };

  const retryUndecoded = async (): Promise<void> => {
    for (const row of database.prepare('SELECT partition, offset FROM undecoded').all()) {
      const [partition, offset] = [Number(row['partition']), Number(row['offset'])];
      const ends = await log.endOffsets(topics.observation.name);
      const only = ends.map((_, each) => (each === partition ? offset : 0));
      const until = ends.map((_, each) => (each === partition ? offset + 1 : 0));
      for await (const page of log.scan(topics.observation.name, { from: only, until })) {
        for (const message of page) await take(message);
      }
    }
  };

  return {
    database,
    catchUp: async () => {
      await retryUndecoded();
      for (const topic of [topics.observation, topics.feed_poll]) {
        const from = Array.from({ length: topic.partitions }, (_, partition) =>
          Number(get.position.get(topic.name, partition)?.['next_offset'] ?? 0),
        );
        for await (const page of log.scan(topic.name, { from })) await takePage(page);
      }
    },
    slice: (slice) => {
      const row = get.slice.get(slice);
      if (row === undefined) return null;
      const version = row['publisher_version'];
      return {
        publisher_version: typeof version === 'string' ? version : null,
        read_at: Number(row['read_at']),
      };
    },
    record,
    held: (record_key) => {
      const offset = get.undecoded.get(record_key)?.['offset'];
      return typeof offset === 'number' && offset > (record(record_key)?.newest ?? -1);
    },
    cursor: () => {
      const value = get.meta.get('cursor')?.['value'];
      return value === undefined ? null : Number(value);
    },
    close: () => database.close(),
  };
}
