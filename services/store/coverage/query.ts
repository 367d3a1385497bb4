import { poll_is_ahead, reachedSql } from '../feed_status/query.ts';
import { tableName } from '../projections.ts';
import type { Store } from '../store.ts';

export type Coverage = 'complete' | 'partial' | 'none';

/** The versions that one answer is of. */
export interface CoverageVersions {
  feeds: number;
  observations: number;
}

export interface CoverageQuestion {
  versions: CoverageVersions;
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

/**
 * The readings whose observations the version that is asked holds. The ends that a feed's polls name only grow, so one number a feed
 * tells them: the first poll that is ahead. Without this a slice just read would count before a single record of it can be found, and
 * an answer would call a hole "no hail".
 */
function queryable({ feeds: version, observations }: CoverageVersions): string {
  return `${reachedSql(String(observations))},
    (SELECT CAST((groupArray(feed), groupArray(first)), 'Map(String, UInt64)') FROM (
      SELECT feed, min(revision) AS first FROM ${tableName('feed_status', version)} FINAL
      WHERE ${poll_is_ahead} GROUP BY feed)
    ) AS ahead,
    readings AS (
      SELECT * FROM ${tableName('coverage', version)} FINAL
      WHERE NOT mapContains(ahead, feed) OR revision < ahead[feed])`;
}

/**
 * How much of a window and place each publisher has been read for: the slices whose region holds the whole circle, laid end to end, each as
 * its newest queryable reading has it. A publisher without any is absent, which means none. No file is not no hail.
 */
export async function readCoverage(store: Store, question: CoverageQuestion): Promise<Map<string, Coverage>> {
  const { versions, from_ms, until_ms, ...box } = question;
  const rows = await store.rows<{ publisher: string; begin_ms: string | number; end_ms: string | number }>(
    `${queryable(versions)},
     newest AS (SELECT * FROM readings ORDER BY feed, slice, revision DESC LIMIT 1 BY feed, slice)
     SELECT publisher, toUnixTimestamp64Milli(covers_from) AS begin_ms, toUnixTimestamp64Milli(covers_until) AS end_ms
     FROM newest
     WHERE begin_ms < {until_ms:Int64} AND end_ms > {from_ms:Int64}
       AND (west IS NULL OR (west <= {west:Float64} AND south <= {south:Float64}
                             AND east >= {east:Float64} AND north >= {north:Float64}))
       AND (publisher != 'MRMS_MESH' OR startsWith(slice, concat({mrms_product:String}, '/')))
     ORDER BY publisher, begin_ms`,
    { ...box, from_ms: Math.trunc(from_ms), until_ms: Math.trunc(until_ms) },
  );
  const spans = new Map<string, Span[]>();
  for (const row of rows) {
    const of = spans.get(row.publisher) ?? [];
    of.push({ begin_ms: Number(row.begin_ms), end_ms: Number(row.end_ms) });
    spans.set(row.publisher, of);
  }
  return new Map(
    [...spans].map(([publisher, of]) => [publisher, reach(of, from_ms) >= until_ms ? 'complete' : 'partial']),
  );
}

interface Span {
  begin_ms: number;
  end_ms: number;
}

/** How far the spans, ascending by start, reach from `from_ms` without a gap. */
function reach(spans: readonly Span[], from_ms: number): number {
  let reached = from_ms;
  for (const { begin_ms, end_ms } of spans) if (begin_ms <= reached) reached = Math.max(reached, end_ms);
  return reached;
}

/** True once any slice of any of the publishers has been read completely and can be queried. */
export async function anythingRead(
  store: Store,
  versions: CoverageVersions,
  publishers: readonly string[],
): Promise<boolean> {
  const rows = await store.rows(
    `${queryable(versions)} SELECT 1 AS found FROM readings WHERE publisher IN ({publishers:Array(String)}) LIMIT 1`,
    { publishers },
  );
  return rows.length > 0;
}
