import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { AppDeps, AppOptions } from '../../../services/api/app.ts';
import { HailmarkError } from '../../../services/runtime/errors.ts';
import { sendRaw } from '../../support/raw-http.ts';
import {
  address,
  answering,
  errorOf,
  key,
  match,
  startInProcess,
  verify,
  type InProcessApi,
} from './in-process.ts';

const open: InProcessApi[] = [];
after(async () => {
  await Promise.all(open.map((api) => api.stop()));
});
async function start(
  deps: Partial<AppDeps> = answering,
  options: Partial<AppOptions> = {},
): Promise<InProcessApi> {
  const api = await startInProcess(deps, options);
  open.push(api);
  return api;
}

describe('answers and their headers', () => {
  it('carries the envelope and what the answer stands on', async () => {
    const api = await start();
    const response = await api.get(verify);
    const body = (await response.json()) as { data: Record<string, unknown>; meta: Record<string, unknown> };
    assert.deepEqual(body.meta, {
      request_id: response.headers.get('X-Request-Id'),
      api_version: 'v1',
      methodology_version: response.headers.get('X-Methodology-Version'),
      methodology_last_updated: '2026-11-21',
      computed_at: '2026-11-21T23:30:00.000Z',
      data_sources: ['NOAA_SED', 'NEXRAD_SWDI', 'MRMS_MESH', 'NWS_ALERT', 'SPC_LSR', 'COCORAHS'],
    });
    assert.equal(response.headers.get('Cache-Control'), 'private, no-store');
    assert.equal(response.headers.get('X-Data-Position'), 'v1.test.0');
    assert.equal(
      response.headers.get('X-Data-Coverage'),
      'NOAA_SED=partial, NEXRAD_SWDI=none, MRMS_MESH=none, COCORAHS=none',
    );
    assert.equal(response.headers.get('X-Address-Corrections'), null);
    assert.equal(response.headers.get('X-Powered-By'), null);
    assert.deepEqual(
      [...response.headers.keys()].filter((name) => name.startsWith('access-control')),
      [],
    );
  });

  it('echoes the address as submitted and rounds the place to six decimals', async () => {
    const api = await start();
    const submitted = '  100 Military Plaza, San António  ';
    const response = await api.get(`/v1/property/history?address=${encodeURIComponent(submitted)}`);
    const { data } = (await response.json()) as { data: { property: unknown; window: unknown } };
    assert.deepEqual(data.property, {
      address: submitted,
      resolved_address: '100 MILITARY PLZ, SAN ANTONIO, TX, 78205',
      lat: 29.424351,
      lon: -98.495142,
    });
    assert.deepEqual(data.window, {
      since: '2015-01-01',
      until: '2026-11-21',
      radius_mi: 5,
      min_size_in: 0.75,
    });
  });

  it('names corrections', async () => {
    const geocoder = {
      locate: () => Promise.resolve({ ...match, corrections: ['zip', 'suffix'] as ('zip' | 'suffix')[] }),
    };
    const api = await start({ ...answering, geocoder });
    assert.equal((await api.get(verify)).headers.get('X-Address-Corrections'), 'zip, suffix');
  });

  it('behaves identically under both prefixes', async () => {
    const api = await start({ ...answering, createId: () => 'same' });
    for (const path of [
      verify.slice('/v1'.length),
      '/property/history?address=x',
      `/property/score?address=${encodeURIComponent(address)}`,
      '/meta/health',
      '/meta/methodology',
    ]) {
      const [long, short] = await Promise.all([api.get(`/api/v1${path}`), api.get(`/v1${path}`)]);
      assert.equal(long.status, short.status);
      assert.equal(await long.text(), await short.text());
      const headers = (response: Response): string[][] =>
        [...response.headers]
          // What is left of a limit differs by one.
          .map(([name, value]) => [name, name === 'ratelimit' ? value.replaceAll(/\b[rt]=\d+/g, '') : value])
          .filter(([name]) => name !== 'date');
      assert.deepEqual(headers(long), headers(short));
    }
  });

  it('answers openapi.json with a strong ETag and methodology with a weak one, and 304 while they hold', async () => {
    const api = await start();
    for (const [path, form] of [
      ['/api/v1/openapi.json', /^"[\w-]+"$/],
      ['/v1/meta/methodology', /^W\/"[\w-]+"$/],
    ] as const) {
      const first = await api.get(path);
      const etag = first.headers.get('ETag') ?? '';
      assert.match(etag, form);
      await first.arrayBuffer();
      const again = await api.get(path, { headers: { 'If-None-Match': etag } });
      assert.equal(again.status, 304, path);
      assert.equal(again.headers.get('ETag'), etag);
      assert.equal((await api.get(path, { headers: { 'If-None-Match': '"other"' } })).status, 200);
    }
  });

  it('knows 304 only where there is an ETag, with the headers that the whole answer has', async () => {
    const api = await start();
    // Not by fetch: it sends Cache-Control beside a condition, and frameworks then look at the condition no more.
    const ask = async (path: string, condition: string): Promise<string> => {
      const { text } = await sendRaw(
        api.url,
        `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n${condition}\r\nConnection: close\r\n\r\n`,
      );
      return text;
    };
    const lookup = verify.replace('/v1/property/verify', '/api/v1/lookup').replace(/&date_of_loss.*/, '');
    for (const path of [verify, lookup, '/v1/meta/health', '/methodology', '/healthz'])
      assert.match(await ask(path, 'If-None-Match: *'), /^HTTP\/1\.1 200 /, path);
    for (const path of ['/api/v1/openapi.json', '/v1/meta/methodology', '/docs']) {
      const whole = await ask(path, 'Accept: */*');
      const not_modified = await ask(path, 'If-None-Match: *');
      assert.match(not_modified, /^HTTP\/1\.1 304 [^\0]*\r\n\r\n$/, path);
      for (const name of ['ETag', 'Cache-Control', 'Vary']) {
        const header = new RegExp(`^${name}: .*$`, 'm');
        assert.equal(header.exec(not_modified)?.[0], header.exec(whole)?.[0], `${path}: ${name}`);
      }
    }
  });

  it('shows the methodology as a page without a key', async () => {
    const api = await start();
    const { data } = (await (await api.get('/v1/meta/methodology')).json()) as { data: { url: string } };
    assert.equal(data.url, 'https://hail.example.com/methodology');
    const page = await api.get('/methodology', { headers: {} });
    assert.match(page.headers.get('Content-Type') ?? '', /^text\/html/);
    assert.match(await page.text(), /What the number means/);
  });
});

