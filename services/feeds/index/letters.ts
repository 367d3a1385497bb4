import type { DatabaseSync } from 'node:sqlite';
import type { DeadLetterFact, DeadLetterState } from '../../log/facts.ts';
import { isClosed, nextState, type MessagePlace } from '../../log/letters/state.ts';

export interface KnownLetter extends MessagePlace {
  /** The record of an observation; empty for a poll. */
  record_key: string;
}

export interface OwnLetters {
  /** Takes in what is said at `said_at` of the letters' topic; what was said earlier changes nothing any more. Returns the state. */
  take: (letter: DeadLetterFact, record_key: string, said_at: number) => DeadLetterState;
  /** True for a message that has a letter: it stands in no view, and never will. */
  has: (place: MessagePlace) => boolean;
  /** True where nobody waits for a record's message any more: it was settled or dropped. */
  isClosed: (topic: string, record_key: string, offset: number) => boolean;
  /**
   * When the newest message was dropped that the index could never read, epoch milliseconds: what it said, and of which slice, nobody knows.
   */
  lastLost: () => number | null;
  /** Letters that were asked to be retried, in the order of their messages. */
  retries: () => KnownLetter[];
}

/** The part of the index that knows the dead letters of the feed's own messages. */
export function createOwnLetters(database: DatabaseSync): OwnLetters {
  const get = {
    letter: database.prepare(
      'SELECT state, said_at FROM letters WHERE topic = ? AND partition = ? AND offset = ?',
    ),
    of_record: database.prepare(
      'SELECT state FROM letters WHERE topic = ? AND record_key = ? AND offset = ?',
    ),
    retries: database.prepare(
      "SELECT topic, partition, offset, record_key FROM letters WHERE state = 'retry' ORDER BY topic, partition, offset",
    ),
  };
  const lost = database.prepare(
    `SELECT max(said_ms) AS at FROM letters JOIN undecoded USING (topic, partition, offset) WHERE state = 'dropped'`,
  );
  const put = database.prepare('INSERT OR REPLACE INTO letters VALUES (?, ?, ?, ?, ?, ?, ?)');

  return {
    take: ({ topic, partition, offset, state: said, failed_at }, record_key, said_at) => {
      const row = get.letter.get(topic, partition, offset);
      const before = row === undefined ? null : (String(row['state']) as DeadLetterState);
      // One that could not be read at first can come late.
      if (before !== null && Number(row?.['said_at']) > said_at) return before;
      const state = nextState(before, said);
      put.run(topic, partition, offset, record_key, state, said_at, failed_at);
      return state;
    },
    has: ({ topic, partition, offset }) => get.letter.get(topic, partition, offset) !== undefined,
    isClosed: (topic, record_key, offset) => {
      const row = get.of_record.get(topic, record_key, offset);
      return row !== undefined && isClosed(String(row['state']) as DeadLetterState);
    },
    lastLost: () => {
      const at = lost.get()?.['at'];
      return typeof at === 'number' ? at : null;
    },
    retries: () =>
      get.retries.all().map((row) => ({
        topic: String(row['topic']),
        partition: Number(row['partition']),
        offset: Number(row['offset']),
        record_key: String(row['record_key']),
      })),
  };
}
