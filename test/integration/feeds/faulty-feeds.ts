import type { Feed } from '../../../services/feeds/feed.ts';
import { stormEvents } from '../../../services/feeds/noaa_sed/feed.ts';
import { radarHail } from '../../../services/feeds/swdi/feed.ts';
import type { PollFailure } from '../../../services/log/facts.ts';
import { serveInventory, serveStormEvents, type PublisherStub } from '../../support/publisher-stub.ts';
import { recordedYear, sanAntonioRows } from '../../support/recorded.ts';

/** A feed as the fault tests need it; one entry of `faultyFeeds` is all that a new feed takes. */
export interface FaultyFeed {
  feed: string;
  create: (publisher_url: string) => Feed;
  /** Serves its publisher whole. The result takes the newest of what there is away, and brings it back. */
  serve: (stub: PublisherStub) => { withoutNewest: () => void; whole: () => void };
  /** Whether a path is a document with records, not a listing or a catalogue. */
  isDocument: (pathname: string) => boolean;
  /** What the poll facts say of a page of HTML with status 200 in place of everything. */
  html: PollFailure;
  /** What they say of a document that ends in the middle. */
  half: PollFailure;
  /** How many records the publisher has, and how many without the newest: counted in the recorded files by another reader. */
  records: number;
  records_before: number;
}

export const faultyFeeds: readonly FaultyFeed[] = [
  {
    feed: 'storm_events',
    create: (NOAA_SED_URL) =>
      stormEvents({ NOAA_SED_URL, NOAA_SED_SCHEDULE: '0 0 1 1 *', NOAA_SED_FIRST_YEAR: 1950 }),
    serve: (stub) => {
      const files = new Map<string, Buffer>();
      const put = (year: number): void => {
        const { name, bytes } = recordedYear(year, '20220425');
        files.set(name, bytes);
      };
      put(1955);
      put(1956);
      serveStormEvents(stub, files);
      return {
        withoutNewest: () => void files.delete(recordedYear(1956, '20220425').name),
        whole: () => put(1956),
      };
    },
    isDocument: (pathname) => pathname.endsWith('.csv.gz'),
    html: 'empty-listing',
    half: 'truncated',
    // 360 rows of 1955 and 401 of 1956, all of them hail.
    ...{ records: 761, records_before: 360 },
  },
  {
    feed: 'radar_hail',
    create: (SWDI_URL) =>
      radarHail({
        ...{ SWDI_URL, SWDI_SCHEDULE: '0 0 1 1 *', SWDI_BBOX: '-100,29,-97,31' },
        ...{ SWDI_REREAD_DAYS: 3, SWDI_HISTORY: '' },
      }),
    serve: (stub) => {
      const rows = sanAntonioRows();
      const inventory = { begins: '19920507', ends: '20260830', rows };
      serveInventory(stub, inventory);
      return {
        withoutNewest: () => {
          inventory.ends = '20260828';
          inventory.rows = rows.filter((row) => row < '2026-08-29');
        },
        whole: () => {
          inventory.ends = '20260830';
          inventory.rows = rows;
        },
      };
    },
    isDocument: (pathname) => pathname.includes('/csv/'),
    html: 'not-the-format',
    half: 'truncated',
    // Lines of the recorded file that begin with 2026-, and those of them before 2026-08-29.
    ...{ records: 79, records_before: 49 },
  },
];