describe('what fails', () => {
  it('is 422 with the address as submitted, and the candidates where there are any', async () => {
    const none = await start({
      ...answering,
      geocoder: { locate: () => Promise.resolve({ outcome: 'no_match' }) },
    });
    const response = await none.get(verify);
    assert.equal(response.status, 422);
    const error = await errorOf(response);
    assert.equal(error.code, 'unprocessable_entity');
    assert.deepEqual(error.detail, { address });
    const candidates = ['1 A ST', '1 B ST'];
    const several = await start({
      ...answering,
      geocoder: { locate: () => Promise.resolve({ outcome: 'candidates', candidates }) },
    });
    assert.deepEqual((await errorOf(await several.get(verify))).detail, { address, candidates });
  });

  it('is 500 while the geocoder is away', async () => {
    const api = await start({
      ...answering,
      geocoder: { locate: () => Promise.resolve({ outcome: 'unavailable' }) },
    });
    const response = await api.get(verify);
    assert.equal(response.status, 500);
    assert.equal((await errorOf(response)).message, 'the geocoding service is unavailable');
  });

  it('is 503 with Retry-After while nothing has ever been read', async () => {
    const hail: AppDeps['hail'] = {
      observationsNear: () => Promise.resolve(null),
      feedsReadThrough: () => Promise.resolve(new Map()),
    };
    const api = await start({ ...answering, hail });
    const response = await api.get(verify);
    assert.equal(response.status, 503);
    assert.match(response.headers.get('Retry-After') ?? '', /^\d+$/);
    assert.equal((await errorOf(response)).code, 'internal_error');
  });

  it('is 503 with Retry-After past the deadline', async () => {
    const hail: AppDeps['hail'] = {
      observationsNear: () => new Promise(() => undefined),
      feedsReadThrough: () => Promise.resolve(new Map()),
    };
    const api = await start({ ...answering, hail }, { deadline_ms: 50 });
    const response = await api.get(verify);
    assert.equal(response.status, 503);
    assert.match(response.headers.get('Retry-After') ?? '', /^\d+$/);
  });

  it('is 500 on property and "down" in health without the store, and tells nothing of why', async () => {
    const away = (): Promise<never> =>
      Promise.reject(new HailmarkError('HAIL_STORE_UNAVAILABLE', 'secret host does not answer'));
    const api = await start({ ...answering, hail: { observationsNear: away, feedsReadThrough: away } });
    const response = await api.get(verify);
    assert.equal(response.status, 500);
    const text = await response.text();
    assert.equal(text.includes('secret'), false);
    const health = await api.get('/v1/meta/health');
    assert.equal(health.status, 200);
    const { data } = (await health.json()) as { data: { status: string; database: unknown } };
    assert.deepEqual([data.status, data.database], ['down', { connected: false }]);
  });

  it('is 500 where an answer does not fit openapi.json, and the log names the place', async () => {
    const api = await start({
      ...answering,
      geocoder: { locate: () => Promise.resolve({ ...match, lat: 91 }) },
    });
    const response = await api.get(verify);
    assert.equal(response.status, 500);
    const line = api.lines.find((each) => 'invalid_answer' in each);
    assert.match(JSON.stringify(line), /property\/lat/);
  });

  it('checks refusals against openapi.json as well', async () => {
    const api = await start({ ...answering, createId: () => '' });
    for (const path of ['/v1/property/verify?address=x', verify]) {
      const headers: Record<string, string> = path === verify ? {} : { Authorization: `Bearer ${key}` };
      const response = await api.get(path, { headers });
      assert.equal(response.status, 500, path);
      assert.equal((await errorOf(response)).code, 'internal_error');
    }
    assert.equal(JSON.stringify(api.lines).includes('Military'), false);
  });
});
