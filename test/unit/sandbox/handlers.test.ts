import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { cocorahsExport } from '../../../infra/sandbox/cocorahs/handler.ts';
import type { Handler } from '../../../infra/sandbox/handler.ts';
import { mrmsBucket } from '../../../infra/sandbox/mrms/handler.ts';
import { stormEventPages } from '../../../infra/sandbox/noaa_sed/event-page.ts';
import { weatherAlerts } from '../../../infra/sandbox/nws/handler.ts';
import { stormPredictionCenter } from '../../../infra/sandbox/spc/handler.ts';
import { swdiService } from '../../../infra/sandbox/swdi/handler.ts';

const recordings = join(import.meta.dirname, '../../../infra/sandbox/recordings');

const word = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.constantFrom(
    '2',
    '-1',
    '0',
    '6/1/2026',
    '02/30/2026',
    '2026-07-15T20:00:00Z',
    'CO',
    'Hail',
    'timestamp',
    'actual',
    'toString',
    '__proto__',
  ),
);

const publishers: { name: string; handler: Handler; paths: fc.Arbitrary<string>; parameters: string[] }[] = [
  {
    name: 'mrms',
    handler: mrmsBucket(recordings),
    paths: fc.oneof(
      fc.constant('/?list-type=2'),
      word.map((text) => `/CONUS/${encodeURIComponent(text)}`),
    ),
    parameters: ['prefix', 'start-after', 'continuation-token', 'max-keys'],
  },
  {
    name: 'spc',
    handler: stormPredictionCenter(recordings),
    paths: fc.oneof(
      fc.constantFrom('/climo/reports/today_hail.csv', '/climo/reports/130519_rpts_hail.csv'),
      word.map((text) => `/climo/reports/${encodeURIComponent(text)}`),
      fc
        .integer({ min: 0, max: 999_999 })
        .map((day) => `/climo/reports/${String(day).padStart(6, '0')}_rpts_hail.csv`),
    ),
    parameters: [],
  },
  {
    name: 'cocorahs',
    handler: cocorahsExport(recordings),
    paths: fc.constantFrom(
      '/export/exportreports.aspx?ReportType=Hail',
      '/export/exportreports.aspx?reporttype=hail&Date=6/1/2026',
    ),
    parameters: ['State', 'StartDate', 'EndDate', 'Date', 'ReportDateType', 'TimesInGMT'],
  },
  {
    name: 'nws',
    handler: weatherAlerts(recordings),
    paths: fc.oneof(
      fc.constantFrom('/alerts', '/alerts/active', '/alerts/%'),
      word.map((text) => `/alerts/${encodeURI(text.toWellFormed())}`),
    ),
    parameters: ['status', 'event', 'start', 'end', 'limit', 'cursor'],
  },
  {
    name: 'storm events',
    handler: stormEventPages(recordings),
    paths: fc.oneof(
      word.map((text) => `/access/storm-events-database/event-details/${encodeURIComponent(text)}`),
      fc
        .integer({ min: 9_975_000, max: 9_980_000 })
        .map((id) => `/access/storm-events-database/event-details/${id}`),
    ),
    parameters: [],
  },
  {
    name: 'swdi',
    handler: swdiService(recordings),
    paths: fc.oneof(
      word.map((text) => `/swdiws/csv/nx3hail/${encodeURIComponent(text)}`),
      fc
        .integer({ min: Date.UTC(2026, 0), max: Date.UTC(2026, 11, 31) })
        .map((at) => `/swdiws/csv/nx3hail/${new Date(at).toISOString().slice(0, 10).replaceAll('-', '')}`),
    ),
    parameters: ['bbox', 'stat'],
  },
];

/** Mostly the publisher's own parameters: with a foreign one most questions are refused at once. */
function nameOf(parameters: readonly string[]): fc.Arbitrary<string> {
  const foreign = { arbitrary: word, weight: 1 };
  return parameters.length === 0
    ? word
    : fc.oneof(foreign, { arbitrary: fc.constantFrom(...parameters), weight: 19 });
}

/** What publishers answer; a question that makes a handler throw would end the whole sandbox. */
const statuses = new Set([200, 400, 404, 500, 501]);

describe('the handlers of the sandbox', () => {
  for (const { name, handler, paths, parameters } of publishers) {
    it(`answer any question at any time, and the same one twice alike: ${name}`, () => {
      const query = fc.array(fc.tuple(nameOf(parameters), word), {
        maxLength: 6,
      });
      const time = fc.integer({ min: Date.UTC(1950, 0), max: Date.UTC(2150, 0) });
      let answered = 0;
      fc.assert(
        fc.property(paths, query, time, fc.boolean(), (path, asked, now_ms, without_newest) => {
          const url = new URL(`http://sandbox${path}`);
          for (const [key, value] of asked) url.searchParams.append(key, value);
          const request = {
            url,
            headers: { 'user-agent': 'tests', host: '127.0.0.1' },
            now_ms,
            without_newest,
          };
          const answer = handler(request);
          if (answer === null) return;
          assert.ok(statuses.has(answer.status), String(answer.status));
          assert.deepEqual(handler(request), answer);
          if (answer.status === 200) answered += 1;
        }),
        { numRuns: 300 },
      );
      assert.ok(answered >= 5, `${answered} of the questions had an answer: the others say little`);
    });
  }
});
