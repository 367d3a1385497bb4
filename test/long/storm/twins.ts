import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { startTestKafka } from '../../support/kafka.ts';

/** A log that can be taken away from everybody and given back. */
export interface StormLog {
  /** Settings of the service for this log. */
  env: Record<string, string>;
  /** What it writes outside the data folder. */
  folders: readonly string[];
  away: () => Promise<void> | void;
  back: () => Promise<void> | void;
  stop: () => Promise<void> | void;
}

/** The embedded log has no process to kill: another one holds its file, and nobody else can append. */
export function heldFile(data_dir: string): StormLog {
  let holder: DatabaseSync | null = null;
  const back = (): void => {
    holder?.close();
    holder = null;
  };
  return {
    env: {},
    folders: [],
    away: () => {
      holder = new DatabaseSync(join(data_dir, 'log', 'log.sqlite'), { timeout: 60_000 });
      holder.exec('BEGIN IMMEDIATE');
    },
    back,
    stop: back,
  };
}

/** A broker of Apache Kafka that is killed with -9 and started again on what it has written. */
export async function killedBroker(): Promise<StormLog> {
  const kafka = await startTestKafka();
  const env = { KAFKA_BROKERS: kafka.brokers };
  return {
    env,
    folders: [kafka.folder],
    away: kafka.kill,
    back: kafka.start,
    stop: kafka.stop,
  };
}
