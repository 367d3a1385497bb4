import type { DatabaseSync } from 'node:sqlite';
import type { Codec } from '../../log/codec.ts';
import type { EventLog, StoredMessage } from '../../log/event-log.ts';
import type { FeedPollFact } from '../../log/facts.ts';
import { topics } from '../../log/topics.ts';
import { emptyIndex } from './database.ts';
import { createRecordBook, type KnownRecord } from './records.ts';
import { createSliceBook, type KnownSlice } from './slices.ts';

export interface FeedIndex {
  database: DatabaseSync;
  /** Reads the feed's topics to their end. Nothing may be published before. */
  catchUp: () => Promise<void>;
  /** The newest complete reading of a slice. */
  slice: (slice: string) => KnownSlice | null;
  /**
   * True when the newest complete reading left nothing to do: no record held, and every newest message names every place its record ever
   * had. Only then may a slice whose publisher's version has not changed be left unread.
   */
  isSettled: (slice: string) => boolean;
  /** The greatest publisher's version that anything of the slice was published under, complete or not. */
  newestVersion: (slice: string) => string | null;
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
  const records = createRecordBook(database);
  const slices = createSliceBook(database);
  const get = {
    position: database.prepare('SELECT next_offset FROM positions WHERE topic = ? AND partition = ?'),
    meta: database.prepare('SELECT value FROM meta WHERE name = ?'),
  };
  const put = {
    position: database.prepare('INSERT OR REPLACE INTO positions VALUES (?, ?, ?)'),
    undecoded: database.prepare('INSERT OR IGNORE INTO undecoded VALUES (?, ?, ?, ?)'),
    decoded: database.prepare('DELETE FROM undecoded WHERE topic = ? AND partition = ? AND offset = ?'),
    meta: database.prepare('INSERT OR REPLACE INTO meta VALUES (?, ?)'),
  };

  const cursor = (): number | null => {
    const value = get.meta.get('cursor')?.['value'];
    return value === undefined ? null : Number(value);
  };

  const takePoll = (fact: FeedPollFact): void => {
    if (fact.feed !== names.feed) return;
    slices.takeReadings(fact);
    if (fact.mode !== 'live' || fact.read_through === null) return;
    put.meta.run('cursor', String(Math.max(fact.read_through, cursor() ?? fact.read_through)));
  };

  /** True when the message was taken in or is none of this feed's; false when it cannot be read. */
  const take = async ({ topic, key, value, offset }: StoredMessage): Promise<boolean> => {
    if (topic === topics.feed_poll.name) {
      if (key !== names.feed) return true;
      const decoded = await codec.decode(topics.feed_poll.name, value);
      if (decoded.outcome === 'ok') takePoll(decoded.fact);
      return decoded.outcome === 'ok';
    }
    if (!key.startsWith(prefix)) return true;
    const decoded = await codec.decode(topics.observation.name, value);
    // A fact under another record's key says nothing about either: no reader of the log takes it as one.
    if (decoded.outcome !== 'ok' || key !== `${decoded.fact.publisher}/${decoded.fact.record_key}`) {
      return false;
    }
    records.take(decoded.fact, offset);
    slices.takeVersion(decoded.fact.slice, decoded.fact.provenance.publisher_version);
    return true;
  };

  const inTransaction = async (work: () => Promise<void>): Promise<void> => {
    database.exec('BEGIN');
    try {
      await work();
      database.exec('COMMIT');
    } catch (error) {
      database.exec('ROLLBACK');
      throw error;
    }
  };

  /** One page and its position in one transaction: a crash leaves the index behind, never wrong. */
  const takePage = (page: readonly StoredMessage[]): Promise<void> =>
    inTransaction(async () => {
      for (const message of page) {
        const { topic, partition, offset, key } = message;
        if (!(await take(message))) put.undecoded.run(topic, partition, offset, recordKeyOf(key, prefix));
      }
      const last = page.at(-1);
      if (last !== undefined) put.position.run(last.topic, last.partition, last.offset + 1);
    });

  /** What could not be read may be readable now: its schema may have been registered since. */
  const retryUndecoded = async (): Promise<void> => {
    for (const row of database.prepare('SELECT topic, partition, offset FROM undecoded').all()) {
      const [topic, partition, offset] = [
        String(row['topic']),
        Number(row['partition']),
        Number(row['offset']),
      ];
      const ends = await log.endOffsets(topic);
      const from = ends.map((_, each) => (each === partition ? offset : 0));
      const until = ends.map((_, each) => (each === partition ? offset + 1 : 0));
      for await (const page of log.scan(topic, { from, until })) {
        for (const message of page) {
          await inTransaction(async () => {
            if (await take(message)) put.decoded.run(topic, partition, offset);
          });
        }
      }
    }
  };

  const positionsOf = ({ name, partitions }: { name: string; partitions: number }): number[] =>
    Array.from({ length: partitions }, (_, partition) =>
      Number(get.position.get(name, partition)?.['next_offset'] ?? 0),
    );

  return {
    database,
    catchUp: async () => {
      const read = [topics.observation, topics.feed_poll];
      for (const topic of read) {
        const ends = await log.endOffsets(topic.name);
        // A log put back from a copy keeps its id but ends earlier: what the index knows beyond that was never published in it.
        if (positionsOf(topic).some((position, partition) => position > (ends[partition] ?? 0))) {
          emptyIndex(database);
        }
      }
      await retryUndecoded();
      for (const topic of read) {
        for await (const page of log.scan(topic.name, { from: positionsOf(topic) })) await takePage(page);
      }
    },
    slice: (slice) => slices.known(slice),
    isSettled: (slice) => slices.known(slice)?.held === 0 && !records.anyToMend(slice),
    newestVersion: (slice) => slices.newestVersion(slice),
    record: (record_key) => records.known(record_key),
    held: (record_key) => records.isHeld(record_key),
    cursor,
    close: () => database.close(),
  };
}

function recordKeyOf(key: string, prefix: string): string {
  return key.startsWith(prefix) ? key.slice(prefix.length) : '';
}
