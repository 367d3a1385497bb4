import {
  at,
  body,
  each,
  fails,
  get,
  header,
  health,
  history,
  line,
  lookup,
  methodology,
  names,
  noHeaderLike,
  openapi,
  page,
  proven,
  refuses,
  score,
  somerset,
  status,
  verify,
  wrong,
  type Line,
} from './line.ts';

const document = openapi();

/** Parts 5 to 9 of the contract, and the decisions on requests, errors, headers, health and keys. */
// One line a sentence, however long.
// prettier-ignore
export const rules: readonly Line[] = [
  ...[
    ['window_days', '0'], ['window_days', '181'], ['window_days', '1.5'], ['radius_mi', '0'], ['radius_mi', '25.01'], ['min_size_in', '-0.01'], ['min_size_in', '10.01'],
    ['date_of_loss', '2026-02-29'], ['date_of_loss', '1949-12-31'], ['date_of_loss', '2026-11-23'], ['date_of_loss', '28.08.2026'], ['address', '1 St'], ['address', 'a'.repeat(301)], ['address', '1 Main\tSt'],
  ].map(([name = '', value = '']) => line(`requests-verify-${name}=${value.slice(0, 12)}`, `verify refuses ${name}=${value.slice(0, 12)}, it is never clamped`, verify({ [name]: value }), refuses(name))),
  ...[['roof_age', '-1'], ['roof_age', '101'], ['roof_type', 'thatch'], ['radius_mi', '26']].map(([name = '', value = '']) => line(`requests-score-${name}=${value}`, `score refuses ${name}=${value}`, score({ [name]: value }), refuses(name))),
  ...[['limit', '0'], ['limit', '5001'], ['since', '2026-11-23'], ['since', '1949-12-31'], ['until', '2101-01-01']].map(([name = '', value = '']) => line(`requests-history-${name}=${value}`, `history refuses ${name}=${value}`, get('/property/history', { address: somerset, [name]: value }), refuses(name))),
  ...[['window_days', '1'], ['window_days', '180'], ['radius_mi', '25'], ['radius_mi', '0.01'], ['min_size_in', '0'], ['min_size_in', '10'], ['date_of_loss', '2026-11-22'], ['date_of_loss', '1950-01-01']].map(([name = '', value = '']) => line(`requests-verify-${name}=${value}`, `verify takes ${name}=${value}`, verify({ [name]: value }), status(200))),
  ...[['roof_age', '0'], ['roof_age', '100'], ['roof_type', 'wood_shake'], ['roof_type', 'metal_standing_seam'], ['roof_type', 'metal_corrugated'], ['roof_type', 'tile_concrete'], ['roof_type', 'tile_clay'], ['roof_type', 'flat_tpo'], ['roof_type', 'flat_epdm']].map(([name = '', value = '']) => line(`requests-score-${name}=${value}`, `score takes ${name}=${value}`, score({ [name]: value }), status(200), at(`data.property.${name}`, name === 'roof_age' ? Number(value) : value))),
  ...[['limit', '1'], ['limit', '5000'], ['since', '1950-01-01'], ['until', '2100-12-31']].map(([name = '', value = '']) => line(`requests-history-${name}=${value}`, `history takes ${name}=${value}`, history({ [name]: value }), status(200))),
  line('requests-required', 'address and date_of_loss are required', get('/property/verify'), refuses('address', 'date_of_loss')),
  line('requests-all-problems', 'all problems at once', verify({ window_days: '181', radius_mi: '26', bogus: '1' }), refuses('window_days', 'radius_mi', 'bogus')),
  line('requests-unknown', 'an unknown parameter is named', verify({ window: '5' }), refuses('window')),
  line('requests-unknown-health', 'on meta too', get('/meta/health', { window: '5' }, { key: 'none' }), refuses('window')),
  line('requests-repeated', 'a repeated parameter is refused', get('/property/verify', `address=${somerset}&date_of_loss=2026-08-28&radius_mi=5&radius_mi=5`), refuses('radius_mi')),
  line('requests-since-after-until', 'since after until', history({ since: '2018-01-01' }), refuses('since')),
  line('requests-api-key-known', 'api_key is always known', get('/meta/health', { api_key: 'anything' }, { key: 'none' }), status(200)),
  line('requests-lookup-unknown', 'lookup ignores unknown parameters', lookup({ window: '5', utm_source: 'x' }), status(200)),
  line('requests-key-first', 'the key comes before the parameters', verify({ window_days: '999' }, { key: 'none' }), status(401)),
  line('requests-unknown-path', 'an unknown path is 404', get('/property/verifiy'), ...fails(404, 'not_found')),
  line('requests-post', 'another method is 405 with Allow', verify({}, { method: 'POST' }), ...fails(405, 'method_not_allowed'), header('Allow', 'GET, HEAD')),
  line('requests-options', 'OPTIONS is 405', verify({}, { method: 'OPTIONS' }), ...fails(405, 'method_not_allowed'), noHeaderLike(/^access-control/)),
  line('requests-post-lookup', 'flat under lookup', lookup({}, { method: 'POST' }), status(405), at('', { error: 'method_not_allowed' }), header('Allow', 'GET, HEAD')),
  line('requests-head', 'HEAD is GET without a body', health({ method: 'HEAD' }), status(200), body('')),
  ...['/docs', '/methodology', '/healthz', '/readyz'].map((path) => line(`requests-page${path}`, `${path} is a page beside the API, without a key`, page(path), status(200))),
  ...['/docs', '/methodology', '/healthz', '/readyz'].map((path) => line(`requests-no-api${path}`, `${path} is no API path`, get(path), status(404))),

  ...[verify, score, history].map((ask) => line(`5.1-${ask().path}`, 'property needs a key', ask({}, { key: 'none' }), ...fails(401, 'unauthorized'))),
  line('5.1-lookup', 'lookup needs a key', lookup({}, { key: 'none' }), status(401)),
  line('5.1-health', 'health needs none', health(), status(200)),
  line('5.1-methodology', 'methodology needs none', methodology(), status(200)),
  line('5.1-document', 'openapi.json needs none', document, status(200)),
  line('5.2-header', 'a key in the header', verify(), status(200), header('Deprecation', null)),
  line('5.3-query', 'a key in the query is accepted and deprecated', verify({}, { key: 'query' }), status(200), header('Deprecation', /^@\d+$/), header('Link', /^<https:\/\/hail\.test\/.+>; rel="deprecation"/)),
  line('5.3-query-lookup', 'on lookup beside its own link', lookup({}, { key: 'query' }), header('Link', /rel="deprecation"/), header('Link', /rel="successor-version"/)),
  proven('5.4-format', 'hm_live_ and its parts, read by position', 'test/unit/api/keys.test.ts', 'is read by position: the secret may hold what parts the key'),
  line('5.5-wrong', 'a wrong key is 401', verify({}, { key: wrong }), ...fails(401, 'unauthorized'), header('WWW-Authenticate', 'Bearer')),
  line('5.5-no-key', 'text that is no key is 401', verify({}, { key: { authorization: 'Bearer key' } }), ...fails(401, 'unauthorized')),
  line('5.5-basic', 'another scheme is 401', verify({}, { key: { authorization: 'Basic a2V5' } }), ...fails(401, 'unauthorized')),
  proven('5.5-revoked', 'a revoked key is 401', 'test/integration/api/keys.test.ts', 'work from their making to their revocation, and are kept as hashes only'),
  // The dashboard that 5.6 names is a matter of its own; until then the list is a command.
  proven('5.6-provisioned', 'keys are provisioned for a partner on request, and listed by command', 'test/integration/api/keys.test.ts', 'are made, listed and revoked'),
  line('5.7-cors', 'no CORS headers, also when a browser asks', verify({}, { headers: { Origin: 'https://other.example' } }), noHeaderLike(/^access-control/)),
  line('keys-header-alone', 'header and query together: the header alone counts', verify({ api_key: 'x' }, { key: 'header' }), status(200), header('Deprecation', null)),

  line('7.1-400', 'bad_request with its list', verify({ radius_mi: '26' }), ...fails(400, 'bad_request', { errors: [{ parameter: 'radius_mi', message: 'must be <= 25' }] })),
  line('7.1-422', 'unprocessable_entity with the address as submitted', verify({ address: ' 99999 Nonexistent Fake St, Nowhere, TX 00000 ' }), ...fails(422, 'unprocessable_entity', { address: ' 99999 Nonexistent Fake St, Nowhere, TX 00000 ' })),
  line('7.1-500', 'internal_error', verify({}, { fault: 'store away' }), ...fails(500, 'internal_error')),
  line('7.1-429', 'rate_limited with retry_after_seconds and reason; the message states both', verify({}, { fault: 'minute used up' }), ...fails(429, 'rate_limited', { retry_after_seconds: 42, reason: 'minute-rate-limit' }), at('error.message', /minute-rate-limit.*42 seconds/)),
  line('7.2-400', 'lookup: a flat 400', lookup({ address: undefined }), status(400), names('', 'error'), at('error', /^bad_request: address/)),
  line('7.2-short', 'lookup: an address of 4 characters', lookup({ address: '1 St' }), status(400), at('error', /^bad_request: address/)),
  line('7.2-401', 'lookup: a flat 401', lookup({}, { key: wrong }), status(401), at('', { error: 'unauthorized' })),
  line('7.2-422', 'lookup: geocode_failed with the address', lookup({ address: '99999 Nonexistent Fake St, Nowhere, TX 00000' }), status(422), at('', { error: 'geocode_failed', address: '99999 Nonexistent Fake St, Nowhere, TX 00000' })),
  line('7.2-500', 'lookup: a flat 500', lookup({}, { fault: 'store away' }), status(500), at('', { error: 'internal_error' })),
  line('7.2-503', 'lookup: a flat 503 with Retry-After', lookup({}, { fault: 'nothing read' }), status(503), at('', { error: 'internal_error' }), header('Retry-After', /^[1-9]\d*$/)),
  line('7.2-429', 'lookup: rate_limited (minute-rate-limit) and retry_after', lookup({}, { fault: 'minute used up' }), status(429), at('', { error: 'rate_limited (minute-rate-limit)', retry_after: 42 }), header('Retry-After', '42')),

  proven('8-minute', 'the default of 60 requests a minute', 'test/integration/api/limits.test.ts', 'refuse the 61st request of a minute, say when to come again, and leave other partners alone'),
  line('8-day', 'the default of 1,000 requests a day', verify({}, { key: 'default limits' }), header('RateLimit-Policy', /"day";q=1000;w=86400/)),
  proven('8-day-refused', 'past the day requests are refused until midnight UTC', 'test/integration/api/limits.test.ts', 'refuse past the day with the seconds to midnight UTC'),
  proven('8-counted', '200, 400 and 422 count; 401, 429 and 5xx do not', 'test/integration/api/limits.test.ts', 'count 200, 400 and 422, and neither 401 nor 5xx'),
  line('8-day-reason', 'the reason of a used-up day', verify({}, { fault: 'day used up' }), at('error.detail', { retry_after_seconds: 1_800, reason: 'day-rate-limit' })),
  line('8-meta-free', 'meta may be polled freely', health({ fault: 'minute used up' }), status(200), header('RateLimit', null)),
  ...[verify, score, history, lookup].map((ask) => line(`headers-rate-limit-${ask().path}`, 'RateLimit and RateLimit-Policy on keyed endpoints', ask(), header('RateLimit', /^"minute";r=\d+;t=\d+, "day";r=\d+;t=\d+$/), header('RateLimit-Policy', '"minute";q=100000;w=60, "day";q=1000000;w=86400'))),
  proven('5.6-own-limits', 'each key carries its own limits', 'test/unit/api/limits.test.ts', 'are each key for itself, and go by the newest limits'),

  line('9.1-version', 'v1 in path and meta', methodology(), at('meta.api_version', 'v1')),
  line('9.2-version', 'the methodology version is everywhere the same', methodology(), at('meta.methodology_version', /./), (answer) => at('data.methodology_version', (answer.body as { meta: { methodology_version: string } }).meta.methodology_version)(answer)),
  line('9.2-header', 'and in the header', verify(), (answer) => header('X-Methodology-Version', (answer.body as { meta: { methodology_version: string } }).meta.methodology_version)(answer)),

  line('errors-geocoder-away', 'the geocoder away is 500, never 422', verify({}, { fault: 'geocoder away' }), ...fails(500, 'internal_error'), at('error.message', 'the geocoding service is unavailable')),
  line('errors-several', 'several matches: 422 with candidates in order', verify({}, { fault: 'several matches' }), status(422), at('error.detail', { address: somerset, candidates: ['1 B ST', '1 A ST'] })),
  line('errors-nothing-read', 'nothing ever read: 503 with Retry-After', verify({}, { fault: 'nothing read' }), ...fails(503, 'internal_error'), header('Retry-After', /^[1-9]\d*$/)),
  line('errors-deadline', 'past the deadline: 503 with Retry-After', verify({}, { fault: 'past the deadline' }), ...fails(503, 'internal_error'), header('Retry-After', /^[1-9]\d*$/)),
  proven('errors-capacity', 'at capacity: 503 with Retry-After', 'test/unit/api/gate.test.ts', 'lets so many in, has so many wait in their order, and tells everybody else 503 with Retry-After'),
  line('errors-store-health', 'store away: health is 200 and down', health({ fault: 'store away' }), status(200), at('data.status', 'down'), at('data.database', { connected: false })),
  proven('errors-other-house', 'every way in which a match is another house', 'test/unit/api/judge.test.ts', 'refuses "${typed}": ${why}'),
  proven('errors-near-matches', 'several matches within 250 m: the first', 'test/contract/geocoder.test.ts', 'takes the first of two matches that are less than 250 m apart'),
  proven('errors-geocoder-400', 'a 400 of the geocoder about the address is no match', 'test/contract/geocoder.test.ts', 'takes a 400 about the address for no match'),
  proven('errors-city-only', 'a city, a ZIP or another country is 422', 'test/unit/api/judge.test.ts', 'finds no match in a city, a ZIP, another country or a place off the globe'),
  proven('errors-cached', 'cached addresses keep working', 'test/unit/api/geocoder-parts.test.ts', 'answers again without asking, whatever the case and spacing'),
  line('headers-corrections', 'corrections are named', verify({}, { fault: 'corrected address' }), status(200), header('X-Address-Corrections', 'zip, suffix')),
  line('headers-no-corrections', 'and absent where there are none', verify(), header('X-Address-Corrections', null)),
  ...[verify, score, history, lookup].flatMap((ask) => [
    line(`headers-position-${ask().path}`, 'X-Data-Position on property answers and lookup', ask(), header('X-Data-Position', /^\S{5,}$/)),
    line(`headers-coverage-${ask().path}`, 'X-Data-Coverage names the four citing publishers', ask(), header('X-Data-Coverage', /^NOAA_SED=(complete|partial|none), NEXRAD_SWDI=(complete|partial|none), MRMS_MESH=(complete|partial|none), COCORAHS=(complete|partial|none)$/)),
    line(`headers-no-store-${ask().path}`, 'keyed answers are private and not stored', ask(), header('Cache-Control', 'private, no-store')),
    line(`headers-no-store-401-${ask().path}`, 'refusals too', ask({}, { key: 'none' }), header('Cache-Control', 'private, no-store'), header('X-Request-Id', /./)),
  ]),
  line('headers-request-id-404', 'X-Request-Id on every answer', get('/nothing'), header('X-Request-Id', /./)),
  line('headers-successor', 'lookup names its successor', lookup(), header('Link', '<https://hail.test/api/v1/property/score>; rel="successor-version"')),
  line('headers-etag-document', 'a strong ETag on openapi.json', document, header('ETag', /^"[\w-]+"$/)),
  line('headers-etag-methodology', 'a weak one on methodology', methodology(), header('ETag', /^W\/"[\w-]+"$/)),
  line('headers-304', '304 while any ETag holds', methodology({ headers: { 'If-None-Match': '*' } }), status(304), body('')),
  line('headers-304-document', '304 of openapi.json', { ...document, headers: { 'If-None-Match': '*' } }, status(304), body('')),

  ...([['mrms_mesh', 'MRMS_MESH', 6], ['radar_hail', 'NEXRAD_SWDI', 168], ['storm_events', 'NOAA_SED', 3_600], ['local_storm_reports', 'SPC_LSR', 48], ['cocorahs_hail', 'COCORAHS', 72], ['nws_alerts', 'NWS_ALERT', 1]] as const).map(([feed, publisher, hours]) =>
    line(`health-${feed}`, `${feed} is of ${publisher}, stale after ${hours} hours`, health(), (answer) => {
      const { feeds } = (answer.body as { data: { feeds: { feed: string }[] } }).data;
      const found = feeds.findIndex((each) => each.feed === feed);
      at(`data.feeds.${found}.publisher`, publisher)(answer);
      at(`data.feeds.${found}.threshold_hours`, hours)(answer);
    }),
  ),
  line('health-unknown', 'never read: unknown and null', health({ fault: 'nothing read' }), each('data.feeds', ({ status: is, last_observation_at, hours_since }) => is === 'unknown' && last_observation_at === null && hours_since === null), at('data.status', 'degraded'), at('data.data_freshness_ok', false)),
  line('health-freshness', 'data_freshness_ok is all fresh, and status follows', health(), (answer) => {
    const { feeds } = (answer.body as { data: { feeds: { status: string }[] } }).data;
    const all_fresh = feeds.every((each) => each.status === 'fresh');
    at('data.data_freshness_ok', all_fresh)(answer);
    at('data.status', all_fresh ? 'healthy' : 'degraded')(answer);
  }),
  proven('health-stale', 'older than the threshold: stale', 'test/unit/api/health.test.ts', 'is healthy when every feed is as old as its threshold, and degraded a millisecond later'),
  proven('health-queryable', 'it never runs ahead of what can be queried', 'test/integration/api/store.test.ts', 'of health speak of polls whose messages can be queried, and of no others'),
  proven('health-quiet', 'a quiet week is fresh', 'test/integration/feeds/hail-grids.test.ts', 'takes granules without hail as facts, so that a calm night stays fresh'),

  proven('keys-144-bits', '8 hex are public, 144 bits are secret', 'test/unit/api/keys.test.ts', 'holds the public id and 144 secret bits'),
  proven('keys-hash', 'stored as a hash only', 'test/unit/api/keys.test.ts', 'is kept as the SHA-256 of the whole'),
  proven('keys-registry-away', 'revocation holds whatever else is down', 'test/integration/api/keys.test.ts', 'hold, and can be revoked, while the registry is away'),
];
