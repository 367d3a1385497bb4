import type { Store } from './store.ts';

/** Where all versions of a projection are to stand still in one partition. */
export interface Hold {
  projection: string;
  topic: string;
  partition: number;
  /** Nothing at or beyond this offset is stored. */
  hold_at: number;
  /** Grows while the holder lives. */
  beat: number;
}

/** All holds that have not been lifted; whether their holder lives is for the reader to find out from the beat. */
export async function readHolds(store: Store): Promise<Hold[]> {
  const rows = await store.rows<Record<keyof Hold, string | number>>(
    'SELECT projection, topic, partition, hold_at, beat FROM projection_holds FINAL WHERE lifted = 0',
  );
  return rows.map((row) => ({
    projection: String(row.projection),
    topic: String(row.topic),
    partition: Number(row.partition),
    hold_at: Number(row.hold_at),
    beat: Number(row.beat),
  }));
}

/** The greatest beat that a projection's holds have ever had: the next holder begins beyond it. */
export async function lastBeat(store: Store, projection: string): Promise<number> {
  const [row] = await store.rows<{ beat: string | number }>(
    'SELECT max(beat) AS beat FROM projection_holds WHERE projection = {projection:String}',
    { projection },
  );
  return Number(row?.beat ?? 0);
}

/** Sets, beats or lifts holds, all in one insert: a projector sees the whole vector or none of it. */
export async function writeHolds(store: Store, holds: readonly Hold[], lifted: boolean): Promise<void> {
  await store.insert(
    'projection_holds',
    ['projection', 'topic', 'partition', 'hold_at', 'beat', 'lifted'],
    holds.map(({ projection, topic, partition, hold_at, beat }) => [
      projection,
      topic,
      partition,
      hold_at,
      beat,
      lifted ? 1 : 0,
    ]),
  );
}
