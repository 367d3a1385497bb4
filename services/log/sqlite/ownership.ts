import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { dataFolder } from '../../runtime/config.ts';
import { HailmarkError, systemCode } from '../../runtime/errors.ts';
import type { Ownership } from '../event-log.ts';
import type { LogDatabase } from './database.ts';

/**
 * Ownership is a lock that the operating system holds for the living process (an exclusive transaction on a file of its own), so that a
 * killed owner's is free at once; and an epoch in the log that every append of an owner checks, so that a late one cannot write.
 */
export function claimResource(database: LogDatabase, resource: string): Ownership {
  const folder = dataFolder(join(database.folder, 'owners'));
  const lock = new DatabaseSync(join(folder, `${resource.replaceAll('/', '.')}.lock`), { timeout: 0 });
  try {
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE;');
  } catch (error) {
    lock.close();
    if (systemCode(error) !== 'ERR_SQLITE_ERROR') throw error;
    throw new HailmarkError(
      'HAIL_OWNED_ELSEWHERE',
      `Another running process owns ${resource}: stop it, or let this one use another HAILMARK_DATA_DIR.`,
      { cause: error },
    );
  }
  const epoch = database.write((writer) => {
    writer
      .prepare(
        'INSERT INTO owners (resource, epoch) VALUES (?, 1) ON CONFLICT (resource) DO UPDATE SET epoch = epoch + 1',
      )
      .run(resource);
    return Number(writer.prepare('SELECT epoch FROM owners WHERE resource = ?').get(resource)?.['epoch']);
  });
  return {
    resource,
    epoch,
    release: () => {
      if (lock.isOpen) lock.close();
      return Promise.resolve();
    },
  };
}
