import type { Store } from '../store.ts';

/** What a batch said it would change, before it did. */
export interface Intent {
  topic: string;
  partition: number;
  first_offset: number;
  end_offset: number;
  cells: number[];
}

/** 64-bit numbers come as text or as numbers, by the server's settings. */
type StoredIntent = Omit<Intent, 'first_offset' | 'end_offset'> &
  Record<'first_offset' | 'end_offset', string | number>;

export async function writeIntent(store: Store, table: string, intent: Intent): Promise<void> {
  await store.insert(
    table,
    ['topic', 'partition', 'first_offset', 'end_offset', 'cells'],
    [[intent.topic, intent.partition, intent.first_offset, intent.end_offset, intent.cells]],
  );
}

/** Intents that reach beyond the given positions of a topic, by partition (a missing one counts as 0), ascending. */
export async function readIntentsAfter(
  store: Store,
  table: string,
  topic: string,
  positions: readonly number[],
): Promise<Intent[]> {
  const beyond = positions.map(
    (position, partition) => `(partition = ${partition} AND end_offset > ${position})`,
  );
  const others = `partition >= ${positions.length}`;
  const rows = await store.rows<StoredIntent>(
    `SELECT topic, partition, first_offset, end_offset, cells FROM ${table}
     WHERE topic = {topic:String} AND (${[...beyond, others].join(' OR ')}) ORDER BY partition, first_offset, end_offset`,
    { topic },
  );
  return rows.map((row) => ({
    ...row,
    first_offset: Number(row.first_offset),
    end_offset: Number(row.end_offset),
  }));
}
