import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { HailmarkError } from '../../runtime/errors.ts';
import { translated } from './failures.ts';

const wait_ms = 15_000;

/** What a copy of the log's file holds. */
export interface LogSnapshot {
  log_id: string;
  /** Next offset of each partition, by topic. */
  end_offsets: Record<string, number[]>;
}

/**
 * Copies the log of a folder, as it stands at one moment, into a file that must not be there yet, while other processes go on appending.
 * SQLite's own online backup begins anew with every append of another process and might never end; VACUUM INTO reads one snapshot.
 */
export function copyLog(folder: string, target: string): LogSnapshot {
  const path = join(folder, 'log.sqlite');
  if (!existsSync(path))
    throw new HailmarkError(
      'HAIL_DATA_DIR',
      `There is no log in ${folder}: set HAILMARK_DATA_DIR to the folder of the service's data.`,
    );
  return inDatabase(path, (database) => {
    database.prepare('VACUUM INTO ?').run(target);
    return readSnapshot(target);
  });
}

/** Reads a copy through and says what it holds; a damaged one is an error. */
export function readSnapshot(path: string): LogSnapshot {
  return inDatabase(path, (database) => {
    const verdict = Object.values(database.prepare('PRAGMA integrity_check(1)').get() ?? {})[0];
    if (verdict !== 'ok')
      throw new HailmarkError('HAIL_DATA_DIR', `The copy of the log ${path} is damaged: make another.`);
    const id = database.prepare("SELECT value FROM meta WHERE name = 'log_id'").get()?.['value'];
    const end_offsets: Record<string, number[]> = {};
    for (const row of database
      .prepare('SELECT topic, end_offset FROM streams ORDER BY topic, partition')
      .all())
      (end_offsets[String(row['topic'])] ??= []).push(Number(row['end_offset']));
    return { log_id: String(id), end_offsets };
  });
}

function inDatabase<T>(path: string, work: (database: DatabaseSync) => T): T {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { timeout: wait_ms, readOnly: true });
    return work(database);
  } catch (error) {
    throw translated(error);
  } finally {
    if (database?.isOpen === true) database.close();
  }
}
