import type { DatabaseSync } from 'node:sqlite';
import type { Codec } from '../../log/codec.ts';
import type { EventLog, StoredMessage } from '../../log/event-log.ts';
import type { DeadLetterFact } from '../../log/facts.ts';
import { readPlaces } from '../../log/letters/read-places.ts';
import { isClosed } from '../../log/letters/state.ts';
import { topics } from '../../log/topics.ts';
import type { FactKind } from '../kinds/kind.ts';
import { emptyIndex } from './database.ts';
import { createOwnLetters, type KnownLetter } from './letters.ts';
import { createPollBook } from './polls.ts';
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
   * had; none was withdrawn by another slice since, nor a message dropped that could never be read and may have been of this slice. Only then may a slice whose publisher's version has not changed be left unread.
   */
  isSettled: (slice: string) => boolean;
  /** The greatest publisher's version that anything of the slice was published under, complete or not. */
  newestVersion: (slice: string) => string | null;
  record: (record_key: string) => KnownRecord | null;
  /**
   * Records with a message that cannot be decoded, that somebody still waits for, and that is not followed by one that can be decoded: they
   * must not be published.
   */
  held: (record_key: string) => boolean;
  /** All of them. Which slice such a record belongs to by now is not known, so every complete reading must name it. */
  allHeld: () => string[];
  /** Dead letters of the feed's messages that were asked to be retried and have no answer yet, in the order of their messages. */
  retries: () => KnownLetter[];
  /** True when no later message of the same record, or no later poll, has taken this one's place. */
  isNewest: (letter: KnownLetter) => boolean;
  /** The newest `read_through` of the feed's live polls, epoch milliseconds. */
  cursor: () => number | null;
  close: () => void;
}

/** A drop is told by the operator's clock, a reading by the feed's: one so soon after the other may have come before it. */
const clocks_apart_ms = 600_000;

/**
 * What a feed has published, from the log and nothing else: what stands where, what was read completely, and what cannot be read. One index
 * a feed; records of other publishers in a shared topic are passed over by their key.
 */
export function createFeedIndex(
  deps: { log: EventLog; codec: Codec; database: DatabaseSync },
  names: { feed: string; publisher: string; kind: FactKind },
): FeedIndex {
  const { log, codec, database } = deps;
  const { kind } = names;
  const prefix = kind.prefix(names.publisher);
  const letters = createOwnLetters(database);
  const records = createRecordBook(database, letters, kind);
  const slices = createSliceBook(database, kind.topic.name);
  const polls = createPollBook(database, slices, letters);
  const get = {
    position: database.prepare('SELECT next_offset FROM positions WHERE topic = ? AND partition = ?'),
    awaited: database.prepare('SELECT topic, partition, offset FROM awaited'),
  };
  const put = {
    position: database.prepare('INSERT OR REPLACE INTO positions VALUES (?, ?, ?)'),
    undecoded: database.prepare('INSERT OR IGNORE INTO undecoded VALUES (?, ?, ?, ?)'),
    decoded: database.prepare('DELETE FROM undecoded WHERE topic = ? AND partition = ? AND offset = ?'),
  };

  const takeLetter = (letter: DeadLetterFact, said_at: number): void => {
    const record_key = recordKeyOf(letter.key, prefix);
    const state = letters.take(letter, record_key, said_at);
    if (letter.topic === topics.feed_poll.name) {
      polls.forget(letter.offset);
    } else if (isClosed(state)) {
      records.close(record_key, letter.offset);
    }
  };

  const isOwn = (topic: string, key: string): boolean =>
    topic === topics.feed_poll.name
      ? key === names.feed
      : topic === kind.topic.name && key.startsWith(prefix);

  /** True when the message was taken in or is none of this feed's; false when it cannot be read. */
  const take = async ({ topic, partition, key, value, offset }: StoredMessage): Promise<boolean> => {
    if (topic === topics.dead_letter.name) {
      if (key !== names.feed && !key.startsWith(prefix)) return true;
      const decoded = await codec.decode(topics.dead_letter.name, value);
      if (decoded.outcome === 'ok' && isOwn(decoded.fact.topic, decoded.fact.key))
        takeLetter(decoded.fact, offset);
      return decoded.outcome === 'ok';
    }
    if (!isOwn(topic, key)) return true;
    if (topic === topics.feed_poll.name) {
      const decoded = await codec.decode(topics.feed_poll.name, value);
      if (decoded.outcome === 'ok' && decoded.fact.feed === names.feed) {
        polls.take(decoded.fact, { partition, offset });
      }
      return decoded.outcome === 'ok';
    }
    const decoded = await codec.decode(kind.topic.name, value);
    // A fact under another record's key says nothing about either: no reader of the log takes it as one.
    if (decoded.outcome !== 'ok' || key !== kind.messageKey(decoded.fact)) return false;
    const said = kind.said(decoded.fact);
    records.take(said, { partition, offset });
    slices.takeVersion(said.slice, said.version);
    return true;
  };

  const inTransaction = async (work: () => Promise<void>): Promise<void> => {
    database.exec('BEGIN');
    try {
      await work();
      database.exec('COMMIT');
    } catch (error) {
      // SQLite rolls back by itself on some failures (a full disk), and a second rollback would hide the first error.
      if (database.isTransaction) database.exec('ROLLBACK');
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
    const places = get.awaited.all().map((row) => ({
      topic: String(row['topic']),
      partition: Number(row['partition']),
      offset: Number(row['offset']),
    }));
    for await (const message of readPlaces(log, places)) {
      const { topic, partition, offset } = message;
      await inTransaction(async () => {
        if (await take(message)) put.decoded.run(topic, partition, offset);
      });
    }
  };

  const positionsOf = ({ name, partitions }: { name: string; partitions: number }): number[] =>
    Array.from({ length: partitions }, (_, partition) =>
      Number(get.position.get(name, partition)?.['next_offset'] ?? 0),
    );

  return {
    database,
    catchUp: async () => {
      // Letters first: every message that they are about is among those read after them.
      const read = [topics.dead_letter, kind.topic, topics.feed_poll];
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
    isSettled: (slice) => {
      const known = slices.known(slice);
      if (known === null || known.held > 0 || records.anyToMend(slice)) return false;
      return known.read_at > (letters.lastLost() ?? -Infinity) + clocks_apart_ms;
    },
    newestVersion: (slice) => slices.newestVersion(slice),
    record: (record_key) => records.known(record_key),
    held: (record_key) => records.isHeld(record_key),
    allHeld: () => records.held(),
    retries: () => letters.retries(),
    isNewest: ({ topic, offset, record_key }) =>
      offset >= (topic === topics.feed_poll.name ? polls.newest() : records.newest(record_key)),
    cursor: polls.cursor,
    close: () => database.close(),
  };
}

function recordKeyOf(key: string, prefix: string): string {
  return key.startsWith(prefix) ? key.slice(prefix.length) : '';
}
