import { html, table, type Markup } from '../methodology-page/markup.ts';
import type { OpenApiDocument } from '../openapi-document.ts';
import { quickStarts } from './quick-start.ts';

export function quickStart(public_base_url: string): Markup {
  return html`<h2 id="quick-start">Quick start</h2>
    <p>
      Put your key into the environment variable <code>HAILMARK_API_KEY</code>. The lines below need nothing
      but what each language brings along (Node 22.18 or newer; Python 3.9 or newer). The first asks about a
      date of loss, the others read a whole history page by page.
    </p>
    ${quickStarts(public_base_url).map(
      ({ name, run, text }) =>
        html`<h3>${name}</h3>
          <pre tabindex="0"><code data-run="${run}">${text}</code></pre>`,
    )}`;
}

export function keys(): Markup {
  return html`<h2 id="keys">Keys</h2>
    <p>
      Property operations and lookup ask for a key: <code>Authorization: Bearer hm_live_...</code>. The query
      parameter <code>api_key</code> works too and is deprecated, because URLs end up in logs; such answers
      carry <code>Deprecation</code> and <code>Link</code>. Where both are sent, the header alone counts, even
      if it is wrong. Health, methodology, openapi.json and this page ask for none.
    </p>
    <p>
      Keep keys on servers: no CORS header is ever sent, so that pages of other sites cannot call the API.
      Keys are given out on request; a key is shown once and kept as a hash only.
    </p>`;
}

export function reading(): Markup {
  return html`<h2 id="reading">Reading an answer</h2>
    ${table(
      ['header', 'what it says'],
      [
        [
          'X-Request-Id',
          'the request; name it when you report a problem. It is made here: an id that a client sends is not taken, only one of a proxy that the operator trusts',
        ],
        [
          'X-Data-Coverage',
          'how much of the window and place each citing publisher has been read for: complete, partial or none. Where nothing was read, "no hail" means nothing',
        ],
        [
          'X-Data-Position',
          'an opaque token of the data that the answer stands on; with the question, computed_at and the methodology version it identifies the answer',
        ],
        ['X-Methodology-Version', 'the rules by which events and scores were made'],
        [
          'X-Address-Corrections',
          'parts of the address that the geocoder corrected (zip, city, suffix); absent where none',
        ],
      ],
    )}
    <p>
      An address that stands for no single house is refused (422), never guessed: compare
      <code>resolved_address</code> with what you meant. Where the operator has set up several geocoders, they
      are asked in a fixed order until one has the house; one that is away is passed over, and the answer is
      500 where no other has the house. <code>verdict</code> is <code>hail_confirmed</code> exactly when
      <code>event_count</code> is above 0. Sizes are the publishers' own numbers. Local storm reports and
      warnings are read, and never confirm hail at a place.
    </p>
    <p>
      Answers are compressed as <code>Accept-Encoding</code> allows, but for <code>openapi.json</code>: its
      strong <code>ETag</code> names the very bytes, and compressed ones would be others. Methodology has a
      weak one, of its <code>data</code> alone. Both answer 304 to <code>If-None-Match</code>.
    </p>`;
}

export function time(): Markup {
  return html`<h2 id="time">Time</h2>
    <p>
      Everything is UTC. The window of verify runs from 00:00 of the date of loss minus
      <code>window_days</code>, inclusive, to 00:00 of the date of loss plus <code>window_days</code>,
      exclusive: 1 covers the day before and the date of loss itself.
      <strong>An evening in the United States lies on the next UTC day</strong>, so hail of that evening needs
      a <code>window_days</code> of 2 or more.
    </p>
    <p>
      <code>until</code> of history is inclusive. A record is in a window when its span begins there, and an
      event that straddles midnight at the window's edge is shown by what lies inside.
    </p>`;
}

export function errors(): Markup {
  return html`<h2 id="errors">Errors</h2>
    <p>
      The body is <code>{ "error": { "code", "message", "request_id", "detail" } }</code>; programs should go
      by status and code, never by the message. Checks run in this order: key, limit, parameters, address,
      data.
    </p>
    ${table(
      ['status', 'code', 'lookup says', 'meaning and detail'],
      [
        [
          400,
          'bad_request',
          'bad_request: <problems>',
          'detail.errors lists every problem at once: { parameter, message }. Unknown (but by lookup), repeated and empty parameters are refused, and nothing is clamped',
        ],
        [401, 'unauthorized', 'unauthorized', 'no key, a wrong one, or one that was revoked or replaced'],
        [404, 'not_found', 'not_found', 'there is no such path'],
        [405, 'method_not_allowed', 'method_not_allowed', 'only GET and HEAD; Allow names them'],
        [
          422,
          'unprocessable_entity',
          'geocode_failed',
          'the address stands for no single US house; detail.address as submitted, detail.candidates what it may have meant. Do not retry unchanged',
        ],
        [
          429,
          'rate_limited',
          'rate_limited (<reason>)',
          'detail.reason is minute-rate-limit or day-rate-limit; wait detail.retry_after_seconds, which equals Retry-After',
        ],
        [500, 'internal_error', 'internal_error', 'a fault of the service or its geocoder; try again later'],
        [503, 'internal_error', 'internal_error', 'not now; try again after Retry-After seconds'],
      ],
    )}`;
}

