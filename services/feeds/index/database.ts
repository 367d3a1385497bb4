import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { dataFolder } from '../../runtime/config.ts';

const schema = `
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS positions (topic TEXT, partition INTEGER, next_offset INTEGER NOT NULL, PRIMARY KEY (topic, partition)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS records (
  record_key TEXT PRIMARY KEY, record_id TEXT NOT NULL, slice TEXT NOT NULL, hash TEXT NOT NULL, status TEXT NOT NULL,
  newest INTEGER NOT NULL, version TEXT, own TEXT NOT NULL, named TEXT NOT NULL, standings TEXT NOT NULL, slices TEXT NOT NULL,
  valid INTEGER NOT NULL, complete INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS records_by_slice ON records (slice);
CREATE INDEX IF NOT EXISTS records_to_mend ON records (slice) WHERE complete = 0;
CREATE TABLE IF NOT EXISTS withdrawn_elsewhere (
  record_key TEXT, slice TEXT, partition INTEGER NOT NULL, offset INTEGER NOT NULL, PRIMARY KEY (record_key, slice)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS withdrawn_elsewhere_by_slice ON withdrawn_elsewhere (slice);
CREATE TABLE IF NOT EXISTS slices (slice TEXT PRIMARY KEY, publisher_version TEXT, read_at INTEGER NOT NULL, held INTEGER NOT NULL, poll INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS slices_by_poll ON slices (poll);
CREATE TABLE IF NOT EXISTS cursors (poll INTEGER PRIMARY KEY, read_through INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS versions (slice TEXT PRIMARY KEY, publisher_version TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS undecoded (topic TEXT, partition INTEGER, offset INTEGER, record_key TEXT NOT NULL, PRIMARY KEY (topic, partition, offset)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS undecoded_by_key ON undecoded (record_key);
CREATE TABLE IF NOT EXISTS letters (
  topic TEXT, partition INTEGER, offset INTEGER, record_key TEXT NOT NULL, state TEXT NOT NULL, said_at INTEGER NOT NULL,
  said_ms INTEGER NOT NULL,
  PRIMARY KEY (topic, partition, offset)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS letters_by_key ON letters (record_key);
CREATE INDEX IF NOT EXISTS letters_to_retry ON letters (topic, partition, offset) WHERE state = 'retry';
CREATE VIEW IF NOT EXISTS awaited AS SELECT * FROM undecoded WHERE NOT EXISTS (
  SELECT 1 FROM letters WHERE letters.topic = undecoded.topic AND letters.partition = undecoded.partition
  AND letters.offset = undecoded.offset AND letters.state IN ('settled', 'dropped')
);
CREATE TABLE IF NOT EXISTS validators (url TEXT PRIMARY KEY, etag TEXT, last_modified TEXT, sha256 TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS staged (slice TEXT, record_key TEXT, hash TEXT NOT NULL, draft TEXT NOT NULL, PRIMARY KEY (slice, record_key)) WITHOUT ROWID;
`;

/** The layout's number: an index of another layout is thrown away, since the log holds all that is in it. */
const layout = '5';

/**
 * Opens the index's file for one log. It is disposable: made for another log, by another layout, or damaged, it is made anew and filled
 * from the log. So a commit does not wait for the disk; it only must not leave a damaged file behind.
 */
export function openIndexDatabase(path: string, log_id: string): DatabaseSync {
  dataFolder(dirname(path));
  const wanted = `${layout}/${log_id}`;
  const database = tryOpen(path, wanted);
  if (database !== null) return database;
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
  const anew = tryOpen(path, wanted);
  if (anew === null) throw new Error(`the index at ${path} cannot be made anew`);
  return anew;
}

/** Null where the file is of another log or layout, or is no database at all. */
function tryOpen(path: string, wanted: string): DatabaseSync | null {
  const database = new DatabaseSync(path);
  try {
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;');
    if (layoutOf(database) !== wanted && !isEmpty(database)) throw new Error('another log or layout');
    database.exec(schema);
    database.prepare("INSERT OR IGNORE INTO meta VALUES ('log', ?)").run(wanted);
    return database;
  } catch {
    database.close();
    return null;
  }
}

function isEmpty(database: DatabaseSync): boolean {
  return database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined;
}

function layoutOf(database: DatabaseSync): unknown {
  return isEmpty(database)
    ? undefined
    : database.prepare("SELECT value FROM meta WHERE name = 'log'").get()?.['value'];
}

/** Forgets everything but which log it is of: the next catch-up reads that from its beginning. */
export function emptyIndex(database: DatabaseSync): void {
  const filled = [
    'positions',
    'records',
    'withdrawn_elsewhere',
    'slices',
    'cursors',
    'versions',
    'undecoded',
    'letters',
    'staged',
    'validators',
  ];
  for (const table of filled) {
    database.exec(`DELETE FROM ${table}`);
  }
  database.exec("DELETE FROM meta WHERE name <> 'log'");
}
