import { topics } from '../../services/log/topics.ts';
import { pause } from '../../services/runtime/clock.ts';
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
  const rows = await countOf(store, 'rows_alone');
  const began = performance.now();
  await store.command(
    `INSERT INTO observations_alone SELECT * FROM rows_alone SETTINGS max_block_size = ${block_rows},
     max_insert_block_size = ${block_rows}, min_insert_block_size_rows = ${block_rows}, max_insert_threads = 1,
     optimize_on_insert = 0`,
  );
  return rateOf(rows, began);
}

/** How fast the engine's own Kafka table takes the topic's messages as text, undecoded: it has no codec for a registry of this address. */
export async function kafkaEngineRate(
  store: Store,
  brokers: string,
  ends: readonly number[],
): Promise<number | 'absent'> {
  const found = await store.rows("SELECT name FROM system.table_engines WHERE name = 'Kafka'");
  if (found.length === 0) return 'absent';
  await store.command(
    `CREATE TABLE messages_queue (value String) ENGINE = Kafka SETTINGS kafka_broker_list = '${brokers}',
     kafka_topic_list = '${topics.observation.name}', kafka_group_name = 'bench.${Date.now()}', kafka_format = 'RawBLOB',
     kafka_num_consumers = 1`,
  );
  await store.command('CREATE TABLE messages_alone (value String) ENGINE = MergeTree ORDER BY tuple()');
  const began = performance.now();
  await store.command(
    'CREATE MATERIALIZED VIEW messages_feed TO messages_alone AS SELECT value FROM messages_queue',
  );
  const wanted = ends.reduce((sum, end) => sum + end, 0);
  for (let rows = 0; rows < wanted; rows = await countOf(store, 'messages_alone')) await pause(100);
  const rate = rateOf(wanted, began);
  await store.command('DROP TABLE messages_feed SYNC');
  await store.command('DROP TABLE messages_queue SYNC');
  return rate;
}

async function countOf(store: Store, table: string): Promise<number> {
  const [row] = await store.rows<{ rows: string | number }>(`SELECT count() AS rows FROM ${table}`);
  return Number(row?.rows);
}

function rateOf(rows: number, began: number): number {
  return Math.round(rows / ((performance.now() - began) / 1_000));
}
