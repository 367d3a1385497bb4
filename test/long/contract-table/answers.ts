import {
  ascending,
  at,
  count,
  each,
  fails,
  get,
  header,
  headerIs,
  health,
  history,
  kansas_city,
  line,
  lookup,
  methodology,
  names,
  noHeaderLike,
  oklahoma_city,
  page,
  proven,
  score,
  somerset,
  status,
  verify,
  type Line,
} from './line.ts';

/** The instant at which the table's service holds its clock. */
export const now = '2026-11-21T23:30:00.000Z';

const publishers = ['NOAA_SED', 'NEXRAD_SWDI', 'MRMS_MESH', 'NWS_ALERT', 'SPC_LSR', 'COCORAHS'];
const citing = ['NOAA_SED', 'NEXRAD_SWDI', 'MRMS_MESH', 'COCORAHS'];
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const day = /^\d{4}-\d\d-\d\d$/;
const isInstant = (value: unknown): boolean => typeof value === 'string' && instant.test(value);
const event_names = ['occurred_at', 'size_in', 'distance_mi', 'sources'];
const hasNames = (item: object, expected: readonly string[]): boolean =>
  Object.keys(item).sort().join() === [...expected].sort().join();
const citesWell = ({ sources }: Readonly<Record<string, unknown>>): boolean =>
  Array.isArray(sources) &&
  sources.length > 0 &&
  (sources as { publisher: string; record_id: string }[]).every(
    ({ publisher, record_id }) => citing.includes(publisher) && record_id !== '',
  );
/** Two days around the loss date of Kansas City's hail: one event of four Storm Events. */
const kc = { address: kansas_city, date_of_loss: '2017-03-06', window_days: '2' };
const score_meta = [
  'api_version',
  'computed_at',
  'data_sources',
  'methodology_last_updated',
  'methodology_version',
  'request_id',
];
const old = { proven: 'test/integration/api/score.test.ts' };

/**
 * Parts 1 to 4 of the contract, and the decisions on time, observations and events. Numbers of Somerset and Kansas City were read off
 * the recorded files by a program of its own (great circles on the mean sphere, 1,609.344 m to the mile), not by the service.
 */
