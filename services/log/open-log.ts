import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Config } from '../runtime/config.ts';
import { HailmarkError } from '../runtime/errors.ts';
import type { EventLog } from './event-log.ts';
import { createSqliteLog } from './sqlite/sqlite-log.ts';
import { topics } from './topics.ts';

/**
 * The log by configuration, with every topic made. A command that only looks makes `nothing`: no topic, and no log where there is none
 * (`HAIL_DATA_DIR`); one that makes topics itself makes the `log`.
 */
export async function openLog(
  config: Pick<Config, 'HAILMARK_DATA_DIR'>,
  { make = 'topics' }: { make?: 'topics' | 'log' | 'nothing' } = {},
): Promise<EventLog> {
  const folder = join(resolve(config.HAILMARK_DATA_DIR), 'log');
  if (make === 'nothing' && !existsSync(join(folder, 'log.sqlite'))) {
    throw new HailmarkError(
      'HAIL_DATA_DIR',
      `There is no log in ${folder}: start the service once, or set HAILMARK_DATA_DIR to the folder of the service's data.`,
    );
  }
  const log = await createSqliteLog({ folder });
  if (make !== 'topics') return log;
  try {
    await log.ensureTopics(Object.values(topics));
    return log;
  } catch (error) {
    await log.close();
    throw error;
  }
}
