import { tableName } from '../projections.ts';
import type { Store } from '../store.ts';

/** Through which instant a feed's publisher has been read, as far as it can be queried. */
export interface FeedReadThrough {
  feed: string;
  read_through_ms: number;
}

/**
 * True for a poll some of whose messages the projection of observations has not passed: what it read cannot be queried yet. A message that
 * stands as a dead letter is passed like any other. `reached` is what `reachedSql` names.
 */
export const poll_is_ahead = `arrayExists(
    stands -> stands.end_offset > reached[concat(stands.topic, '/', toString(stands.partition))], end_offsets)`;

/**
 * A `WITH` clause that names `reached`: a map from `topic/partition` to how far it can be queried, by a version of the observations and, of
 * the topic that only they read, by the alerts that serve.
 */
export function reachedSql(observations_version: string): string {
  return `WITH (
    SELECT CAST((groupArray(concat(topic, '/', toString(partition))), groupArray(next)), 'Map(String, UInt64)') FROM (
      SELECT topic, partition, max(next_offset) AS next FROM projector_positions
      WHERE (projection = 'observations' AND version = ${observations_version})
         OR (projection = 'alerts' AND version IN (
           SELECT version FROM projections FINAL WHERE projection = 'alerts' AND state = 'serving'))
      GROUP BY topic, partition)
  ) AS reached`;
}

/**
 * For each feed the newest live poll that proves a reading and whose messages the serving projection of observations has passed. So
 * freshness never runs ahead of what an answer can see. Feeds without one are absent.
 */
export async function newestQueryable(
  store: Store,
  versions: { feeds: number; observations: number },
): Promise<FeedReadThrough[]> {
  const rows = await store.rows<{ feed: string; read_through_ms: string | number }>(
    `${reachedSql('{observations:UInt16}')}
     SELECT feed, argMax(toUnixTimestamp64Milli(assumeNotNull(read_through)), revision) AS read_through_ms
     FROM ${tableName('feed_status', versions.feeds)} FINAL
     WHERE mode = 'live' AND read_through IS NOT NULL AND NOT ${poll_is_ahead}
     GROUP BY feed ORDER BY feed`,
    { observations: versions.observations },
  );
  return rows.map(({ feed, read_through_ms }) => ({ feed, read_through_ms: Number(read_through_ms) }));
}
