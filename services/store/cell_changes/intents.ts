import { encodeBlock, native, type NativeColumn } from '../native.ts';
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

const columns: readonly NativeColumn<Intent>[] = [
  native.label('topic', ({ topic }) => topic),
  native.uint16('partition', ({ partition }) => partition),
  native.uint64('first_offset', ({ first_offset }) => first_offset),
  native.uint64('end_offset', ({ end_offset }) => end_offset),
  native.uint32s('cells', ({ cells }) => cells),
];

/** As a block: a large batch touches thousands of cells. */
export async function writeIntent(store: Store, table: string, intent: Intent): Promise<void> {
  await store.insertBlock(table, encodeBlock(columns, [intent]));
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
