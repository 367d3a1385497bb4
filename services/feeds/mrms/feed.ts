import { day_ms, hour_ms } from '../../hail/time.ts';
import type { Config } from '../../runtime/config.ts';
import type { Feed } from '../feed.ts';
import { parseHistory } from '../history-setting.ts';
import { grids } from '../kinds/grids.ts';
import type { PollRun } from '../poll.ts';
import { PollFailed } from '../poll-failure.ts';
import { createGranuleDecoder, type GranuleDecoder } from './granule-decoder.ts';
import { createHistoryPlan } from './history.ts';
import { dayPrefix } from './keys.ts';
import { createKnownGranules, type KnownGranules } from './known-granules.ts';
import { listGranules, listingUrl, type GranuleListing, type ListedGranule } from './list-granules.ts';
import { mesh_products } from './products.ts';
import { createGranuleReader } from './read-granule.ts';

/** After an outage the listing begins at the cursor, but no earlier than this; what lies before is history, a backfill's part. */
const longest_outage_ms = 7 * day_ms;

export type MrmsConfig = Pick<
  Config,
  'MRMS_URL' | 'MRMS_SCHEDULE' | 'MRMS_PRODUCT' | 'MRMS_REREAD_HOURS' | 'MRMS_HISTORY'
>;

/**
 * Hail grids of the radar mosaic: one object a granule, listed by time, now and then issued anew. A granule is a slice. It is an estimate from
 * radar, never an observation at the ground.
 */
export function mrmsMesh(
  config: MrmsConfig,
  { decoder = createGranuleDecoder() }: { decoder?: GranuleDecoder } = {},
): Feed {
  const product = mesh_products[config.MRMS_PRODUCT];
  const base = config.MRMS_URL;
  const reread_ms = config.MRMS_REREAD_HOURS * hour_ms;
  const reader = createGranuleReader({ decoder }, { base, product });
  const refused = new Map<string, string>();
  const knownIn = ({ index }: PollRun): KnownGranules => createKnownGranules(product, refused, index);
  const planDays = createHistoryPlan({ reader, decoder, knownIn }, { base, product, reread_ms });
  const history = parseHistory('MRMS_HISTORY', config.MRMS_HISTORY);

  /**
   * The stamp up to which nothing that is listed is missing. A granule that was refused holds the cursor back only as long as it is listed
   * anew anyway: one broken object must not make the feed stale for ever, and `coverage` knows that it was not read.
   */
  const reach = (granules: readonly ListedGranule[], known: KnownGranules, now: number): number | null => {
    let reached: number | null = null;
    for (const granule of granules) {
      const is_given_up = known.isRefused(granule) && granule.stamp < now - reread_ms;
      if (!known.isRead(granule) && !is_given_up) break;
      reached = granule.stamp;
    }
    return reached;
  };

  const list = async (run: PollRun, now: number): Promise<GranuleListing> => {
    await run.index.catchUp();
    const usual = now - reread_ms;
    const after_outage = Math.max(run.index.cursor() ?? usual, now - longest_outage_ms);
    // A stamp of the future would be a cursor that nothing passes any more; the granule is read when its time has come.
    const listing = await listGranules(run, base, product, {
      from: Math.min(usual, after_outage),
      through: now,
    });
    // None of a full hour yet is nothing strange within the first minutes of one; none at all is.
    if (listing.listed > 0) return listing;
    throw new PollFailed('empty-listing', 'The bucket lists no granule of the hours that are read again.');
  };

  return {
    feed: 'mrms_mesh',
    publisher: 'MRMS_MESH',
    kind: grids,
    schedule: config.MRMS_SCHEDULE,
    poll: async (run) => {
      const now = run.clock();
      const known = knownIn(run);
      let granules: ListedGranule[] = [];
      const asked = listingUrl(base, dayPrefix(product, now));
      const listed = await run.settle('live', asked, async () => {
        const listing = await list(run, now);
        ({ granules } = listing);
        const read_through = reach(granules, known, now);
        const detail = remarks(listing, granules.filter(known.isRefused).length);
        return granules.some(known.isNews)
          ? { outcome: 'read', readings: [], sha256: listing.sha256, read_through, detail }
          : { outcome: 'not_modified', read_through, detail };
      });
      if (listed === null) return;
      try {
        // The oldest first, so that the cursor follows.
        for (const granule of granules.filter(known.isNews)) {
          if (run.signal.aborted) return;
          const readThrough = (): number | null => {
            known.ended(granule, 'read');
            return reach(granules, known, now);
          };
          known.ended(granule, await reader.read(run, granule, 'live', readThrough));
        }
      } finally {
        await decoder.rest();
      }
    },
    history: async (run) => {
      await run.index.catchUp();
      for (const { from, until } of history) {
        for (const part of planDays(run, { from, until, box: null })) {
          if (run.signal.aborted) return;
          if (!part.isRead() && !part.isGivenUp()) await part.read(run);
        }
      }
    },
    /** Days of granules. A granule is the whole country, so a box narrows nothing. */
    plan: async (run, period) => {
      await run.index.catchUp();
      return planDays(run, period);
    },
  };
}

/** What a listing has that is passed over, so that nothing is passed over in silence; null where there is nothing. */
function remarks({ strangers }: GranuleListing, refused: number): string | null {
  const said = [
    ...(strangers === 0 ? [] : [`objects listed that are no granules of the product: ${strangers}`]),
    ...(refused === 0 ? [] : [`granules refused before and not fetched again: ${refused}`]),
  ];
  return said.length === 0 ? null : said.join('; ');
}
