import type { DataPosition } from '../data-position.ts';
import { tableName } from '../projections.ts';
import type { Store } from '../store.ts';
import { reachingBeyond, type Intent } from './intents.ts';

/** What has happened to the observations since a position. */
export interface Changes {
  position: DataPosition;
  /** By topic: what reaches beyond the position that was asked from, ascending in each partition. */
  intents: Intent[][];
  /** True where there were more intents than anybody wants to read: those that are here tell nothing. */
  is_cut: boolean;
}

/** A backlog's batch names thousands of cells: reading more of these costs more than reading the cells anew. */
const most_intents = 256;

type Row = Record<'first_offset' | 'end_offset', string | number> & {
  topic: string;
  partition: number;
  log_id: string;
  cells: number[];
  is_intent: 0 | 1;
};

/**
 * Where a version stands now and which cells may have changed since, in one statement: it is asked with every answer. The two tables are
 * not read at one moment, which `coverAll` finds out where it matters. `since` null asks for the position alone.
 */
export async function readChangesSince(
  store: Store,
  version: number,
  topics: readonly string[],
  since: DataPosition['offsets'] | null,
): Promise<Changes> {
  const listed = topics.map((topic, at) => `(topic = '${topic}' AND (${reachingBeyond(since?.[at] ?? [])}))`);
  const rows = await store.rows<Row>(
    `SELECT toString(topic) AS topic, partition, toString(log_id) AS log_id, toUInt64(0) AS first_offset,
       max(next_offset) AS end_offset, CAST([], 'Array(UInt32)') AS cells, 0 AS is_intent
     FROM projector_positions WHERE projection = 'observations' AND version = {version:UInt16} GROUP BY topic, partition, log_id` +
      (since === null
        ? ''
        : ` UNION ALL
     SELECT toString(topic), partition, '', first_offset, end_offset, cells, 1
     FROM ${tableName('cell_changes', version)} WHERE ${listed.join(' OR ')} LIMIT ${most_intents + 1}`),
    { version },
  );
  const intents = topics.map((): Intent[] => []);
  const offsets = topics.map((): number[] => []);
  let [log_id, count] = ['', 0];
  for (const row of rows) {
    const at = topics.indexOf(row.topic);
    const of = offsets[at];
    if (of === undefined) continue;
    const { topic, partition, cells } = row;
    const [first_offset, end_offset] = [Number(row.first_offset), Number(row.end_offset)];
    if (row.is_intent === 1) {
      intents[at]?.push({ topic, partition, first_offset, end_offset, cells });
      count += 1;
    } else {
      while (of.length <= partition) of.push(0);
      of[partition] = Math.max(of[partition] ?? 0, end_offset);
      log_id = row.log_id;
    }
  }
  for (const own of intents)
    own.sort(
      (a, b) => a.partition - b.partition || a.first_offset - b.first_offset || a.end_offset - b.end_offset,
    );
  return { position: { log_id, offsets }, intents, is_cut: count > most_intents };
}
