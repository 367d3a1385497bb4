import type { Feed } from '../../../services/feeds/feed.ts';
import type { Draft } from '../../../services/feeds/kinds/points.ts';
import { stormEvents } from '../../../services/feeds/noaa_sed/feed.ts';
import { observeDetails } from '../../../services/feeds/noaa_sed/observe.ts';
import type { DetailsRow } from '../../../services/feeds/noaa_sed/parse.ts';
import { serveStormEvents, type PublisherStub } from '../../support/publisher-stub.ts';
import { detailsFile } from '../../support/revised-2017.ts';

/** NOT REAL. Made-up years, for histories that no publisher has shown us: only the columns that the feed reads. */
const columns = [
  'EVENT_ID',
  'EVENT_TYPE',
  'BEGIN_YEARMONTH',
  'BEGIN_DAY',
  'BEGIN_TIME',
  'END_YEARMONTH',
  'END_DAY',
  'END_TIME',
  'CZ_TIMEZONE',
  'MAGNITUDE',
  'SOURCE',
  'BEGIN_LAT',
  'BEGIN_LON',
  'STATE',
  'STATE_FIPS',
  'CZ_TYPE',
  'CZ_FIPS',
  'CZ_NAME',
] as const;

export interface HailRow {
  id: number;
  /** Of an hour of 1 May, 12:00 CST. */
  minute: number;
  lat: number | null;
  lon: number | null;
  size: string;
  /** The year in the row's dates, where it is not the file's. */
  year?: number;
  zone?: string;
  county?: string;
}

/** Serves made-up years as the publisher would. `offer` makes rows the only file of their year from now on, under the next stamp. */
export function serveMadeUpYears(stub: PublisherStub): {
  feed: Feed;
  offer: (year: number, rows: readonly HailRow[]) => void;
} {
  const files = new Map<string, Buffer>();
  let stamp = 20_260_101;
  serveStormEvents(stub, files);
  return {
    feed: stormEvents({
      NOAA_SED_URL: stub.url,
      NOAA_SED_SCHEDULE: '0 0 1 1 *',
      NOAA_SED_FIRST_YEAR: 1950,
    }),
    offer: (year, rows) => {
      for (const name of files.keys()) if (name.includes(`_d${year}_`)) files.delete(name);
      stamp += 1;
      const fields = rows.map((row) => fieldsOf(year, row));
      files.set(`StormEvents_details-ftp_v1.0_d${year}_c${stamp}.csv.gz`, detailsFile([columns, ...fields]));
    },
  };
}

/** What stands in a made-up row, as the feed observes it: for the expected views. */
export function draftOf(year: number, row: HailRow): Draft {
  const provenance = { document_url: '', retrieved_at: 0, document_sha256: '', publisher_version: null };
  const fields = fieldsOf(year, row);
  const named = Object.fromEntries(columns.map((column, at) => [column, fields[at] ?? '']));
  return observeDetails(named as DetailsRow, String(year), provenance);
}

function fieldsOf(year: number, row: HailRow): string[] {
  const date = [`${row.year ?? year}05`, '1', String(1_200 + row.minute)];
  const place = [row.lat, row.lon].map((degrees) => (degrees === null ? '' : String(degrees)));
  const county = ['OKLAHOMA', '40', 'C', '19', row.county ?? 'CARTER'];
  return [
    String(row.id),
    'Hail',
    ...date,
    ...date,
    row.zone ?? 'CST-6',
    row.size,
    'Public',
    ...place,
    ...county,
  ];
}
