import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { HailmarkError } from '../../runtime/errors.ts';

/** The file's layout. A file of another layout is refused, because its messages are the truth and must not be guessed at. */
const layout = 2;

/**
 * A stream is one partition of one topic. A message's position is its stream and its offset in one number, so that a partition lies
 * together in the file, in order, under SQLite's own row key: `stream * stream_width + offset`, a safe integer below 8,192 streams.
 */
export const stream_width = 2 ** 40;
export const max_streams = 2 ** 13 - 1;

const tables = `
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE topics (
  name TEXT PRIMARY KEY, partitions INTEGER NOT NULL, compacted INTEGER NOT NULL,
  retention_ms INTEGER, max_message_bytes INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE streams (
  stream INTEGER PRIMARY KEY, topic TEXT NOT NULL, partition INTEGER NOT NULL, end_offset INTEGER NOT NULL,
  UNIQUE (topic, partition)
);
CREATE TABLE messages (
  position INTEGER PRIMARY KEY, key TEXT NOT NULL, value BLOB, headers TEXT, appended_at INTEGER NOT NULL
);
CREATE TABLE newest (
  stream INTEGER NOT NULL, key TEXT NOT NULL, position INTEGER NOT NULL, PRIMARY KEY (stream, key)
) WITHOUT ROWID;
CREATE TABLE group_generations (group_name TEXT PRIMARY KEY, generation INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE members (
  group_name TEXT NOT NULL, member TEXT NOT NULL, topics TEXT NOT NULL, host TEXT NOT NULL, pid INTEGER NOT NULL,
  beats INTEGER NOT NULL, PRIMARY KEY (group_name, member)
) WITHOUT ROWID;
CREATE TABLE holdings (
  group_name TEXT NOT NULL, topic TEXT NOT NULL, partition INTEGER NOT NULL, member TEXT NOT NULL, generation INTEGER NOT NULL,
  PRIMARY KEY (group_name, topic, partition)
) WITHOUT ROWID;
CREATE TABLE commits (
  group_name TEXT NOT NULL, topic TEXT NOT NULL, partition INTEGER NOT NULL, next_offset INTEGER NOT NULL,
  PRIMARY KEY (group_name, topic, partition)
) WITHOUT ROWID;
CREATE TABLE owners (resource TEXT PRIMARY KEY, epoch INTEGER NOT NULL, pid INTEGER) WITHOUT ROWID;
`;

/** Makes the tables of a new file, within the caller's transaction, and returns the log's id. */
export function prepareSchema(database: DatabaseSync, path: string): string {
  const found = Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
  const empty = database.prepare('SELECT count(*) AS n FROM sqlite_schema').get()?.['n'] === 0;
  if (empty) {
    database.exec(tables);
    database.exec(`PRAGMA user_version = ${layout}`);
    database.prepare("INSERT INTO meta (name, value) VALUES ('log_id', ?)").run(randomUUID());
  } else if (found !== layout) {
    throw new HailmarkError(
      'HAIL_DATA_DIR',
      `The log file ${path} was made by another version of Hailmark (layout ${found}, this one reads ${layout}): use that version, or ` +
        'set HAILMARK_DATA_DIR to another folder.',
    );
  }
  return String(database.prepare("SELECT value FROM meta WHERE name = 'log_id'").get()?.['value']);
}
