import { citingPublishers, feedNames, feedOf } from '../../hail/publisher.ts';
import { readPositions } from '../positions.ts';
import { tableName } from '../projections.ts';
import type { Store } from '../store.ts';

/** Through which instant a feed's publisher has been read, as far as it can be queried. */
export interface FeedReadThrough {
  feed: string;
  read_through_ms: number;
}

/** The versions that one answer is of. */
export interface FeedVersions {
  feeds: number;
  observations: number;
}

/**
 * How many of a feed's newest polls are looked at, and how many times as many while none of them can be queried. Ten years are millions of
 * polls, and nearly always the newest one can be.
 */
const first_look = 64;
const wider = 64;

/**
 * True for a poll some of whose messages the projection of observations has not passed: what it read cannot be queried yet. A message that
 * stands as a dead letter is passed like any other. `reached` is what `reachedSql` names.
 */
const poll_is_ahead = `arrayExists(
    stands -> stands.end_offset > reached[concat(stands.topic, '/', toString(stands.partition))], end_offsets)`;

/** Positions of a version of the observations. */
const of_observations = "projection = 'observations' AND version = {observations:UInt16}";

/** Of the topic that only they read, the alerts that serve. */
const of_alerts = `projection = 'alerts' AND version IN (
  SELECT version FROM projections FINAL WHERE projection = 'alerts' AND state = 'serving')`;

/** A `WITH` clause that names `reached`: a map from `topic/partition` to how far it can be queried, by the positions of `condition`. */
function reachedSql(condition: string): string {
  return `WITH (
    SELECT CAST((groupArray(concat(topic, '/', toString(partition))), groupArray(next)), 'Map(String, UInt64)') FROM (
      SELECT topic, partition, max(next_offset) AS next FROM projector_positions WHERE ${condition}
      GROUP BY topic, partition)
  ) AS reached`;
}

/**
 * The newest polls of each feed that `condition` holds for, found from the end of the sort key. Without FINAL: a poll that was stored twice
 * stands there twice as the same row, which changes no minimum and no maximum.
 */
function newestPolls(feeds: readonly string[], version: number, columns: string, condition = '1'): string {
  const polls = feeds.map(
    (feed) => `SELECT * FROM (
       SELECT feed, revision, ${columns} FROM ${tableName('feed_status', version)} WHERE feed = '${feed}' AND ${condition}
       ORDER BY log_partition DESC, revision DESC LIMIT {polls:UInt32})`,
  );
  return polls.join(' UNION ALL ');
}

/**
 * For each feed the newest live poll that proves a reading and whose messages the serving projection of observations has passed. So
 * freshness never runs ahead of what an answer can see. Feeds without one are absent.
 */
export async function newestQueryable(store: Store, versions: FeedVersions): Promise<FeedReadThrough[]> {
  for (let polls = first_look; ; polls *= wider) {
    const rows = await store.rows<Looked & { read_through_ms: string | number }>(
      `${reachedSql(`(${of_observations}) OR (${of_alerts})`)}
       SELECT feed, count() AS looked, countIf(NOT is_ahead) AS passed,
         argMaxIf(toUnixTimestamp64Milli(assumeNotNull(read_through)), revision, NOT is_ahead) AS read_through_ms
       FROM (SELECT feed, revision, read_through, ${poll_is_ahead} AS is_ahead FROM (
         ${newestPolls(feedNames, versions.feeds, 'read_through, end_offsets', `mode = 'live' AND read_through IS NOT NULL`)}))
       GROUP BY feed ORDER BY feed`,
      { observations: versions.observations, polls },
    );
    if (rows.some((row) => isUnsettled(row, polls))) continue;
    return rows
      .filter(({ passed }) => Number(passed) > 0)
      .map(({ feed, read_through_ms }) => ({ feed, read_through_ms: Number(read_through_ms) }));
  }
}

/** Feeds that answers are made of. */
const citing_feeds = citingPublishers.map((publisher) => feedOf[publisher]);

/**
 * By feed that answers are made of, how far its polls can be queried: what polls from this revision on have read cannot, or was not known
 * here. The ends that a feed's polls name only grow, so one number tells it. Feeds that have never polled are absent.
 */
export type QueryablePolls = (store: Store, versions: FeedVersions) => Promise<ReadonlyMap<string, number>>;

/**
 * Every answer asks, and polls come by the minute: what was found is remembered until the view of polls has gone on. Only where nothing was
 * ahead, for that stays true, positions never going back; otherwise the next answer looks again.
 */
export function createQueryablePolls(): QueryablePolls {
  let known: { of: string; bounds: ReadonlyMap<string, number> } | null = null;
  return async (store, versions) => {
    // Read first: a poll that comes in between is then taken for unknown, never for queryable.
    const stands = await readPositions(store, 'feeds', versions.feeds);
    const of = JSON.stringify([versions, stands]);
    if (known?.of === of) return known.bounds;
    const { bounds, is_all } = await lookAtPolls(store, versions);
    known = is_all ? { of, bounds } : null;
    return bounds;
  };
}

async function lookAtPolls(
  store: Store,
  versions: FeedVersions,
): Promise<{ bounds: Map<string, number>; is_all: boolean }> {
  for (let polls = first_look; ; polls *= wider) {
    const rows = await store.rows<Looked & { first_ahead: string | number; newest: string | number }>(
      `${reachedSql(of_observations)}
       SELECT feed, count() AS looked, countIf(NOT is_ahead) AS passed, minIf(revision, is_ahead) AS first_ahead, max(revision) AS newest
       FROM (SELECT feed, revision, ${poll_is_ahead} AS is_ahead FROM (${newestPolls(citing_feeds, versions.feeds, 'end_offsets')}))
       GROUP BY feed`,
      { observations: versions.observations, polls },
    );
    if (rows.some((row) => isUnsettled(row, polls))) continue;
    const isAllOf = ({ looked, passed }: Looked): boolean => Number(passed) === Number(looked);
    return {
      bounds: new Map(
        rows.map((row) => [row.feed, isAllOf(row) ? Number(row.newest) + 1 : Number(row.first_ahead)]),
      ),
      is_all: rows.every(isAllOf),
    };
  }
}

interface Looked {
  feed: string;
  looked: string | number;
  passed: string | number;
}

/** True where every poll that was looked at is ahead and there may be more before them. */
function isUnsettled({ looked, passed }: Looked, polls: number): boolean {
  return Number(passed) === 0 && Number(looked) >= polls;
}
