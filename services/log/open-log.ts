import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Config } from '../runtime/config.ts';
import { HailmarkError } from '../runtime/errors.ts';
import type { EventLog } from './event-log.ts';
import { createKafkaLog } from './kafka/kafka-log.ts';
import { createSqliteLog } from './sqlite/sqlite-log.ts';
import { topics } from './topics.ts';

export interface OpenOptions {
  /** What is made where it is missing: every topic, the log alone, or nothing, for a command that only looks (`HAIL_DATA_DIR`). */
  make?: 'topics' | 'log' | 'nothing';
}

/** The log by configuration: on Kafka where `KAFKA_BROKERS` is set, else a file in the data folder. */
export async function openLog(config: Config, { make = 'topics' }: OpenOptions = {}): Promise<EventLog> {
  const { KAFKA_BROKERS, ...rest } = config;
  const log =
    KAFKA_BROKERS === undefined
      ? await openFile(config.HAILMARK_DATA_DIR, make === 'nothing')
      : await createKafkaLog({ ...rest, KAFKA_BROKERS }, { must_exist: make === 'nothing' });
  if (make !== 'topics') return log;
  try {
    await log.ensureTopics(Object.values(topics));
    return log;
  } catch (error) {
    await log.close();
    throw error;
  }
}

async function openFile(data_dir: string, must_exist: boolean): Promise<EventLog> {
  const folder = join(resolve(data_dir), 'log');
  if (must_exist && !existsSync(join(folder, 'log.sqlite'))) {
    throw new HailmarkError(
      'HAIL_DATA_DIR',
      `There is no log in ${folder}: start the service once, or set HAILMARK_DATA_DIR to the folder of the service's data.`,
    );
  }
  return createSqliteLog({ folder });
}
