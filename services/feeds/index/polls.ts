import type { DatabaseSync } from 'node:sqlite';
import type { FeedPollFact } from '../../log/facts.ts';
import { topics } from '../../log/topics.ts';
import type { OwnLetters } from './letters.ts';
import type { SliceBook } from './slices.ts';

export interface PollBook {
  /** Takes in a poll of the feed. One that has a dead letter stands in no view, so what it says was never said. */
  take: (fact: FeedPollFact, place: { partition: number; offset: number }) => void;
  /** Takes back what a poll that turned out dead had said: its slices have to be read again. */
  forget: (offset: number) => void;
  /** The offset of the newest poll that somebody waits for, whether it can be decoded or not; -1 where there is none. */
  newest: () => number;
  /** The newest `read_through` of live polls, epoch milliseconds. */
  cursor: () => number | null;
}

/** The part of the index that knows the feed's own polls. */
export function createPollBook(database: DatabaseSync, slices: SliceBook, letters: OwnLetters): PollBook {
  const topic = topics.feed_poll.name;
  const get = {
    cursor: database.prepare('SELECT max(read_through) AS cursor FROM cursors'),
    newest: database.prepare("SELECT value FROM meta WHERE name = 'newest_poll'"),
    awaited: database.prepare('SELECT max(offset) AS offset FROM awaited WHERE topic = ?'),
  };
  const put = {
    cursor: database.prepare('INSERT OR REPLACE INTO cursors VALUES (?, ?)'),
    no_cursor: database.prepare('DELETE FROM cursors WHERE poll = ?'),
    newest: database.prepare("INSERT OR REPLACE INTO meta VALUES ('newest_poll', ?)"),
  };

  const cursor = (): number | null => numberOf(get.cursor.get()?.['cursor']);
  const newestTaken = (): number => Number(get.newest.get()?.['value'] ?? -1);

  return {
    take: (fact, { partition, offset }) => {
      put.newest.run(String(Math.max(offset, newestTaken())));
      if (letters.has({ topic, partition, offset })) return;
      slices.takeReadings(fact, offset);
      if (fact.mode !== 'live' || fact.read_through === null) return;
      if (fact.read_through >= (cursor() ?? -Infinity)) put.cursor.run(offset, fact.read_through);
    },
    forget: (offset) => {
      slices.forgetReadings(offset);
      put.no_cursor.run(offset);
    },
    newest: () => Math.max(newestTaken(), numberOf(get.awaited.get(topic)?.['offset']) ?? -1),
    cursor,
  };
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}
