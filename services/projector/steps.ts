import { writeIntent } from '../store/cell_changes/intents.ts';
import { writePosition } from '../store/positions.ts';
import { tableName } from '../store/projections.ts';
import type { Store } from '../store/store.ts';
import type { BatchRows, Projection, TableBlock, TableRows } from './projection.ts';

export interface BatchRange {
  topic: string;
  partition: number;
  first_offset: number;
  end_offset: number;
}

export type StepName = 'intent' | 'rows' | 'others' | 'position';

export interface Step {
  name: StepName;
  run: () => Promise<void>;
}

/**
 * The four steps of a batch, to be awaited one after another. Each may be repeated: intents and positions replace themselves, rows have
 * their revision. A batch that dies between two of them is written again from the position, and ends the same.
 */
export function stepsOf(
  store: Store,
  projection: Projection,
  log_id: string,
  range: BatchRange,
  made: BatchRows,
  now: () => number,
): Step[] {
  const { topic, partition, first_offset, end_offset } = range;
  return [
    {
      name: 'intent',
      run: async () => {
        if (made.cells === null) return;
        const table = tableName('cell_changes', projection.version);
        await writeIntent(store, table, { topic, partition, first_offset, end_offset, cells: made.cells });
      },
    },
    {
      name: 'rows',
      run: async () => {
        if (made.rows !== null) await insertRows(store, made.rows);
      },
    },
    {
      name: 'others',
      run: async () => {
        for (const other of made.others) await insertRows(store, other);
      },
    },
    {
      name: 'position',
      run: () =>
        writePosition(
          store,
          projection.name,
          projection.version,
          { topic, partition, log_id, next_offset: end_offset },
          now(),
        ),
    },
  ];
}

/** One insert of one block, in either form. */
export function insertRows(store: Store, made: TableRows | TableBlock): Promise<void> {
  return 'block' in made
    ? store.insertBlock(made.table, made.block)
    : store.insert(made.table, made.columns, made.rows);
}
