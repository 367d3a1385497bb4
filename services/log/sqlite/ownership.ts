import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { dataFolder } from '../../runtime/config.ts';
import { HailmarkError } from '../../runtime/errors.ts';
import type { Ownership } from '../event-log.ts';
import type { LogDatabase } from './database.ts';
import { busyCode, translated } from './failures.ts';

/**
 * Ownership is a lock that the operating system holds for the living process (an exclusive transaction on a file of its own), so that a
 * killed owner's is free at once; and an epoch in the log that every append of an owner checks, so that a late one cannot write.
 */
export async function claimResource(database: LogDatabase, resource: string): Promise<Ownership> {
  const folder = dataFolder(join(database.folder, 'owners'));
  const lock = lockFile(join(folder, `${encodeURIComponent(resource)}.lock`));
  if (lock === null) throw ownedElsewhere(database, resource);
  const raise = (pid: number | null): Promise<number> =>
    database.write((sql) => {
      sql(
        `INSERT INTO owners (resource, epoch, pid) VALUES (?, 1, ?)
         ON CONFLICT (resource) DO UPDATE SET epoch = epoch + 1, pid = excluded.pid`,
      ).run(resource, pid);
      return Number(sql('SELECT epoch FROM owners WHERE resource = ?').get(resource)?.['epoch']);
    });
  const unlock = (): void => {
    if (lock.isOpen) lock.close();
  };
  try {
    const epoch = await raise(process.pid);
    database.closing.addEventListener('abort', unlock, { once: true });
    return {
      resource,
      epoch,
      release: async () => {
        if (!lock.isOpen) return;
        // The epoch moves first, so that nobody can append with this ownership once the lock may be another's.
        await raise(null);
        database.closing.removeEventListener('abort', unlock);
        unlock();
      },
    };
  } catch (error) {
    unlock();
    throw error;
  }
}

/** The locked file, or null while another connection, of whatever process, holds it. */
function lockFile(path: string): DatabaseSync | null {
  const lock = new DatabaseSync(path, { timeout: 0 });
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock.close();
    if (busyCode(error)) return null;
    throw translated(error);
  }
}

function ownedElsewhere(database: LogDatabase, resource: string): HailmarkError {
  const pid = database.read((sql) => sql('SELECT pid FROM owners WHERE resource = ?').get(resource))?.['pid'];
  const who = typeof pid === 'number' ? `Another running process (${pid})` : 'Another running process';
  return new HailmarkError(
    'HAIL_OWNED_ELSEWHERE',
    `${who} owns ${resource}: stop it, or let this one use another HAILMARK_DATA_DIR.`,
  );
}
