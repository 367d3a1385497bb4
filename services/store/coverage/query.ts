import type { Store } from '../store.ts';
import { tableName } from '../projections.ts';

export type Coverage = 'complete' | 'partial' | 'none';

export interface CoverageQuestion {
  version: number;
  /** The box around the place's circle, degrees. */
  west: number;
  south: number;
  east: number;
  north: number;
  from_ms: number;
  /** Exclusive. */
  until_ms: number;
}

/**
 * How much of a window and place each publisher has been read for: the slices whose region holds the whole circle, laid end to end. A
 * publisher without any is absent, which means none. No file is not no hail.
 */
export async function readCoverage(store: Store, question: CoverageQuestion): Promise<Map<string, Coverage>> {
  const { version, from_ms, until_ms, ...box } = question;
  const rows = await store.rows<{ publisher: string; from_ms: string | number; until_ms: string | number }>(
    `SELECT publisher, toUnixTimestamp64Milli(covers_from) AS from_ms, toUnixTimestamp64Milli(covers_until) AS until_ms
     FROM ${tableName('coverage', version)} FINAL
     WHERE covers_from < fromUnixTimestamp64Milli(toInt64(${until_ms}), 'UTC')
       AND covers_until > fromUnixTimestamp64Milli(toInt64(${from_ms}), 'UTC')
       AND (west IS NULL OR (west <= {west:Float64} AND south <= {south:Float64} AND east >= {east:Float64} AND north >= {north:Float64}))
     ORDER BY publisher, from_ms`,
    box,
  );
  const spans = new Map<string, { from_ms: number; until_ms: number }[]>();
  for (const row of rows) {
    const span = { from_ms: Number(row.from_ms), until_ms: Number(row.until_ms) };
    spans.set(row.publisher, [...(spans.get(row.publisher) ?? []), span]);
  }
  return new Map([...spans].map(([publisher, of]) => [publisher, reach(of, from_ms) >= until_ms ? 'complete' : 'partial']));
}

/** How far the spans, ascending by start, reach from `from_ms` without a gap. */
function reach(spans: readonly { from_ms: number; until_ms: number }[], from_ms: number): number {
  let reached = from_ms;
  for (const span of spans) if (span.from_ms <= reached) reached = Math.max(reached, span.until_ms);
  return reached;
}

/** True once any slice of any of the publishers has been read completely. */
export async function anythingRead(store: Store, version: number, publishers: readonly string[]): Promise<boolean> {
  const rows = await store.rows(
    `SELECT 1 AS found FROM ${tableName('coverage', version)} WHERE publisher IN ({publishers:Array(String)}) LIMIT 1`,
    { publishers },
  );
  return rows.length > 0;
}
