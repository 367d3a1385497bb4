import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import type { AppDeps } from '../../../services/api/app.ts';
import { createLimiter } from '../../../services/api/limits/limiter.ts';
import { createMemoryCounter } from '../../../services/api/limits/window-counter.ts';
import type { Geocode } from '../../../services/api/ports.ts';
import { answering, key, match, now_ms, startInProcess, verify, type InProcessApi } from './in-process.ts';

interface Response {
  headers?: Record<string, unknown>;
  $ref?: string;
}
const document = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../schemas/openapi.json'), 'utf8'),
) as {
  paths: Record<string, { get: { responses: Record<string, Response> } }>;
  components: { responses: Record<string, Response> };
};
/** HTTP's own, which every answer of every service may carry. */
const of_http = new Set(
  'connection content-encoding content-length content-type date keep-alive transfer-encoding vary'.split(' '),
);

function declaredHeaders(path: string, status: number): string[] {
  const declared = document.paths[path]?.get.responses[String(status)];
  const name = declared?.$ref?.split('/').at(-1);
  const response = name === undefined ? declared : document.components.responses[name];
  return Object.keys(response?.headers ?? {}).map((header) => header.toLowerCase());
}

const open: InProcessApi[] = [];
after(async () => {
  await Promise.all(open.map((api) => api.stop()));
});

describe('headers that openapi.json declares', () => {
  const lookup = verify.replace('/v1/property/verify', '/api/v1/lookup').replace(/&date_of_loss.*/, '');
  const geocoded = (geocode: Geocode): Partial<AppDeps> => ({
    ...answering,
    geocoder: { locate: () => Promise.resolve(geocode) },
  });
  const corrected = { ...match, corrections: ['zip'] } as Geocode;
  const nothing_read: Partial<AppDeps> = {
    ...answering,
    hail: {
      observationsNear: () => Promise.resolve(null),
      feedsReadThrough: () => Promise.resolve(new Map()),
    },
  };
  const refusing: Partial<AppDeps> = {
    ...answering,
    limiter: {
      ...createLimiter({ counter: createMemoryCounter(), clock: () => now_ms }),
      admit: () =>
        Promise.resolve({
          outcome: 'refused',
          reason: 'minute-rate-limit',
          retry_after_s: 7,
          standings: [{ limit: 'minute', quota: 60, window_s: 60, remaining: 0, resets_in_s: 7 }],
        }),
    },
  };
  const cases: [status: number, deps: Partial<AppDeps>, more?: string][] = [
    [200, geocoded(corrected)],
    [400, answering, '&address=x'],
    [422, geocoded({ outcome: 'no_match' })],
    [429, refusing],
    [500, geocoded({ outcome: 'unavailable' })],
    [503, nothing_read],
  ];
  for (const [status, deps, more = ''] of cases) {
    it(`are all that ${status} carries, with the key in the header or in the query`, async () => {
      const api = await startInProcess(deps);
      open.push(api);
      for (const [path, url] of [
        ['/property/verify', verify],
        ['/lookup', lookup],
      ] as const) {
        for (const response of [
          await api.get(url + more),
          await api.get(`${url}${more}&api_key=${key}`, { headers: {} }),
        ]) {
          assert.equal(response.status, status);
          const sent = [...response.headers.keys()].filter((name) => !of_http.has(name));
          const declared = declaredHeaders(path, status);
          assert.deepEqual(
            sent.filter((name) => !declared.includes(name)),
            [],
            `${path} ${status}`,
          );
        }
      }
    });
  }
});
