import { readPositions } from '../positions.ts';
import { readProjections, servingVersion, storedInstant, tableName } from '../projections.ts';
import { isMissingTable, type Store } from '../store.ts';

/** What the view knows of a span of time, and up to where in the log that is everything. */
export interface KeyUsage {
  /** Requests that count against a limit, by key id. */
  counts: Map<string, number>;
  /** By partition of `hail.api-request.v1`: the facts before this offset are in the counts, no later one is. */
  passed: number[];
}

/** What a request must have come to so that it counts against a limit; null is a client that went away. */
export function countsAgainstLimits(status: number | null): boolean {
  return status === null || status === 200 || status === 400 || status === 422;
}

/**
 * Counts the requests from `from_ms` (inclusive) to `until_ms` (exclusive) that count against a limit and whose facts stand before `ends`
 * in the log `log_id`. Positions are read before rows, and rows beyond them are left out, so that whoever reads the log from `passed` on
 * counts every fact exactly once. All empty before the projector has made the view.
 */
export async function countedRequests(
  store: Store,
  log: { id: string; ends: readonly number[] },
  span: { from_ms: number; until_ms: number },
): Promise<KeyUsage> {
  const passed = log.ends.map(() => 0);
  try {
    const version = servingVersion(await readProjections(store), 'api-requests');
    if (version === null) return { counts: new Map(), passed };
    for (const { log_id, partition, next_offset } of await readPositions(store, 'api-requests', version)) {
      if (log_id === log.id) passed[partition] = Math.min(next_offset, log.ends[partition] ?? 0);
    }
    const rows = await store.rows<{ key_id: string; requests: string | number }>(
      `SELECT key_id, uniqExact(request_id) AS requests FROM ${tableName('api_requests', version)}
       WHERE at >= {from:DateTime64(3, 'UTC')} AND at < {until:DateTime64(3, 'UTC')}
         AND (status IS NULL OR status IN (200, 400, 422))
         AND revision < arrayElement({passed:Array(UInt64)}, log_partition + 1)
       GROUP BY key_id`,
      { from: storedInstant(span.from_ms), until: storedInstant(span.until_ms), passed },
    );
    return { counts: new Map(rows.map(({ key_id, requests }) => [key_id, Number(requests)])), passed };
  } catch (error) {
    if (isMissingTable(error)) return { counts: new Map(), passed: log.ends.map(() => 0) };
    throw error;
  }
}
