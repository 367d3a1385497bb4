import { proven, type Line } from './line.ts';

const feeds = 'test/integration/feeds';

/** Rows of the decisions that no single answer over HTTP can show; each names the test that shows it. */
// One line a sentence, however long.
// prettier-ignore
export const elsewhere: readonly Line[] = [
  // Time.
  proven('time-gap-of-spans', 'records link by the gap between their spans', 'test/unit/hail/event/link.test.ts', 'measures the gap from the end of a span'),
  proven('time-cocorahs-instant', 'a CoCoRaHS report is an instant under the observer\'s own date', 'test/unit/feeds/cocorahs/observe.test.ts', 'is an instant at its station, cited by the observer’s own date'),
  proven('time-swdi-instant', 'a radar signature is an instant under station, time and cell', 'test/unit/feeds/swdi/parse.test.ts', 'is an instant under station, time and cell'),
  proven('time-storm-reports-12z', 'a convective day of storm reports is named by its first calendar day', 'test/unit/feeds/spc/observe.test.ts', 'a convective day'),

  // Observations.
  proven('obs-raw-tenths', 'between the cells of one grid the raw tenths of a millimetre count', 'test/unit/hail/event/area.test.ts', 'are spoken for by the raw tenths of a millimetre, although both sizes are shown alike'),
  proven('obs-sentinels', 'sentinels are no sizes', 'test/unit/feeds/swdi/parse.test.ts', 'knows sentinels from numbers'),
  proven('obs-swdi-dataset', 'the radar feed asks for nx3hail', `${feeds}/radar-hail.test.ts`, 'publishes every row of the days before the end of the inventory, once'),
  proven('obs-newest-file', 'the newest file of a year counts, by its creation stamp', 'test/unit/feeds/noaa_sed/listing.test.ts', 'gives the greatest creation stamp of each year, in whatever order the page names them'),
  proven('obs-newest-cocorahs', 'the newest DateTimeStamp of a report counts', `${feeds}/cocorahs.test.ts`, 'that is corrected changes once, under the version of its stamp'),
  proven('obs-never-older', 'a feed never publishes a revision older than what it has published', `${feeds}/cocorahs.test.ts`, 'is not taken back by an answer that is older than what was published'),
  proven('obs-product-rows', 'the products are rows of one table', 'test/unit/feeds/mrms/products.test.ts', 'of an hour are taken at the full hour, the others all'),

  // Events.
  proven('events-two-of-a-granule', 'only a granule can be cited by two events', 'test/unit/hail/event/area.test.ts', 'two storms of one granule are two events that both cite it'),
  proven('events-agree', 'a brute-force reading of the recorded files finds the same events', 'test/long/agreement.test.ts', 'finds the same events with the same numbers and sources, none missing, none invented'),
  proven('events-bearing-enum', 'bearing is declared as an enum of sixteen', 'test/unit/api/openapi.test.ts', 'names the sixteen bearings and the six publishers as the domain does'),
  proven('events-paging', 'a client pages forward and drops what it has: each event comes once', 'test/long/quick-start.test.ts', 'TypeScript: reads every page, each event once'),

  // Headers.
  proven('headers-range', 'X-Data-Position is a range while a batch that touches its cells stays open', 'test/long/answers-in-traffic/answers.test.ts', 'is a range while a batch that touches its cells stays open, and exact for all other cells'),
  proven('headers-token', 'the same log and positions have the same token', 'test/long/answers-in-traffic/answers.test.ts', 'has the same token for the same log and positions, also where there is nothing'),
  proven('headers-recomputed', 'an answer can be recomputed from the log, byte for byte', 'test/long/agreement.test.ts', 'answers the same bytes when the store is lost and the log is replayed'),
  proven('headers-prefixes', 'both prefixes answer the same bytes', 'test/long/agreement.test.ts', 'answers the same bytes under both prefixes'),
  proven('headers-corrections-each', 'X-Address-Corrections names every kind of correction', 'test/unit/api/judge.test.ts', 'and names ${corrections.join('),

  // Health: what a feed has been read through.
  proven('health-means-mrms', 'mrms_mesh: the newest granule read, with or without hail', `${feeds}/calm-night.test.ts`, 'stays fresh by granules without hail, and goes stale six hours after the last of them'),
  proven('health-means-swdi', 'radar_hail: never beyond today, whatever the catalogue says', `${feeds}/radar-hail.test.ts`, 'is never claimed beyond today, whatever the catalogue says'),
  proven('health-means-storm-events', 'storm_events: as far as the newest file reaches', `${feeds}/storm-events.test.ts`, 'speaks for a year only as far as its newest file reaches'),
  proven('health-means-reports', 'local_storm_reports: a day that is broken is not claimed past', `${feeds}/storm-reports.test.ts`, 'costs its day only, and nothing is claimed past it'),
  proven('health-means-cocorahs', 'cocorahs_hail: nothing is claimed past days that could not be read', `${feeds}/cocorahs.test.ts`, 'claims nothing past days that could not be read'),
  proven('health-means-alerts', 'nws_alerts: fresh without any alert', `${feeds}/alerts.test.ts`, 'withdraws nothing that is no longer listed, and is fresh without any alert'),
  proven('health-backfill', 'history never moves a cursor', `${feeds}/radar-hail.test.ts`, 'is read once, as backfill, and never moves the cursor'),

  // Usage: what is kept of a request, and what is not.
  proven('usage-storm', 'use is counted through kills of log, store, geocoder and API, and neither key nor address is written', 'test/long/storm/storm.ts', 'has written no address and no key anywhere'),
];
