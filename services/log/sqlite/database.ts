import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { pause } from '../../runtime/clock.ts';
import { dataFolder } from '../../runtime/config.ts';
import { busyCode, translated } from './failures.ts';
import { createNews, type News } from './news.ts';
import { prepareSchema } from './schema.ts';

/** How long a writer waits for its turn. Transactions last milliseconds; past this something holds the file that should not. */
const longest_wait_ms = 15_000;
/** Readers meet a lock only while another process recovers or leaves; SQLite itself waits for them. */
const reader_wait_ms = 5_000;
/** Pages of the write-ahead log (4 KiB each) that stay allocated after a checkpoint; without a bound a burst keeps its size for ever. */
const wal_bytes = 64 * 1024 * 1024;

/** Prepares a statement, or returns the one prepared before. */
export type Statements = (sql: string) => StatementSync;

export interface LogDatabase {
  folder: string;
  log_id: string;
  news: News;
  /** Aborts when the log is being closed: from then on nobody waits for a turn of the file. */
  closing: AbortSignal;
  /**
   * Reads outside any transaction, on a connection of their own. `work` finishes every statement before it returns: an open one would make
   * appends fail and the write-ahead log grow.
   */
  read: <T>(work: (sql: Statements) => T) => T;
  /**
   * Runs `work` in one immediate transaction, durable when it resolves; calls take their turns in the order they came. Waits for other
   * processes without blocking this one, and gives the event loop a turn. Throws `HAIL_LOG_UNAVAILABLE` when the turn does not come or the disk refuses.
   */
  write: <T>(work: (sql: Statements) => T) => Promise<T>;
  /**
   * As `write`, without waiting for the disk: for what concerns living processes alone (members, what they hold, how far they are). A process
   * that is killed loses nothing of it; a machine that loses power may lose the last of it, together with those processes. What is written
   * durably afterwards makes it durable too.
   */
  note: <T>(work: (sql: Statements) => T) => Promise<T>;
  close: () => Promise<void>;
}

/** Opens (or makes) the log's file, which all processes of one machine share. */
export async function openLogDatabase(folder: string): Promise<LogDatabase> {
  dataFolder(folder);
  const path = join(folder, 'log.sqlite');
  const writer = await patiently(() => connect(path, 0));
  const closing = new AbortController();
  const begin = (): Promise<void> => patiently(() => writer.exec('BEGIN IMMEDIATE'), closing.signal);
  const written = statementsOf(writer);

  const transaction = async <T>(work: (sql: Statements) => T): Promise<T> => {
    await begin();
    try {
      const result = work(written);
      writer.exec('COMMIT');
      return result;
    } catch (error) {
      // SQLite rolls back by itself on some failures (a full disk), and a second rollback would hide the first error.
      if (writer.isTransaction) writer.exec('ROLLBACK');
      throw translated(error);
    }
  };

  let log_id: string;
  let reader: DatabaseSync;
  try {
    log_id = await transaction(() => prepareSchema(writer, path));
    reader = await patiently(() => connect(path, reader_wait_ms));
  } catch (error) {
    writer.close();
    throw error;
  }
  const read_only = statementsOf(reader);
  const news = createNews(reader, closing.signal);
  let turn: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = turn.then(work).finally(eventLoopTurn);
    turn = result.then(news.wake, () => undefined);
    return result;
  };
  const withoutWaiting = async <T>(work: () => Promise<T>): Promise<T> => {
    writer.exec('PRAGMA synchronous = NORMAL');
    try {
      return await work();
    } finally {
      writer.exec('PRAGMA synchronous = FULL');
    }
  };

  return {
    folder,
    log_id,
    news,
    closing: closing.signal,
    read: (work) => {
      try {
        return work(read_only);
      } catch (error) {
        throw translated(error);
      }
    },
    write: (work) => inTurn(() => transaction(work)),
    note: (work) => inTurn(() => withoutWaiting(() => transaction(work))),
    close: async () => {
      closing.abort();
      await turn;
      if (reader.isOpen) reader.close();
      if (writer.isOpen) writer.close();
    },
  };
}

/**
 * SQLite's work is done when its call returns, so a loop that awaits nothing else would never let a timer, a socket or a signal of its own
 * process come up. Every write and every page of a scan ends with a real turn.
 */
export function eventLoopTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function connect(path: string, timeout: number): DatabaseSync {
  const database = new DatabaseSync(path, { timeout });
  try {
    database.exec(
      `PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA journal_size_limit = ${wal_bytes};`,
    );
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function statementsOf(database: DatabaseSync): Statements {
  const known = new Map<string, StatementSync>();
  return (sql) => {
    const statement = known.get(sql) ?? database.prepare(sql);
    known.set(sql, statement);
    return statement;
  };
}

/**
 * Tries until the lock is free. Asking often matters more than asking politely: a bulk writer of another process leaves the lock free for a
 * fraction of a millisecond between its transactions, and SQLite's own waiting, which pauses up to 100 ms, would miss it for seconds.
 */
async function patiently<T>(work: () => T, signal?: AbortSignal): Promise<T> {
  const until = performance.now() + longest_wait_ms;
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!busyCode(error) || performance.now() > until || signal?.aborted === true) throw translated(error);
    }
    await pause(1);
  }
}
