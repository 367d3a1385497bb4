import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { dataFolder } from '../../runtime/config.ts';
import { HailmarkError, systemCode } from '../../runtime/errors.ts';

/** How long a writer waits for another process's transaction. Transactions are short; past this something is wrong. */
const busy_timeout_ms = 10_000;

const schema = `
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS topics (
  name TEXT PRIMARY KEY, partitions INTEGER NOT NULL, compacted INTEGER NOT NULL,
  retention_ms INTEGER, max_message_bytes INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS ends (
  topic TEXT NOT NULL, partition INTEGER NOT NULL, end_offset INTEGER NOT NULL, PRIMARY KEY (topic, partition)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS messages (
  topic TEXT NOT NULL, partition INTEGER NOT NULL, offset INTEGER NOT NULL,
  key TEXT NOT NULL, value BLOB, headers TEXT NOT NULL, appended_at INTEGER NOT NULL,
  PRIMARY KEY (topic, partition, offset)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS members (
  member TEXT PRIMARY KEY, group_name TEXT NOT NULL, topics TEXT NOT NULL, pid INTEGER NOT NULL, seen_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS held (
  group_name TEXT NOT NULL, topic TEXT NOT NULL, partition INTEGER NOT NULL, member TEXT NOT NULL,
  PRIMARY KEY (group_name, topic, partition)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS commits (
  group_name TEXT NOT NULL, topic TEXT NOT NULL, partition INTEGER NOT NULL, next_offset INTEGER NOT NULL,
  PRIMARY KEY (group_name, topic, partition)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS owners (resource TEXT PRIMARY KEY, epoch INTEGER NOT NULL) WITHOUT ROWID;
`;

export interface LogDatabase {
  folder: string;
  log_id: string;
  /** Reads run here and never inside a transaction: an open reader would keep appends waiting and the write-ahead log growing. */
  reader: DatabaseSync;
  /** Runs `work` in one immediate transaction on the writing connection. */
  write: <T>(work: (database: DatabaseSync) => T) => T;
  close: () => void;
}

/**
 * Opens (or makes) the log's file, shared by all processes of one machine. Separate connections for reading and writing, write-ahead
 * logging, and an fsync before any append is acknowledged.
 */
export function openLogDatabase(folder: string): LogDatabase {
  dataFolder(folder);
  const path = join(folder, 'log.sqlite');
  const writer = connect(path);
  const reader = connect(path);
  const write = <T>(work: (database: DatabaseSync) => T): T => {
    guarded(() => writer.exec('BEGIN IMMEDIATE'));
    try {
      const result = work(writer);
      writer.exec('COMMIT');
      return result;
    } catch (error) {
      writer.exec('ROLLBACK');
      throw error;
    }
  };
  const log_id = write((database) => {
    database.prepare('INSERT OR IGNORE INTO meta (name, value) VALUES (?, ?)').run('log_id', randomUUID());
    return String(database.prepare('SELECT value FROM meta WHERE name = ?').get('log_id')?.['value']);
  });
  return {
    folder,
    log_id,
    reader,
    write,
    close: () => {
      reader.close();
      writer.close();
    },
  };
}

function connect(path: string): DatabaseSync {
  return guarded(() => {
    const database = new DatabaseSync(path, { timeout: busy_timeout_ms });
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
    database.exec(schema);
    return database;
  });
}

/** SQLite's own failures (locked past the timeout, disk full, unreadable) as the log being away, which the caller retries. */
function guarded<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (systemCode(error) !== 'ERR_SQLITE_ERROR') throw error;
    throw new HailmarkError('HAIL_LOG_UNAVAILABLE', 'The log file cannot be used at the moment.', {
      cause: error,
    });
  }
}
