import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { dataFolder } from '../../runtime/config.ts';

const schema = `
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS positions (topic TEXT, partition INTEGER, next_offset INTEGER NOT NULL, PRIMARY KEY (topic, partition)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS records (
  record_key TEXT PRIMARY KEY, record_id TEXT NOT NULL, slice TEXT NOT NULL, hash TEXT NOT NULL, status TEXT NOT NULL,
  newest INTEGER NOT NULL, own TEXT, named TEXT NOT NULL, standings TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS records_by_slice ON records (slice);
CREATE TABLE IF NOT EXISTS slices (slice TEXT PRIMARY KEY, publisher_version TEXT, read_at INTEGER NOT NULL, records INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS undecoded (topic TEXT, partition INTEGER, offset INTEGER, record_key TEXT NOT NULL, PRIMARY KEY (topic, partition, offset)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS staged (record_key TEXT PRIMARY KEY, slice TEXT NOT NULL, hash TEXT NOT NULL, draft TEXT NOT NULL) WITHOUT ROWID;
`;

/** The layout's number: an index of another layout is thrown away, since the log holds all that is in it. */
const layout = '1';

/**
 * Opens the index's file for one log. It is disposable: made for another log, by another layout, or damaged, it is made anew and filled from
 * the log. So nothing here waits for the disk.
 */
export function openIndexDatabase(path: string, log_id: string): DatabaseSync {
  dataFolder(dirname(path));
  const database = tryOpen(path);
  if (database !== null) {
    const known = database.prepare("SELECT value FROM meta WHERE name = 'log'").get()?.['value'];
    if (known === `${layout}/${log_id}`) return database;
    if (known === undefined) {
      database.prepare("INSERT INTO meta (name, value) VALUES ('log', ?)").run(`${layout}/${log_id}`);
      return database;
    }
    database.close();
  }
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
  return openIndexDatabase(path, log_id);
}

function tryOpen(path: string): DatabaseSync | null {
  const database = new DatabaseSync(path);
  try {
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;');
    database.exec(schema);
    return database;
  } catch {
    database.close();
    return null;
  }
}
