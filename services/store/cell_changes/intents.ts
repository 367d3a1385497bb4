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

/** The condition on a topic's intents that reach beyond positions, by partition; a partition that is missing stands at 0. */
export function reachingBeyond(positions: readonly number[]): string {
  const beyond = positions.map(
    (position, partition) => `(partition = ${partition} AND end_offset > ${position})`,
  );
  return [...beyond, `partition >= ${positions.length}`].join(' OR ');
}
