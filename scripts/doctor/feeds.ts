import { hour_ms } from '../../services/hail/time.ts';
import { feeds as health_feeds } from '../../services/api/operations/health.ts';
import { newestQueryable } from '../../services/store/feed_status/query.ts';
import { readProjections, servingVersion, tableName } from '../../services/store/projections.ts';
import type { Store } from '../../services/store/store.ts';
import type { Check } from './examine.ts';
import { broken, notChecked, ok, warning, type Outcome } from './finding.ts';

/** The setting that says where each feed's publisher is. */
export const publisher_settings = {
  mrms_mesh: 'MRMS_URL',
  radar_hail: 'SWDI_URL',
  storm_events: 'NOAA_SED_URL',
  local_storm_reports: 'SPC_URL',
  cocorahs_hail: 'COCORAHS_URL',
  nws_alerts: 'NWS_URL',
} as const;

export interface FeedState {
  feed: keyof typeof publisher_settings;
  threshold_hours: number;
  read_through_ms: number | null;
  /** The newest live poll; null where there has been none. */
  last_poll: { outcome: string; reason: string } | null;
}

const feeds: Check = {
  name: 'feed',
  look: async ({ store, clock }) => {
    const versions = await readProjections(store);
    const [of_feeds, observations] = ['feeds', 'observations'].map((name) => servingVersion(versions, name));
    if (of_feeds == null || observations == null)
      return notChecked('No version of the feeds serves: see `projections`.');
    const read_through = new Map(
      (await newestQueryable(store, { feeds: of_feeds, observations })).map((row) => [
        row.feed,
        row.read_through_ms,
      ]),
    );
    const polls = await lastPolls(store, of_feeds);
    return health_feeds.map(({ feed, threshold_hours }) => {
      const state = {
        feed: feed,
        threshold_hours,
        read_through_ms: read_through.get(feed) ?? null,
        last_poll: polls.get(feed) ?? null,
      };
      return { check: `feed.${feed}`, ...judgeFeed(state, clock()) };
    });
  },
};

async function lastPolls(
  store: Store,
  version: number,
): Promise<Map<string, { outcome: string; reason: string }>> {
  const rows = await store.rows<{ feed: string; outcome: string; reason: string }>(
    `SELECT feed, argMax(outcome, revision) AS outcome, argMax(reason, revision) AS reason
     FROM ${tableName('feed_status', version)} FINAL WHERE mode = 'live' GROUP BY feed ORDER BY feed`,
  );
  return new Map(rows.map(({ feed, outcome, reason }) => [feed, { outcome, reason }]));
}

/**
 * A feed that fails and has nothing fresh costs answers; one that fails and is fresh still, or reads well and finds nothing newer, is for a
 * person to know.
 */
export function judgeFeed(
  { feed, threshold_hours, read_through_ms, last_poll }: FeedState,
  now_ms: number,
): Outcome {
  const setting = publisher_settings[feed];
  if (last_poll === null)
    return broken(
      'It has never been polled.',
      'Start the feeds (npm start); their first poll comes at once.',
    );
  const age_h = read_through_ms === null ? null : (now_ms - read_through_ms) / hour_ms;
  const is_fresh = age_h !== null && age_h <= threshold_hours;
  const reach =
    age_h === null
      ? 'Unknown: no poll has read it through'
      : `${is_fresh ? 'Fresh' : 'Stale'}: read through ${age_h.toFixed(1)} h ago, at most ${threshold_hours} h are fresh`;
  if (last_poll.outcome !== 'failed') {
    return is_fresh
      ? ok(`${reach}.`)
      : warning(
          `${reach}; the last poll found nothing newer.`,
          'Look whether the publisher itself is behind; if it is, there is nothing to do.',
        );
  }
  const says = `${reach}; the last poll failed: ${last_poll.reason}.`;
  const remedy = `It is tried again by itself. npm run doctor -- --live asks the publisher; its address is ${setting}.`;
  return is_fresh ? warning(says, remedy) : broken(says, remedy);
}

export const feedChecks: readonly Check[] = [feeds];
