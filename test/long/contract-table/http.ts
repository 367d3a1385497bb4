import {
  at,
  body,
  fails,
  get,
  header,
  headerIs,
  health,
  history,
  line,
  lookup,
  methodology,
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
  wrong_key,
  type Line,
} from './line.ts';

const unknown_address = '99999 Nonexistent Fake St, Nowhere, TX 00000';
const successor = '<https://hail.test/api/v1/property/score>; rel="successor-version"';
const keyed = [verify, score, history, lookup];
const open = [health(), methodology(), openapi()];
const pages = ['/docs', '/methodology', '/healthz', '/readyz'];

/** What every path has in common: methods, prefixes, dates, keys, caches, and what the edge of the server refuses. */
// One line a sentence, however long.
// prettier-ignore
export const http: readonly Line[] = [
  // Methods.
  ...keyed.map((ask) => line(`methods-head-${ask().path}`, `HEAD of ${ask().path} is GET without a body`, ask({}, { method: 'HEAD' }), status(200), body(''), header('X-Data-Position', /./))),
  ...open.map((ask) => line(`methods-head-${ask.path}`, `HEAD of ${ask.path} is GET without a body`, { ...ask, method: 'HEAD' }, status(200), body(''), header('Content-Type', /^application\/json/))),
  ...pages.map((path) => line(`methods-head-${path}`, `HEAD of ${path} is GET without a body`, page(path, { method: 'HEAD' }), status(200), body(''))),
  line('methods-head-401', 'HEAD asks for a key as GET does', verify({}, { method: 'HEAD', key: 'none' }), status(401), body('')),
  ...[verify, score, history].map((ask) => line(`methods-options-${ask().path}`, `OPTIONS of ${ask().path} is 405`, ask({}, { method: 'OPTIONS', key: 'none', headers: { Origin: 'https://other.example', 'Access-Control-Request-Method': 'GET' } }), ...fails(405, 'method_not_allowed'), header('Allow', 'GET, HEAD'), noHeaderLike(/^access-control/))),
  line('methods-options-lookup', 'OPTIONS of lookup is 405, flat', lookup({}, { method: 'OPTIONS', key: 'none' }), status(405), at('', { error: 'method_not_allowed' }), header('Allow', 'GET, HEAD'), noHeaderLike(/^access-control/)),
  ...[...open, ...pages.map((path) => page(path))].map((ask) => line(`methods-options-open-${ask.path}`, `OPTIONS of ${ask.path} is 405`, { ...ask, method: 'OPTIONS' }, ...fails(405, 'method_not_allowed'), header('Allow', 'GET, HEAD'), noHeaderLike(/^access-control/))),
  ...['POST', 'PUT', 'PATCH', 'DELETE'].map((method) => line(`methods-${method}`, `${method} is 405 before a key is asked for`, verify({}, { method, key: 'none' }), ...fails(405, 'method_not_allowed'), header('Allow', 'GET, HEAD'))),

  // Paths and prefixes.
  line('paths-short-lookup', '/v1/lookup is no path: 404, structured', lookup({}, { prefixes: ['/v1'] }), ...fails(404, 'not_found')),
  line('paths-short-document', '/v1/openapi.json is no path', openapi({ prefixes: ['/v1'] }), ...fails(404, 'not_found')),
  line('paths-below-lookup', 'below lookup even a 404 is flat', get('/lookup/more', {}, { prefixes: ['/api/v1'] }), status(404), at('', { error: 'not_found' })),
  line('paths-no-key', 'a path that is not there asks for no key', get('/property', {}, { key: 'none' }), ...fails(404, 'not_found')),
  line('paths-case', 'paths are told apart by case', get('/Property/verify'), ...fails(404, 'not_found')),

  // Parameters on every operation.
  ...[score, history].map((ask) => line(`parameters-address-${ask().path}`, `${ask().path} refuses an address of 4 characters`, ask({ address: '1 St' }), refuses('address'))),
  ...[score, history].map((ask) => line(`parameters-address-long-${ask().path}`, `${ask().path} refuses an address of 301 characters`, ask({ address: 'a'.repeat(301) }), refuses('address'))),
  line('parameters-address-trimmed', 'the length counts after trimming', verify({ address: '   1 St   ' }), refuses('address')),
  line('parameters-empty', 'an empty parameter is refused, not defaulted', verify({ radius_mi: '' }), refuses('radius_mi')),
  ...[
    get('/property/verify', `address=${somerset}&date_of_loss=2026-08-28&date_of_loss=2026-08-28`), get('/property/score', `address=${somerset}&roof_age=3&roof_age=3`), get('/property/history', `address=${somerset}&limit=5&limit=6`),
  ].map((ask) => line(`parameters-repeated-${ask.path}`, `${ask.path} refuses a repeated parameter, equal or not`, ask, status(400), at('error.detail.errors.0.message', 'must be sent once'))),
  line('parameters-repeated-lookup', 'lookup refuses a repeated address', get('/lookup', `address=${somerset}&address=${somerset}`, { prefixes: ['/api/v1'] }), status(400), at('error', 'bad_request: address: must be sent once')),
  line('parameters-repeated-health', 'meta refuses a repeated parameter as it refuses any', get('/meta/health', 'window=1&window=2', { key: 'none' }), refuses('window')),

  // Leap days and the calendar.
  ...['2024-02-29', '2000-02-29'].map((day) => line(`dates-loss-${day}`, `${day} is a day`, verify({ date_of_loss: day, window_days: '1' }), status(200), at('data.date_of_loss', day), at('data.verification.window_end', `${day.slice(0, 4)}-03-01T00:00:00.000Z`))),
  ...['2023-02-29', '1900-02-29', '2026-02-30', '2026-04-31'].map((day) => line(`dates-loss-${day}`, `${day} is none`, verify({ date_of_loss: day }), refuses('date_of_loss'))),
  line('dates-since-leap', 'since and until may be a leap day', history({ since: '2024-02-29', until: '2024-02-29' }), status(200), at('data.window', { since: '2024-02-29', until: '2024-02-29', radius_mi: 5, min_size_in: 0.75 })),
  line('dates-until-no-leap', 'and no day that the year has not', history({ until: '2023-02-29' }), refuses('until')),
  line('dates-since-tomorrow', 'since may be tomorrow, UTC', get('/property/history', { address: somerset, since: '2026-11-22', until: '2026-11-22' }), status(200), at('data.events.total', 0)),
  line('dates-since-beyond-today', 'since tomorrow without until is after its default, which is named', get('/property/history', { address: somerset, since: '2026-11-22' }), refuses('since'), at('error.message', /2026-11-21/)),
  line('dates-until-before-default', 'until before the default of since: the message names the default', get('/property/history', { address: somerset, until: '2014-12-31' }), refuses('until'), at('error.detail.errors.0.message', 'must not be before since, which is 2015-01-01 where it is not sent')),
  line('dates-until-on-default', 'until on the default of since is a window of one day', get('/property/history', { address: somerset, until: '2015-01-01' }), status(200), at('data.window.since', '2015-01-01')),
  ...([['1', '2023-02-28'], ['4', '2020-02-29'], ['0', '2023-02-28'], ['100', '1924-02-29']] as const).map(([roof_age, day]) => line(`dates-roof-leap-${roof_age}`, `on 29 February a roof of ${roof_age} years looks back to ${day}`, score({ roof_age }, { fault: 'leap day' }), at('data.parameters.lookback_start', `${day}T12:00:00.000Z`))),
  line('dates-leap-tomorrow', 'on 29 February tomorrow is 1 March', verify({ date_of_loss: '2024-03-01' }, { fault: 'leap day' }), status(200)),
  line('dates-leap-after-tomorrow', 'and 2 March is not yet', verify({ date_of_loss: '2024-03-02' }, { fault: 'leap day' }), refuses('date_of_loss')),

  // The order of checks, where two things are wrong at once.
  line('order-key-limit', 'the key comes before the limit', verify({}, { key: wrong, fault: 'minute used up' }), ...fails(401, 'unauthorized')),
  line('order-limit-parameters', 'the limit before the parameters', verify({ radius_mi: '26' }, { fault: 'minute used up' }), status(429)),
  line('order-parameters-address', 'the parameters before the address', verify({ address: unknown_address, radius_mi: '26' }), refuses('radius_mi')),
  line('order-address-data', 'the address before the data', verify({}, { fault: 'no match and no store' }), ...fails(422, 'unprocessable_entity', { address: somerset })),

  // Keys.
  line('keys-revoked', 'a revoked key is refused as an unknown one is', verify({}, { key: 'revoked' }), ...fails(401, 'unauthorized'), at('error.message', 'A valid API key is required: Authorization: Bearer <API_KEY>.')),
  line('keys-unknown', 'word for word', verify({}, { key: wrong }), at('error.message', 'A valid API key is required: Authorization: Bearer <API_KEY>.')),
  line('keys-wrong-header-wins', 'a wrong header beside a right key in the query: the header alone counts', verify({}, { key: 'query beside a wrong header' }), ...fails(401, 'unauthorized'), header('Deprecation', null)),
  line('keys-right-header-wins', 'a right header beside a wrong key in the query, without a word of deprecation', verify({ api_key: wrong_key }), status(200), header('Deprecation', null), header('Link', null)),
  line('keys-query-twice', 'a key that is sent twice in the query is none', get('/property/verify', { address: somerset, date_of_loss: '2026-08-28', api_key: 'x' }, { key: 'query twice' }), ...fails(401, 'unauthorized')),
  ...[verify, score, history].map((ask) => line(`keys-query-${ask().path}`, `a key in the query of ${ask().path} is deprecated, and the link says where`, ask({}, { key: 'query' }), status(200), header('Deprecation', /^@\d+$/), header('Link', '<https://hail.test/api/v1/openapi.json>; rel="deprecation"; type="application/json"'))),
  line('keys-query-400', 'on a refusal of its parameters too', verify({ radius_mi: '26' }, { key: 'query' }), status(400), header('Deprecation', /^@\d+$/), header('Link', /rel="deprecation"/)),
  line('keys-default-limits', 'a key without limits of its own has 60 a minute and 1,000 a day', verify({}, { key: 'default limits' }), status(200), header('RateLimit-Policy', '"minute";q=60;w=60, "day";q=1000;w=86400'), header('RateLimit', /^"minute";r=5\d;t=\d+, "day";r=99\d;t=\d+$/)),
  proven('keys-restart', 'a restart forgets at most the last second of a day', 'test/long/usage.process.test.ts', 'goes on with the counts of the day after a kill: from the log, and from the view'),
  proven('keys-ten-seconds', 'a revoked key stops working within 10 seconds, whatever else is down', 'test/long/usage.process.test.ts', 'refuses a revoked key within 10 seconds with store and projector away, and the command can wait for it'),

  // Waiting.
  line('waiting-minute', 'Retry-After equals the seconds of the body', verify({}, { fault: 'minute used up' }), status(429), headerIs('Retry-After', 'error.detail.retry_after_seconds')),
  line('waiting-day', 'of a day too', verify({}, { fault: 'day used up' }), status(429), headerIs('Retry-After', 'error.detail.retry_after_seconds'), header('Retry-After', '1800')),
  line('waiting-lookup', 'and on lookup', lookup({}, { fault: 'day used up' }), status(429), at('error', 'rate_limited (day-rate-limit)'), headerIs('Retry-After', 'retry_after')),
  line('waiting-not-500', 'a 500 names no time', verify({}, { fault: 'store away' }), status(500), header('Retry-After', null)),
  proven('waiting-capacity', 'at capacity 503 at once, flat on lookup', 'test/integration/api/capacity.test.ts', 'takes no more than its turns: who finds none and no room to wait is 503 at once, flat on lookup'),

  // Lookup names its successor on every answer.
  line('successor-400', 'on 400', lookup({ address: undefined }), status(400), header('Link', successor)),
  line('successor-401', 'on 401', lookup({}, { key: 'none' }), status(401), header('Link', successor)),
  line('successor-405', 'on 405', lookup({}, { method: 'POST' }), status(405), header('Link', successor)),
  line('successor-422', 'on 422', lookup({ address: unknown_address }), status(422), header('Link', successor)),
  ...(['minute used up', 'store away', 'nothing read'] as const).map((fault) => line(`successor-${fault}`, `and with ${fault}`, lookup({}, { fault }), header('Link', '<https://hail.example.com/api/v1/property/score>; rel="successor-version"'))),

  // The house that was meant.
  line('house-number', 'a match on another house number is 422 with it as the candidate', verify({}, { fault: 'another house' }), ...fails(422, 'unprocessable_entity', { address: somerset, candidates: ['7362 E 6TH ST, SOMERSET, TX, 78069'] })),
  line('house-state', 'a match in another state too', verify({}, { fault: 'another state' }), ...fails(422, 'unprocessable_entity', { address: somerset, candidates: ['7360 E 6TH ST, SOMERSET, OK, 78069'] })),
  line('house-lookup', 'lookup says geocode_failed and the address', lookup({}, { fault: 'another house' }), status(422), at('', { error: 'geocode_failed', address: somerset })),

  // Caches and identity.
  line('cache-304-methodology', '304 to exactly the tag of methodology, which it names again', methodology({ again: 'with its ETag' }), status(304), body(''), header('ETag', /^W\/"[\w-]+"$/)),
  line('cache-304-document', '304 to exactly the tag of openapi.json', openapi({ again: 'with its ETag' }), status(304), body(''), header('ETag', /^"[\w-]+"$/)),
  line('cache-304-no-cache', 'also beside Cache-Control: no-cache, which fetch clients send', openapi({ again: 'with its ETag', headers: { 'Cache-Control': 'no-cache' } }), status(304)),
  line('cache-other-tag', 'another tag is answered in full', methodology({ headers: { 'If-None-Match': 'W/"other", "another"' } }), status(200)),
  line('cache-keyed', 'what a key is asked for has no tag', verify({}, { headers: { 'If-None-Match': '*' } }), status(200), header('ETag', null)),
  line('cache-health', 'health is not stored', health(), header('Cache-Control', 'no-store'), header('ETag', null)),
  line('cache-no-cache', 'methodology is asked for again each time', methodology(), header('Cache-Control', 'no-cache')),
  line('encoding-strong', 'under a strong tag nothing is compressed', openapi({ headers: { 'Accept-Encoding': 'gzip, br' } }), status(200), header('Content-Encoding', null)),
  line('encoding-answer', 'an answer is, where the client takes it', verify({}, { headers: { 'Accept-Encoding': 'gzip' } }), header('Content-Encoding', 'gzip')),
  line('request-id-own', 'an X-Request-Id of the client is not taken', verify({}, { headers: { 'X-Request-Id': 'of-a-client-0001' } }), header('X-Request-Id', /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/), headerIs('X-Request-Id', 'meta.request_id')),
  proven('request-id-proxy', 'only that of a trusted proxy', 'test/integration/api/capacity.test.ts', 'carry the request id of a trusted proxy in a safe form, and of nobody else'),

  // What never reaches an operation.
  proven('edge-431', 'a request line and headers above 16 KiB are 431 in the shape of other errors', 'test/integration/api/serving.test.ts', 'refuses what is no HTTP and what is too large in the shape of other errors'),
  proven('edge-408', 'a request that is begun and not ended is 408', 'test/integration/api/malformed-http.test.ts', 'answers 408 to who begins a request and does not end it, byte by byte or not at all'),
  proven('edge-400', 'what is no HTTP is 400', 'test/integration/api/malformed-http.test.ts', 'answers what is pipelined in its order, and closes after what is broken'),
  line('edge-encoding', 'a path that is no URL encoding is 400', page('/api/v1/%zz'), ...fails(400, 'bad_request', { errors: [{ parameter: 'path', message: 'is not valid URL encoding' }] })),
];
