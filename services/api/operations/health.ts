import { feedOf, type Publisher } from '../../hail/publisher.ts';
import { methodology } from '../../hail/methodology/methodology.ts';
import { formatInstant, hour_ms } from '../../hail/time.ts';
import { roundToHundredths } from '../../hail/size.ts';
import { isHailmarkError } from '../../runtime/errors.ts';
import type { HailReader } from '../ports.ts';
import type { Operation } from './operation.ts';

/** The six feeds and how old each may be (decisions, "Health"). */
export const feeds = (
  [
    ['MRMS_MESH', 6],
    ['NEXRAD_SWDI', 168],
    ['NOAA_SED', 3_600],
    ['SPC_LSR', 48],
    ['COCORAHS', 72],
    ['NWS_ALERT', 1],
  ] as const satisfies readonly (readonly [Publisher, number])[]
).map(([publisher, threshold_hours]) => ({ feed: feedOf[publisher], publisher, threshold_hours }));

/** A store that does not answer within this is down for whoever asks. */
const patience_ms = 3_000;

/** GET meta/health (contract 2.9, 4.5). Always 200: what is wrong is in the answer. */
export function createHealth(deps: { hail: HailReader }): Operation {
  return {
    name: 'health',
    path: '/meta/health',
    async answer(_query, { computed_at_ms }) {
      const read = await readThrough(deps.hail);
      const listed = feeds.map((each) => feedStatus(each, read?.get(each.feed) ?? null, computed_at_ms));
      const data_freshness_ok = listed.every(({ status }) => status === 'fresh');
      return {
        data: {
          status: read === null ? 'down' : data_freshness_ok ? 'healthy' : 'degraded',
          database: { connected: read !== null },
          methodology_version: methodology.version,
          data_freshness_ok,
          feeds: listed,
        },
      };
    },
  };
}

/** Null while the store is away or does not answer in time. */
async function readThrough(hail: HailReader): Promise<ReadonlyMap<string, number> | null> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), patience_ms);
  });
  try {
    return await Promise.race([hail.feedsReadThrough(), patience]);
  } catch (error) {
    if (isHailmarkError(error, 'HAIL_STORE_UNAVAILABLE')) return null;
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function feedStatus(
  { feed, publisher, threshold_hours }: (typeof feeds)[number],
  read_through_ms: number | null,
  now_ms: number,
): Record<string, unknown> & { status: 'fresh' | 'stale' | 'unknown' } {
  if (read_through_ms === null) {
    return {
      feed,
      publisher,
      last_observation_at: null,
      hours_since: null,
      status: 'unknown',
      threshold_hours,
    };
  }
  const age_ms = now_ms - read_through_ms;
  return {
    feed,
    publisher,
    last_observation_at: formatInstant(read_through_ms),
    hours_since: roundToHundredths(age_ms / hour_ms),
    status: age_ms > threshold_hours * hour_ms ? 'stale' : 'fresh',
    threshold_hours,
  };
}