/** Bounds and defaults as the document declares them, so that the page cannot differ from what is checked. */
export function limits(document: OpenApiDocument): Markup {
  const operations = ['/property/verify', '/property/score', '/property/history'];
  const rows = operations.flatMap((path) =>
    document
      .queryParameters(path)
      .filter(({ name }) => name !== 'address')
      .map(({ name, schema }) => [`${path.split('/').at(-1) ?? path}: ${name}`, ...bounds({ ...schema })]),
  );
  return html`<h2 id="limits">Limits</h2>
    <p>
      A key has 60 requests a minute and 1,000 a UTC day unless agreed otherwise; <code>RateLimit</code> and
      <code>RateLimit-Policy</code> on every answer to a key say how many are left. A minute begins with its
      first request. Answers of 200, 400 and 422 count, 401, 429 and 5xx do not. Health and methodology may be
      polled freely. One address a call; 5 to 300 characters.
    </p>
    ${table(['parameter', 'bounds', 'default'], rows)}
    <p>Score lists the 50 newest events at most; <code>total_in_lookback</code> counts all.</p>`;
}

function bounds(schema: Readonly<Record<string, unknown>>): [bounds: string, otherwise: string] {
  const number = (name: string): string => (typeof schema[name] === 'number' ? String(schema[name]) : '');
  const above = number('exclusiveMinimum');
  const text = Array.isArray(schema['enum'])
    ? schema['enum'].join(', ')
    : schema['format'] === 'date'
      ? 'YYYY-MM-DD, from 1950-01-01'
      : `${above === '' ? number('minimum') : `above ${above},`} to ${number('maximum')}`;
  const otherwise = schema['default'];
  return [text, typeof otherwise === 'string' ? otherwise : number('default')];
}

export function paging(): Markup {
  return html`<h2 id="paging">Paging through a history</h2>
    <p>
      History returns the first <code>limit</code> events, oldest first, and
      <code>events.truncated</code> says whether there are more. Ask again with <code>since</code> set to the
      date of the last event and drop the events you have. An event is the one you have when
      <code>publisher</code> and <code>record_id</code> of <code>sources[0]</code>,
      <code>occurred_at</code> and <code>distance_mi</code> are all the same. The record alone is not enough:
      two hail areas of one radar grid lead two events of the same hour under one <code>record_id</code>. An
      event that straddles midnight UTC may come once more, cut to what lies after midnight. Where a page
      holds nothing new, one day alone fills it: ask again with a larger <code>limit</code>.
    </p>`;
}

export function citing(): Markup {
  return html`<h2 id="citing">How to cite</h2>
    <p>
      An event's time, size, distance and bearing are those of one record, <code>sources[0]</code>; the others
      confirm it. Cite the publisher and its <code>record_id</code>, and say by what you found it:
    </p>
    <blockquote>
      NOAA Storm Events Database, event 679888. Found with Hailmark API v1, methodology
      <code>meta.methodology_version</code>, computed <code>meta.computed_at</code>, data position
      <code>X-Data-Position</code>.
    </blockquote>
    <p>
      The publisher's record is the evidence, not this service. Radar sizes are estimates aloft, not
      measurements at the ground. Publishers revise their records: keep the answer you relied on.
    </p>`;
}

export function checking(): Markup {
  return html`<h2 id="checking">How to check a citation at the publisher</h2>
    ${table(
      ['publisher', 'record_id', 'where to look'],
      [
        ['NOAA_SED', '679888', 'url is the event page of the Storm Events Database; MAGNITUDE is inches'],
        [
          'NEXRAD_SWDI',
          'KEWX/2026-08-27T20:53:11Z/Y0',
          'url returns the signatures of that minute around that place as CSV: find the row with this ZTIME, WSR_ID and CELL_ID; MAXSIZE is inches',
        ],
        [
          'MRMS_MESH',
          'MESH_Max_60min/2026-06-10T22:00:00Z',
          'url is the gzipped GRIB2 grid: read the cells within radius_mi of the property with any GRIB tool; values are millimetres, 25.4 to the inch',
        ],
        [
          'COCORAHS',
          'CO-BO-435/2026-06-01',
          "there is no page for one report: at cocorahs.org, view hail reports of that station and date; the date is the observer's local one",
        ],
      ],
    )}
    <p>
      Times of the Storm Events Database are those of the zone that stands beside them, which is standard time
      but in some old records: CST-6 is six hours behind <code>occurred_at</code>, CDT five.
    </p>`;
}
