import type { Store } from './store.ts';
import { storedInstant } from './projections.ts';

/** Where one projection version stands in one partition of one log. */
export interface Position {
  topic: string;
  partition: number;
  log_id: string;
  next_offset: number;
}

/** All positions of a projection version; of several rows the greatest counts, so positions never go back. */
export async function readPositions(store: Store, projection: string, version: number): Promise<Position[]> {
  const rows = await store.rows<{
    topic: string;
    partition: number;
    log_id: string;
    next_offset: string | number;
  }>(
    `SELECT topic, partition, log_id, max(next_offset) AS next_offset FROM projector_positions
     WHERE projection = {projection:String} AND version = {version:UInt16}
     GROUP BY topic, partition, log_id ORDER BY topic, partition, log_id`,
    { projection, version },
  );
  return rows.map((row) => ({ ...row, next_offset: Number(row.next_offset) }));
}

/** The same of every version of every projection, in one statement. */
export async function readAllPositions(
  store: Store,
): Promise<(Position & { projection: string; version: number })[]> {
  const rows = await store.rows<
    Omit<Position, 'next_offset'> & { projection: string; version: number; next_offset: string | number }
  >(
    `SELECT projection, version, topic, partition, log_id, max(next_offset) AS next_offset FROM projector_positions
     GROUP BY projection, version, topic, partition, log_id`,
  );
  return rows.map((row) => ({ ...row, next_offset: Number(row.next_offset) }));
}

/** Writes positions, all in one insert. A lower one than there is does no harm, and no good: the greatest counts. */
export async function writePositions(
  store: Store,
  projection: string,
  version: number,
  positions: readonly Position[],
  stored_at: number,
): Promise<void> {
  await store.insert(
    'projector_positions',
    ['projection', 'version', 'topic', 'partition', 'log_id', 'next_offset', 'stored_at'],
    positions.map(({ topic, partition, log_id, next_offset }) => [
      projection,
      version,
      topic,
      partition,
      log_id,
      next_offset,
      storedInstant(stored_at),
    ]),
  );
}

export function writePosition(
  store: Store,
  projection: string,
  version: number,
  position: Position,
  stored_at: number,
): Promise<void> {
  return writePositions(store, projection, version, [position], stored_at);
}
