import type { DatabaseSync } from 'node:sqlite';
import type { FeedPollFact } from '../../log/facts.ts';

/** The newest complete reading of a slice. */
export interface KnownSlice {
  publisher_version: string | null;
  read_at: number;
  /** How many records it left unpublished because an earlier message of theirs cannot be decoded. */
  held: number;
}

export interface SliceBook {
  takeReadings: (fact: FeedPollFact, poll: number) => void;
  /** Takes back what a poll fact that turned out dead had said: no view knows that its slices were read. */
  forgetReadings: (poll: number) => void;
  takeVersion: (slice: string, publisher_version: string | null) => void;
  known: (slice: string) => KnownSlice | null;
  newestVersion: (slice: string) => string | null;
}

/**
 * The part of the index that knows slices: when each was read completely, and under which of the publisher's versions. `record_topic` is
 * the topic that the feed's records are published to.
 */
export function createSliceBook(database: DatabaseSync, record_topic: string): SliceBook {
  const get = {
    slice: database.prepare('SELECT publisher_version, read_at, held FROM slices WHERE slice = ?'),
    version: database.prepare('SELECT publisher_version FROM versions WHERE slice = ?'),
  };
  const read_again = database.prepare(
    'DELETE FROM withdrawn_elsewhere WHERE slice = ? AND partition = ? AND offset < ?',
  );
  const forget = database.prepare('DELETE FROM slices WHERE poll = ?');
  const put = {
    slice: database.prepare('INSERT OR REPLACE INTO slices VALUES (?, ?, ?, ?, ?)'),
    version: database.prepare(
      `INSERT INTO versions VALUES (?, ?) ON CONFLICT (slice) DO UPDATE
       SET publisher_version = max(publisher_version, excluded.publisher_version)`,
    ),
  };

  const known = (slice: string): KnownSlice | null => {
    const row = get.slice.get(slice);
    if (row === undefined) return null;
    return {
      publisher_version: textOrNull(row['publisher_version']),
      read_at: Number(row['read_at']),
      held: Number(row['held']),
    };
  };

  const takeVersion = (slice: string, publisher_version: string | null): void => {
    if (publisher_version !== null) put.version.run(slice, publisher_version);
  };

  return {
    known,
    takeVersion,
    takeReadings: (fact, poll) => {
      for (const { slice, complete, publisher_version, held } of fact.readings) {
        if (!complete) continue;
        takeVersion(slice, publisher_version);
        const before = known(slice);
        // Facts can arrive out of order, where one could not be decoded at first. The latest reading counts, not the one of the newest
        // version: while that one could not be known an older version may have been published, so the newest must be read again.
        if (before !== null && fact.ended_at < before.read_at) continue;
        put.slice.run(slice, publisher_version, fact.ended_at, held.length, poll);
        for (const { topic, partition, end_offset } of fact.offsets) {
          if (topic === record_topic) read_again.run(slice, partition, end_offset);
        }
      }
    },
    forgetReadings: (poll) => void forget.run(poll),
    newestVersion: (slice) => textOrNull(get.version.get(slice)?.['publisher_version']),
  };
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
