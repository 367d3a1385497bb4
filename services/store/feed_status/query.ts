import { readPositions } from '../positions.ts';
import { tableName } from '../projections.ts';
import type { Store } from '../store.ts';

/** Through which instant a feed's publisher has been read, as far as it can be queried. */
export interface FeedReadThrough {
  feed: string;
  read_through_ms: number;
}

interface Poll {
  feed: string;
  read_through_ms: string | number;
  end_offsets: { topic: string; partition: number; end_offset: string | number }[];
}

/** How many polls back a queryable one is looked for: a projector that far behind has no freshness to claim. */
const polls_back = 200;

/**
 * For each feed the newest live poll that proves a reading and whose messages the serving projection of observations has passed. So
 * freshness never runs ahead of what an answer can see. Feeds without one are absent.
 */
export async function newestQueryable(
  store: Store,
  versions: { feeds: number; observations: number },
): Promise<FeedReadThrough[]> {
  const polls = await store.rows<Poll>(
    `SELECT feed, toUnixTimestamp64Milli(assumeNotNull(read_through)) AS read_through_ms, end_offsets
     FROM ${tableName('feed_status', versions.feeds)} FINAL
     WHERE mode = 'live' AND read_through IS NOT NULL
     ORDER BY feed, revision DESC LIMIT ${polls_back} BY feed`,
  );
  const reached = new Map(
    (await readPositions(store, 'observations', versions.observations)).map(
      ({ topic, partition, next_offset }) => [`${topic}/${partition}`, next_offset],
    ),
  );
  const newest = new Map<string, number>();
  for (const { feed, read_through_ms, end_offsets } of polls) {
    if (newest.has(feed)) continue;
    const passed = end_offsets.every(
      ({ topic, partition, end_offset }) => (reached.get(`${topic}/${partition}`) ?? 0) >= Number(end_offset),
    );
    if (passed) newest.set(feed, Number(read_through_ms));
  }
  return [...newest].map(([feed, read_through_ms]) => ({ feed, read_through_ms }));
}
