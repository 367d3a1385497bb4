import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventLog } from '../../services/log/event-log.ts';
import { createSqliteLog } from '../../services/log/sqlite/sqlite-log.ts';
import { topics } from '../../services/log/topics.ts';

export interface TemporaryLog {
  log: EventLog;
  /** The log's own folder, for a second opening of the same log. */
  folder: string;
  /** Closes the log and removes its folder. */
  dispose: () => Promise<void>;
}

/** A new, empty log with every topic made, in a folder of its own. */
export async function temporaryLog(): Promise<TemporaryLog> {
  const folder = mkdtempSync(join(tmpdir(), 'hailmark-log-'));
  const log = await createSqliteLog({ folder });
  await log.ensureTopics(Object.values(topics));
  return {
    log,
    folder,
    dispose: async () => {
      await log.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
