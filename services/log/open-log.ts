import { join, resolve } from 'node:path';
import type { Config } from '../runtime/config.ts';
import type { EventLog } from './event-log.ts';
import { createKafkaLog } from './kafka/kafka-log.ts';
import { createSqliteLog } from './sqlite/sqlite-log.ts';
import { topics } from './topics.ts';

/** The log by configuration, with every topic made: on Kafka where `KAFKA_BROKERS` is set, else a file in the data folder. */
export async function openLog(config: Config): Promise<EventLog> {
  const { KAFKA_BROKERS, ...rest } = config;
  const log =
    KAFKA_BROKERS === undefined
      ? await createSqliteLog({ folder: join(resolve(config.HAILMARK_DATA_DIR), 'log') })
      : await createKafkaLog({ ...rest, KAFKA_BROKERS });
  try {
    await log.ensureTopics(Object.values(topics));
    return log;
  } catch (error) {
    await log.close();
    throw error;
  }
}
