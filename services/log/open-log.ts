import { join, resolve } from 'node:path';
import type { Config } from '../runtime/config.ts';
import type { EventLog } from './event-log.ts';
import { createSqliteLog } from './sqlite/sqlite-log.ts';
import { topics } from './topics.ts';

/** The log by configuration, with every topic made. */
export async function openLog(config: Pick<Config, 'HAILMARK_DATA_DIR'>): Promise<EventLog> {
  const log = await createSqliteLog({ folder: join(resolve(config.HAILMARK_DATA_DIR), 'log') });
  try {
    await log.ensureTopics(Object.values(topics));
    return log;
  } catch (error) {
    await log.close();
    throw error;
  }
}