// prettier-ignore
export const answers: readonly Line[] = [
  line('1-resolved', 'a street address is resolved before anything else', verify(), at('data.property.resolved_address', '7360 E 6TH ST, SOMERSET, TX, 78069')),
  line('1-not-geocoded', 'an address that cannot be geocoded is 422', verify({ address: '99999 Nonexistent Fake St, Nowhere, TX 00000' }), ...fails(422, 'unprocessable_entity', { address: '99999 Nonexistent Fake St, Nowhere, TX 00000' })),
  line('1-json', 'all endpoints return JSON', health(), header('Content-Type', /^application\/json/)),
  line('1-one-address', 'one address a call', get('/property/verify', `address=${somerset}&address=${somerset}&date_of_loss=2026-08-28`), at('error.detail.errors.0.parameter', 'address')),

  line('2.1-envelope-verify', 'verify is { data, meta }', verify(), status(200), names('', 'data', 'meta')),
  line('2.1-envelope-score', 'score is { data, meta }', score(), status(200), names('', 'data', 'meta')),
  line('2.1-envelope-history', 'history is { data, meta }', history(), status(200), names('', 'data', 'meta')),
  line('2.1-envelope-health', 'health is { data, meta }', health(), status(200), names('', 'data', 'meta')),
  line('2.1-envelope-methodology', 'methodology is { data, meta }', methodology(), status(200), names('', 'data', 'meta')),
  line('2.1-meta', 'meta has its six fields', verify(), names('meta', ...score_meta)),
  line('2.1-meta-health', 'meta is identical across endpoints', health(), names('meta', ...score_meta)),
  line('2.1-request-id', 'request_id identifies the request and is X-Request-Id', verify(), headerIs('X-Request-Id', 'meta.request_id'), at('meta.request_id', /./)),
  line('2.1-api-version', 'api_version is v1', verify(), at('meta.api_version', 'v1')),
  line('2.1-last-updated', 'methodology_last_updated is a date', verify(), at('meta.methodology_last_updated', day)),
  line('2.1-computed-at', 'computed_at is UTC with milliseconds', verify(), at('meta.computed_at', now)),
  line('2.1-data-sources', 'data_sources are six publishers', verify(), at('meta.data_sources', publishers)),
  line('2.1-lookup', 'lookup has no envelope', lookup(), status(200), names('', 'request', 'score', 'storms', 'live_mrms', 'meta')),

  line('2.2-verify', 'property of verify has four fields', verify(), names('data.property', 'address', 'resolved_address', 'lat', 'lon')),
  line('2.2-history', 'property of history has four fields', history(), names('data.property', 'address', 'resolved_address', 'lat', 'lon')),
  line('2.2-score', 'property of score has the roof too', score(), names('data.property', 'address', 'resolved_address', 'lat', 'lon', 'roof_age', 'roof_type')),
  line('2.2-submitted', 'address is as submitted', verify({ address: `  ${somerset.toLowerCase()} ` }), at('data.property.address', `  ${somerset.toLowerCase()} `)),
  line('2.2-place', 'lat and lon are the geocoder place, six decimals', verify(), at('data.property.lat', 29.2263), at('data.property.lon', -98.6578)),
  line('2.2-roof-default', 'the effective roof is echoed', score(), at('data.property.roof_age', 10), at('data.property.roof_type', 'asphalt_shingle')),
  line('2.2-roof-sent', 'a roof that was sent is echoed', score({ roof_age: '3', roof_type: 'slate' }), at('data.property.roof_age', 3), at('data.property.roof_type', 'slate')),

  line('2.3-verify-event', 'an event of verify has a bearing', verify(), each('data.events', (item) => hasNames(item, [...event_names, 'bearing']) && isInstant(item['occurred_at']))),
  line('2.3-history-event', 'an event of history has none', history(), each('data.events.items', (item) => hasNames(item, event_names) && isInstant(item['occurred_at']))),
  line('2.3-score-event', 'an event of score has none', score(), each('data.events.items', (item) => hasNames(item, event_names) && isInstant(item['occurred_at']))),
  line('2.3-numbers', 'size in inches, distance in miles, from the largest record', verify(), at('data.events.0.size_in', 1.25), at('data.events.0.distance_mi', 3.13), at('data.events.0.occurred_at', '2026-08-28T00:27:45.000Z')),
  line('2.3-bearing', 'bearing from the property on 16 points', verify(), at('data.events.0.bearing', 'ENE')),
  line('2.3-bearing-west', 'bearing of the largest of Kansas City', verify(kc), at('data.events.0.bearing', 'W')),
  line('2.3-sources', 'at least one source', history({ address: oklahoma_city, since: '1955-01-01', until: '2026-01-01' }), each('data.events.items', citesWell)),

  line('2.4-publisher', 'cited are the four publishers alone', history({ address: oklahoma_city, since: '1955-01-01', until: '2026-01-01', radius_mi: '25' }), each('data.events.items', citesWell)),
  line('2.4-noaa', 'NOAA_SED: the event id, a deep link, no detail', verify(kc), at('data.events.0.sources.0', { publisher: 'NOAA_SED', record_id: '686104', url: 'https://www.ncei.noaa.gov/access/storm-events-database/event-details/686104' })),
  line('2.4-swdi', 'NEXRAD_SWDI: station/timestamp/cell and its parts', verify(), at('data.events.0.sources.0', { publisher: 'NEXRAD_SWDI', record_id: 'KEWX/2026-08-28T00:27:45Z/Y1', url: 'https://www.ncei.noaa.gov/swdiws/csv/nx3hail/202608280027:202608280028?bbox=-98.620,29.234,-98.600,29.254', detail: { station: 'KEWX', timestamp: '2026-08-28T00:27:45Z', cell_id: 'Y1' } })),
  proven('2.4-swdi-no-cell', 'NEXRAD_SWDI without a cell: two parts', 'test/unit/hail/citation.test.ts', 'of a radar row without a cell name only station and time'),
  proven('2.4-mrms', 'MRMS_MESH: product/timestamp, link to the object', 'test/unit/hail/citation.test.ts', 'of a granule link to its object'),
  proven('2.4-cocorahs', 'COCORAHS: station/date, no link', 'test/unit/hail/citation.test.ts', 'of an observer have no link'),

  line('2.5-fields', 'the payload of verify', verify(), names('data', 'property', 'date_of_loss', 'verification', 'events')),
  line('2.5-verification', 'the fields of verification', verify(), names('data.verification', 'window_days', 'window_start', 'window_end', 'radius_mi', 'min_size_in', 'verdict', 'event_count', 'max_hail_size_in')),
  line('2.5-echo', 'date_of_loss is echoed', verify(), at('data.date_of_loss', '2026-08-28')),
  line('2.5-effective', 'the effective values', verify(), at('data.verification.window_days', 45), at('data.verification.radius_mi', 5), at('data.verification.min_size_in', 0.75)),
  line('2.5-effective-sent', 'the values that were sent', verify({ window_days: '7', radius_mi: '2.5', min_size_in: '1' }), at('data.verification.window_days', 7), at('data.verification.radius_mi', 2.5), at('data.verification.min_size_in', 1)),
  line('2.5-window', 'the window is N days on either side of 00:00 UTC', verify({ window_days: '2' }), at('data.verification.window_start', '2026-08-26T00:00:00.000Z'), at('data.verification.window_end', '2026-08-30T00:00:00.000Z')),
  line('2.5-window-default', 'the window of 45 days', verify(), at('data.verification.window_start', '2026-07-14T00:00:00.000Z'), at('data.verification.window_end', '2026-10-12T00:00:00.000Z')),
  line('2.5-confirmed', 'hail in the window confirms', verify({ window_days: '2' }), at('data.verification.verdict', 'hail_confirmed'), at('data.verification.event_count', 1), at('data.verification.max_hail_size_in', 1.25)),
  line('2.5-none', 'no hail: no event, 0 inches, 200', verify({ date_of_loss: '2020-01-15', window_days: '1' }), status(200), at('data.verification.verdict', 'no_hail_in_window'), at('data.verification.event_count', 0), at('data.verification.max_hail_size_in', 0), at('data.events', [])),
  line('2.5-array', 'events are an array directly', verify({ window_days: '2' }), count('data.events', 1)),

  line('2.6-fields', 'the payload of score', score(), names('data', 'property', 'score', 'events', 'parameters'), names('data.score', 'value', 'tier', 'max_hail_size_in', 'storm_count'), names('data.events', 'total_in_lookback', 'returned', 'items'), names('data.parameters', 'radius_mi', 'lookback_start')),
  line('2.6-lookback', 'the roof age bounds the window: calendar years before now', score({ roof_age: '12' }), at('data.parameters.lookback_start', '2014-11-21T23:30:00.000Z')),
  line('2.6-score-none', 'no hail: 0 and Low', score({ roof_age: '0', address: kansas_city }), at('data.score', { value: 0, tier: 'Low', max_hail_size_in: 0, storm_count: 0 })),
  line('2.6-value', 'an integer from 0 to 100', score(), at('data.score.value', /^(\d|[1-9]\d|100)$/)),
  proven('2.6-tier', 'the tiers change where the contract says', 'test/unit/hail/score/properties.test.ts', 'changes its tier exactly where the contract says'),
  proven('2.6-fifty', 'at most the 50 most recent', old.proven, 'lists at most the fifty most recent, and counts all'),

  line('2.7-fields', 'the payload of history', history(), names('data', 'property', 'window', 'events'), names('data.window', 'since', 'until', 'radius_mi', 'min_size_in'), names('data.events', 'total', 'returned', 'truncated', 'items')),
  line('2.7-window', 'the effective window', get('/property/history', { address: kansas_city }), at('data.window', { since: '2015-01-01', until: '2026-11-21', radius_mi: 5, min_size_in: 0.75 })),
  line('2.7-counts', 'one event of 2017, none cut', history(), at('data.events.total', 1), at('data.events.returned', 1), at('data.events.truncated', false)),
  line('2.7-truncated', 'truncated says that the list was cut', history({ address: oklahoma_city, since: '1955-01-01', limit: '3' }), at('data.events.returned', 3), at('data.events.truncated', true), count('data.events.items', 3)),
  line('2.7-chronological', 'oldest first', history({ address: oklahoma_city, since: '1955-01-01' }), ascending('data.events.items', 'occurred_at')),

  line('2.8-request', 'lookup: request', lookup(), at('request', { address: somerset, resolved_address: '7360 E 6TH ST, SOMERSET, TX, 78069', lat: 29.2263, lon: -98.6578 })),
  line('2.8-score', 'lookup: score', lookup(), names('score', 'value', 'tier', 'max_hail_size_in'), at('score.max_hail_size_in', 1.25)),
  line('2.8-last', 'lookup: the newest event of 1.00 in and more', lookup(), at('storms.last_damaging_event', { date: '2026-08-28', size: 1.25, days_ago: 85 })),
  line('2.8-claim', 'lookup: the claim window of two years is open', lookup(), at('storms.claim_window_open', true)),
  line('2.8-no-claim', 'lookup: null and closed where there was nothing', lookup({ address: '1445 K St, Lincoln, NE 68508' }), at('storms.last_damaging_event', null), at('storms.claim_window_open', false)),
  line('2.8-old-claim', 'lookup: nine years are past the claim window', lookup({ address: kansas_city }), at('storms.last_damaging_event.date', '2017-03-07'), at('storms.claim_window_open', false)),
  line('2.8-live', 'lookup: no MRMS hail in 30 days', lookup(), at('live_mrms', { hail_days_last_30: 0, max_in_last_30: null })),
  line('2.8-meta', 'lookup: meta', lookup(), names('meta', 'api_version', 'generated_at', 'sources'), at('meta.api_version', 'v1'), at('meta.generated_at', now), count('meta.sources', 6)),
  proven('2.8-radar', 'radar events within 8 miles', old.proven, 'is the score with its defaults, and a summary of the storms, flat'),
  proven('2.8-two-years', 'two calendar years, to the millisecond', old.proven, 'opens the claim window for two calendar years, to the millisecond'),

  line('2.9-fields', 'the payload of health', health(), names('data', 'status', 'database', 'methodology_version', 'data_freshness_ok', 'feeds'), at('data.database', { connected: true })),
  line('2.9-feeds', 'six feeds with six fields', health(), count('data.feeds', 6), each('data.feeds', (item) => hasNames(item, ['feed', 'publisher', 'last_observation_at', 'hours_since', 'status', 'threshold_hours']))),
  line('2.9-status', 'a feed is fresh, stale or unknown', health(), each('data.feeds', ({ status: is }) => ['fresh', 'stale', 'unknown'].includes(String(is)))),

  line('2.10-fields', 'the payload of methodology', methodology(), names('data', 'methodology_version', 'last_updated', 'url', 'changelog', 'publishers'), at('data.last_updated', day), at('data.url', 'https://hail.test/methodology')),
  line('2.10-changelog', 'version, published, summary', methodology(), each('data.changelog', (item) => hasNames(item, ['version', 'published', 'summary']) && day.test(String(item['published'])))),
  line('2.10-publishers', 'which publishers are cited and which referenced', methodology(), at('data.publishers.cited_per_event', citing), at('data.publishers.referenced_in_methodology', publishers), at('data.publishers.notes.NWS_ALERT', /./), at('data.publishers.notes.SPC_LSR', /./)),
  line('2.10-url', 'the link leads to the public methodology', page('/methodology'), status(200), header('Content-Type', /^text\/html/)),

  line('3-min-size', 'hail of exactly min_size_in confirms', verify({ window_days: '2', min_size_in: '1.25' }), at('data.verification.verdict', 'hail_confirmed'), count('data.events.0.sources', 1)),
  line('3-below', 'smaller hail does not', verify({ window_days: '2', min_size_in: '1.26' }), at('data.verification.verdict', 'no_hail_in_window')),
  line('4.7-document', 'an OpenAPI 3.1 document', get('/openapi.json', {}, { prefixes: ['/api/v1'], key: 'none' }), status(200), at('openapi', /^3\.1\./)),
  line('4.7-server', 'the document names the public base URL', get('/openapi.json', {}, { prefixes: ['/api/v1'], key: 'none' }), at('servers.0.url', 'https://hail.test/api/v1')),
  ...['/bulk', '/storms', '/swaths'].flatMap((path) => ['GET', 'POST'].map((method) => line(`4.8${path}-${method}`, `${method} ${path} is not callable`, get(path, {}, { method }), ...fails(404, 'not_found')))),

  line('time-exclusive-end', 'window_end is exclusive: N = 1 on the day before the hail finds none', verify({ date_of_loss: '2026-08-27', window_days: '1' }), at('data.verification.window_end', '2026-08-28T00:00:00.000Z'), at('data.verification.event_count', 0)),
  line('time-loss-date', 'N = 1 covers the loss date itself', verify({ window_days: '1' }), at('data.verification.event_count', 1)),
  line('time-day-before', 'N = 1 covers the day before', verify({ date_of_loss: '2026-08-29', window_days: '1' }), at('data.verification.event_count', 1)),
  line('time-inclusive-start', 'window_start is inclusive, and two days later the hail is out', verify({ date_of_loss: '2026-08-30', window_days: '1' }), at('data.verification.event_count', 0)),
  line('time-evening', 'a US evening lies on the next UTC day', verify({ ...kc, window_days: '1' }), at('data.verification.event_count', 0)),
  line('time-evening-found', 'and needs two days', verify(kc), at('data.verification.event_count', 1), at('data.events.0.occurred_at', '2017-03-07T01:46:00.000Z')),
  line('time-until', 'until is inclusive to the end of the day', history({ until: '2017-03-07' }), at('data.events.total', 1)),
  line('time-until-before', 'the day before has none', history({ until: '2017-03-06' }), at('data.events.total', 0)),
  line('time-until-future', 'until may lie in the future', history({ until: '2100-12-31' }), status(200), at('data.window.until', '2100-12-31')),
  line('time-roof-0', 'a roof age of 0 looks back one year', score({ roof_age: '0' }), at('data.parameters.lookback_start', '2025-11-21T23:30:00.000Z'), at('data.events.total_in_lookback', 1)),
  proven('time-leap', '29 February becomes the 28th', 'test/unit/hail/time-and-size.test.ts', 'goes back whole calendar years, 29 February to the 28th'),
  proven('time-end-before-begin', 'an end before the begin is ignored', 'test/unit/feeds/noaa_sed/parse.test.ts', 'ignores an end before the begin'),
  proven('time-convective', 'a convective day runs from 12Z to 12Z', 'test/unit/hail/time-and-size.test.ts', 'turns at 12:00:00Z for hail'),
  proven('time-granule', 'a granule is in a window by the start of its span', 'test/unit/hail/event/area.test.ts', 'a granule is in a window when its span begins in it'),

  proven('obs-hail-only', 'only Hail, no marine hail', 'test/unit/feeds/noaa_sed/parse.test.ts', 'is hail only under that very name'),
  proven('obs-no-zone', 'an unknown time-zone label: no time', 'test/unit/feeds/noaa_sed/parse.test.ts', 'has no time where the label is unknown'),
  proven('obs-unknown-size', 'unknown sizes are in no answer', 'test/unit/feeds/noaa_sed/parse.test.ts', 'has no size where it is blank, zero'),
  proven('obs-cocorahs-size', 'CoCoRaHS: LargestSize is the size', 'test/unit/feeds/cocorahs/observe.test.ts', 'is LargestSize alone'),
  proven('obs-no-place', 'records without coordinates are in no answer', 'test/unit/projector/observations.test.ts', 'that is set aside leaves the table it stood in'),
  proven('obs-half-up', 'sizes are rounded once, half up', 'test/unit/hail/time-and-size.test.ts', 'round half up to two decimals'),
  proven('obs-newest', 'the newest revision counts', 'test/integration/feeds/storm-events.test.ts', 'comes to the same when both files are there at once, and an older one alone changes nothing'),
  proven('obs-unchanged', 'what is unchanged is not published again', 'test/integration/feeds/conditional.test.ts', 'says what it has, and learns that nothing has changed by 304'),
  proven('obs-withdrawn', 'absent is withdrawn, blanked is unknown', 'test/integration/feeds/storm-events.test.ts', 'moves, resizes, blanks and withdraws, and leaves nothing at an old place'),
  proven('obs-suspicious', 'a suspicious withdrawal waits for an operator', 'test/integration/feeds/storm-events.test.ts', 'is refused as a whole until an operator accepts it, once'),
  proven('obs-granule-key', 'a granule of another time than its key is refused', 'test/integration/feeds/hail-grids.test.ts', 'may be of another hour than its key'),
  proven('obs-granule-again', 'a re-issued granule replaces the old one', 'test/integration/feeds/hail-grids.test.ts', 'reads an issue anew when it is later, and drops the cells that are gone'),
  proven('obs-product', 'answers use the configured product alone', 'test/integration/api/store.test.ts', 'of two storms of a granule cite it in both events, once in each, and the configured product alone'),
  proven('obs-url', 'url is the publisher public host', 'test/unit/hail/citation.test.ts', 'of a radar cell link to the query that returns the row'),
  proven('obs-url-resolves', 'and what it answers holds the record', 'test/long/feeds/cited-urls.test.ts', 'is a page with the event, its place and its size'),

  line('events-one', 'one storm seen by four radars is one event with every record', verify({ window_days: '2' }), count('data.events.0.sources', 10)),
  line('events-order', 'sources: lead, then by size, distance', verify({ window_days: '2' }), at('data.events.0.sources.1.record_id', 'KDFX/2026-08-28T00:33:02Z/Q9'), at('data.events.0.sources.2.record_id', 'KGRK/2026-08-28T00:33:06Z/P1'), at('data.events.0.sources.3.record_id', 'KCRP/2026-08-28T00:26:58Z/X0'), at('data.events.0.sources.6.record_id', 'KGRK/2026-08-28T00:36:47Z/P1'), at('data.events.0.sources.9.record_id', 'KCRP/2026-08-28T00:20:25Z/X0')),
  line('events-filter-first', 'filters come before grouping', verify({ window_days: '2', radius_mi: '1.72' }), count('data.events.0.sources', 1), at('data.events.0.distance_mi', 1.71)),
  line('events-radius', 'beyond the radius there is nothing', verify({ window_days: '2', radius_mi: '1.71' }), at('data.verification.event_count', 0)),
  line('events-chain', 'four Storm Events in a chain are one event', verify(kc), count('data.events.0.sources', 4), at('data.events.0.size_in', 2), at('data.events.0.distance_mi', 3.92)),
  line('events-storm-count', 'storm_count counts convective days', score({ roof_age: '1' }), at('data.score.storm_count', 1), at('data.score.max_hail_size_in', 1.25)),
  proven('events-area', 'a hail area is a chain of cells at most 5 miles apart', 'test/unit/hail/event/area.test.ts', 'are chains of cells at most five miles from one another'),
  proven('events-link-time', 'exactly 20 minutes link', 'test/unit/hail/event/link.test.ts', 'counts a gap of exactly twenty minutes, and not a millisecond more'),
  proven('events-link-place', 'five miles link', 'test/unit/hail/event/link.test.ts', 'counts five miles, and not a metre more'),
  proven('events-12z', 'no event crosses 12Z', 'test/unit/hail/event/laws.test.ts', 'never let an event cross 12Z'),
  proven('events-cited-once', 'every observation is cited in exactly one event', 'test/unit/hail/event/laws.test.ts', 'put every observation that passes the filters into exactly one event'),
  proven('events-cocorahs-one', 'of CoCoRaHS reports with one id the largest', 'test/unit/hail/event/event.test.ts', 'of several CoCoRaHS reports with one id keep the largest, then the earliest'),
  proven('events-lead', 'the order of leads', 'test/unit/hail/event/event.test.ts', 'are led by the largest, then the nearest, then the publisher, then the earliest'),
  proven('events-ties', 'ties by record id', 'test/unit/hail/event/event.test.ts', 'come oldest first, ties by the lead record id as text'),
  proven('events-bounds', 'radius inclusive', 'test/unit/hail/event/event.test.ts', 'take the radius inclusive and the window half open'),
  proven('events-newest-first', 'score items newest first', old.proven, 'echoes the roof, names the window, and lists its events newest first'),
  proven('events-distance', 'haversine on the mean sphere', 'test/unit/hail/geo.test.ts', 'measures on the mean sphere'),
  proven('events-rose', 'sixteen sectors, N at distance 0', 'test/unit/hail/geo.test.ts', 'is N at distance 0'),
  proven('events-score-cell', 'the score uses the cell at the house', old.proven, 'of a granule uses the cell at the house'),
  proven('events-score-radius', 'a larger radius hides no hail', old.proven, 'stays as it is when the radius grows from 5 to 25 miles'),
  proven('events-no-lsr', 'storm reports never make an event', 'test/unit/projector/observations.test.ts', 'of the storm reports is a row of their own table alone'),
  line('events-no-cors', 'no CORS header', verify(), noHeaderLike(/^access-control/)),
];
