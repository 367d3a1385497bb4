import { encodeGranule } from '../../../infra/sandbox/mrms/encode-granule.ts';
import { cocorahsHail } from '../../../services/feeds/cocorahs/feed.ts';
import type { Feed } from '../../../services/feeds/feed.ts';
import { mrmsMesh } from '../../../services/feeds/mrms/feed.ts';
import { granuleKey } from '../../../services/feeds/mrms/keys.ts';
import { mesh_products } from '../../../services/feeds/mrms/products.ts';
import { stormEvents } from '../../../services/feeds/noaa_sed/feed.ts';
import { nwsAlerts } from '../../../services/feeds/nws/feed.ts';
import { stormReports } from '../../../services/feeds/spc/feed.ts';
import { radarHail } from '../../../services/feeds/swdi/feed.ts';
import type { PollFailure } from '../../../services/log/facts.ts';
import { serveBucket, type ServedBucket } from '../../support/bucket-stub.ts';
import { made_hour } from '../../support/granules.ts';
import { serveInventory, serveStormEvents, type PublisherStub } from '../../support/publisher-stub.ts';
import { recordedExport, recordedReports, reports_header } from '../../support/recorded-reports.ts';
import { recordedYear, sanAntonioRows } from '../../support/recorded.ts';
import { national, recordedAlerts } from '../../unit/feeds/nws/recordings.ts';

/** A feed as the fault tests need it; one entry of `faultyFeeds` is all that a new feed takes. */
export interface FaultyFeed {
  feed: string;
  create: (publisher_url: string) => Feed;
  /** The time of what its publisher has. */
  now: number;
  /** Serves its publisher whole. */
  serve: (stub: PublisherStub) => ServedPublisher;
  /** Whether the publisher lists what it has; its `serve` then can leave out the newest. */
  lists: boolean;
  /** Whether a path is a document with records, not a listing or a catalogue. */
  isDocument: (pathname: string) => boolean;
  /** What the poll facts say of a page of HTML with status 200 in place of everything. */
  html: PollFailure;
  /** What they say of a document that ends in the middle. */
  half: PollFailure;
  /** How many records the publisher has: counted in the recorded files by another reader. */
  records: number;
}

/** The newest of what is listed is taken away and brought back; null where the publisher lists nothing, and what is new just comes. */
export type ServedPublisher = { withoutNewest: () => void; whole: () => void; records_before: number } | null;

const at = (text: string): number => Date.parse(text);

export const faultyFeeds: readonly FaultyFeed[] = [
  {
    feed: 'storm_events',
    lists: true,
    now: at('2026-11-01T00:00:00Z'),
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
        records_before: 360,
      };
    },
    isDocument: (pathname) => pathname.endsWith('.csv.gz'),
    html: 'empty-listing',
    half: 'truncated',
    // 360 rows of 1955 and 401 of 1956, all of them hail.
    records: 761,
  },
  {
    feed: 'radar_hail',
    lists: true,
    now: at('2026-11-01T00:00:00Z'),
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
        // Lines of the recorded file before 2026-08-29.
        records_before: 49,
      };
    },
    isDocument: (pathname) => pathname.includes('/csv/'),
    html: 'not-the-format',
    half: 'truncated',
    // Lines of the recorded file that begin with 2026-.
    records: 79,
  },
  {
    feed: 'mrms_mesh',
    lists: true,
    now: at('2026-06-11T00:10:00Z'),
    create: (MRMS_URL) =>
      mrmsMesh({
        ...{ MRMS_URL, MRMS_SCHEDULE: '0 0 1 1 *', MRMS_PRODUCT: 'MESH_Max_60min' },
        ...{ MRMS_REREAD_HOURS: 24, MRMS_HISTORY: '' },
      }),
    serve: (stub) => {
      // Granules that are NOT REAL, each hour's with the same cells.
      const objects: ServedBucket['objects'] = new Map();
      const stamps = ['10T22:00:00', '10T23:00:00', '11T00:00:00'].map((each) => at(`2026-06-${each}Z`));
      const keyOf = (stamp: number): string => granuleKey(mesh_products.MESH_Max_60min, stamp);
      const put = (stamp: number): void => {
        const body = encodeGranule({ ...made_hour, reference_ms: stamp });
        objects.set(keyOf(stamp), { body, last_modified: new Date(stamp + 180_000).toISOString() });
      };
      stamps.forEach(put);
      serveBucket(stub, { objects, page_keys: 1_000, bend: (xml) => xml });
      const newest = stamps.at(-1) ?? 0;
      return {
        withoutNewest: () => void objects.delete(keyOf(newest)),
        whole: () => put(newest),
        records_before: 2,
      };
    },
    isDocument: (pathname) => pathname.startsWith('/CONUS/'),
    html: 'not-the-format',
    half: 'truncated',
    records: 3,
  },
  {
    feed: 'local_storm_reports',
    lists: true,
    now: at('2013-05-20T16:52:00Z'),
    create: (SPC_URL) =>
      stormReports({ SPC_URL, SPC_SCHEDULE: '0 0 1 1 *', SPC_REREAD_DAYS: 1, SPC_HISTORY: '' }),
    serve: (stub) => {
      const folder = '/climo/reports/';
      const newest = '130519_rpts_hail.csv';
      const body = recordedReports('yesterday_hail.snapshot_2013-05-20T1652Z.csv');
      const files = new Map<string, Buffer | string>([
        [newest, body],
        ['today_hail.csv', `${reports_header}\n`],
      ]);
      stub.on(folder, ({ pathname }) => {
        const found = files.get(pathname.slice(folder.length));
        return found === undefined ? null : { content_type: 'text/csv', body: found };
      });
      return {
        withoutNewest: () => void files.delete(newest),
        whole: () => void files.set(newest, body),
        records_before: 0,
      };
    },
    isDocument: (pathname) => pathname.endsWith('130519_rpts_hail.csv'),
    html: 'not-the-format',
    half: 'truncated',
    // Lines of the recorded file but its header.
    records: 196,
  },
  {
    feed: 'cocorahs_hail',
    lists: false,
    now: at('2026-06-04T18:00:00Z'),
    create: (COCORAHS_URL) =>
      cocorahsHail({
        ...{ COCORAHS_URL, COCORAHS_SCHEDULE: '0 0 1 1 *', COCORAHS_STATES: 'CO' },
        ...{ COCORAHS_REREAD_DAYS: 7, COCORAHS_HISTORY: '' },
      }),
    serve: (stub) => {
      stub.on('/export/exportreports.aspx', () => ({ content_type: 'text/csv', body: recordedExport() }));
      return null;
    },
    isDocument: () => true,
    html: 'not-the-format',
    half: 'truncated',
    // Lines of the recorded file but its header.
    records: 2,
  },
  {
    feed: 'nws_alerts',
    lists: false,
    now: at('2026-07-15T20:01:00Z'),
    create: (NWS_URL) => nwsAlerts({ NWS_URL, NWS_SCHEDULE: '0 0 1 1 *', NWS_HISTORY: '' }),
    serve: (stub) => {
      stub.on('/alerts/active', () => ({
        content_type: 'application/geo+json',
        body: recordedAlerts(national),
      }));
      return null;
    },
    isDocument: () => true,
    html: 'not-the-format',
    half: 'truncated',
    // Alerts of the recorded country with a hail size, as the list of recordings has them.
    records: 8,
  },
];
