import { day_ms } from '../../hail/time.ts';
import type { FeedVersions, QueryablePolls } from '../feed_status/query.ts';
import { tableName } from '../projections.ts';
import type { Store } from '../store.ts';

export type Coverage = 'complete' | 'partial' | 'none';

export interface CoverageQuestion {
  versions: FeedVersions;
  /** The box around the place's circle, degrees. */
  west: number;
  south: number;
  east: number;
  north: number;
  from_ms: number;
  /** Exclusive. */
  until_ms: number;
  /** The one product of the grids that answers are made of: what was read of another proves nothing for them. */
  mrms_product: string;
}

/** Up to this span it is worth while to look for the window's slices first, and only then for their readings. */
const narrow_ms = 400 * day_ms;

/** Readings that can be queried, of feeds whose polls can be. */
const is_queryable = 'revision < mapFromArrays({feeds:Array(String)}, {bounds:Array(UInt64)})[feed]';

/** A slice read again may cover another period than before, so all readings of a slice are taken that touches the window in any of them. */
const touches_window = `slice IN (SELECT slice FROM readings
  WHERE covers_from < fromUnixTimestamp64Milli({until_ms:Int64}) AND covers_until > fromUnixTimestamp64Milli({from_ms:Int64}))`;

/**
 * How much of a window and place each publisher has been read for: the slices whose region holds the whole circle, laid end to end, each as
 * its newest queryable reading has it. A publisher without any is absent, which means none. No file is not no hail. What has been read and
 * cannot be queried yet does not count: an answer would call a hole "no hail".
 */
export async function readCoverage(
  store: Store,
  queryablePolls: QueryablePolls,
  question: CoverageQuestion,
): Promise<Map<string, Coverage>> {
  const { versions, from_ms, until_ms, ...box } = question;
  const bounds = await queryablePolls(store, versions);
  const is_narrow = until_ms - from_ms <= narrow_ms;
  // Without FINAL and from the end of the sort key: the newest of a slice comes first, however often it was stored.
  const rows = await store.rows<{ publisher: string; is_complete: number }>(
    `WITH
       readings AS (SELECT * FROM ${tableName('coverage', versions.feeds)} WHERE ${is_queryable}),
       newest AS (
         SELECT publisher, slice, west, south, east, north,
           toUnixTimestamp64Milli(covers_from) AS begin_ms, toUnixTimestamp64Milli(covers_until) AS end_ms
         FROM readings ${is_narrow ? `WHERE ${touches_window}` : ''}
         ORDER BY feed DESC, slice DESC, revision DESC LIMIT 1 BY feed, slice)
     SELECT publisher,
       intervalLengthSum(greatest(begin_ms, {from_ms:Int64}), least(end_ms, {until_ms:Int64})) >= {until_ms:Int64} - {from_ms:Int64} AS is_complete
     FROM newest
     WHERE begin_ms < {until_ms:Int64} AND end_ms > {from_ms:Int64}
       AND (west IS NULL OR (west <= {west:Float64} AND south <= {south:Float64}
                             AND east >= {east:Float64} AND north >= {north:Float64}))
       AND (publisher != 'MRMS_MESH' OR startsWith(slice, concat({mrms_product:String}, '/')))
     GROUP BY publisher`,
    { ...box, ...asArrays(bounds), from_ms: Math.trunc(from_ms), until_ms: Math.trunc(until_ms) },
  );
  return new Map(rows.map(({ publisher, is_complete }) => [publisher, is_complete ? 'complete' : 'partial']));
}

/** True once any slice of any of the publishers has been read completely and can be queried. */
export async function anythingRead(
  store: Store,
  queryablePolls: QueryablePolls,
  versions: FeedVersions,
  publishers: readonly string[],
): Promise<boolean> {
  const bounds = await queryablePolls(store, versions);
  const rows = await store.rows(
    `SELECT 1 AS found FROM ${tableName('coverage', versions.feeds)}
     WHERE publisher IN ({publishers:Array(String)}) AND ${is_queryable} LIMIT 1`,
    { publishers, ...asArrays(bounds) },
  );
  return rows.length > 0;
}

function asArrays(bounds: ReadonlyMap<string, number>): { feeds: string[]; bounds: number[] } {
  return { feeds: [...bounds.keys()], bounds: [...bounds.values()] };
}
