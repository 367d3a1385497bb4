import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, describe, it } from 'node:test';
import type { AppDeps } from '../../../services/api/app.ts';
import { createReadiness } from '../../../services/runtime/readiness.ts';
import { answering, errorOf, key, startInProcess, verify, type InProcessApi } from './in-process.ts';

const open: InProcessApi[] = [];
after(async () => {
  await Promise.all(open.map((api) => api.stop()));
});
async function start(deps: Partial<AppDeps> = answering): Promise<InProcessApi> {
  const api = await startInProcess(deps);
  open.push(api);
  return api;
}

/** Sends bytes as they are and resolves with the whole answer. */
function sendRaw(api: InProcessApi, text: string): Promise<string> {
  return new Promise((done, fail) => {
    let received = '';
    const socket = connect(Number(new URL(api.url).port), '127.0.0.1', () => socket.write(text));
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      received += chunk;
    });
    socket.on('close', () => done(received));
    socket.on('error', fail);
  });
}

function getWithoutKey(target: string): string {
  return `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
}

describe('paths and methods', () => {
  it('answers 404 for what is not there, the planned paths among it', async () => {
    const api = await start();
    const paths = [
      '/',
      '/v1',
      '/v2/meta/health',
      '/v1/openapi.json',
      '/v1/meta/health/',
      '/V1/meta/health',
      '/v1//meta/health',
      '/v1/lookup',
      '/api/v1/storms',
      '/api/v1/swaths',
      '/v1/meta/healt%68',
    ];
    for (const path of paths) {
      const response = await api.get(path);
      assert.equal(response.status, 404, path);
      assert.equal((await errorOf(response)).code, 'not_found');
    }
    assert.equal((await api.get('/api/v1/bulk', { method: 'POST' })).status, 404);
  });

  it('answers 405 with Allow for other methods, OPTIONS among them', async () => {
    const api = await start();
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      for (const path of ['/v1/meta/health', '/api/v1/property/verify', '/healthz']) {
        const response = await api.get(path, { method });
        assert.equal(response.status, 405, `${method} ${path}`);
        assert.equal(response.headers.get('Allow'), 'GET, HEAD');
        assert.equal((await errorOf(response)).code, 'method_not_allowed');
      }
    }
  });

  it('answers HEAD as GET without a body', async () => {
    const api = await start();
    for (const path of ['/v1/meta/methodology', verify, '/v1/property/verify', '/nowhere']) {
      const headers = { Authorization: `Bearer ${key}`, 'Accept-Encoding': 'identity' };
      const whole = await api.get(path, { headers });
      const head = await api.get(path, { method: 'HEAD', headers });
      assert.equal(head.status, whole.status, path);
      assert.equal(await head.text(), '');
      assert.equal(head.headers.get('Content-Length'), String((await whole.arrayBuffer()).byteLength));
    }
  });

  it('answers 400 for a path that is no URL encoding', async () => {
    const api = await start();
    assert.equal((await api.get('/v1/%zz')).status, 400);
  });

  it('answers 400 for a fragment, which no request carries, and never a fault of its own', async () => {
    const api = await start();
    for (const path of ['/v1/property/verify', '/v1/meta/health', '/api/v1/openapi.json', '/docs']) {
      for (const target of [`${path}#x`, `http://elsewhere${path}#x?address=y`]) {
        assert.match(
          await sendRaw(api, getWithoutKey(target)),
          /^HTTP\/1\.1 400 [\s\S]*"parameter":"path"/,
          target,
        );
      }
    }
    assert.match(
      await sendRaw(api, getWithoutKey('/api/v1/lookup#x')),
      /^HTTP\/1\.1 400 [\s\S]*"error":"bad_request: path: /,
    );
    const sign_in_query = getWithoutKey('/v1/meta/health?#x');
    assert.match(await sendRaw(api, sign_in_query), /^HTTP\/1\.1 400 [\s\S]*"parameter":"#x"/);
  });

  it('asks for a key on an absolute URL too', async () => {
    const api = await start();
    const request = getWithoutKey;
    assert.match(await sendRaw(api, request(`http://elsewhere${verify}`)), /^HTTP\/1\.1 401 /);
    assert.match(await sendRaw(api, request('http://elsewhere/v1/meta/methodology')), /^HTTP\/1\.1 200 /);
  });

  it('refuses what is no HTTP and what is too large in the shape of other errors', async () => {
    const api = await start();
    const nonsense = await sendRaw(api, 'nonsense\r\n\r\n');
    assert.match(nonsense, /^HTTP\/1\.1 400 [\s\S]*"code":"bad_request"/);
    const long = await sendRaw(
      api,
      `GET /v1/meta/health?x=${'y'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
    );
    assert.match(long, /^HTTP\/1\.1 431 [\s\S]*"request_id":"[0-9a-f-]{36}"/);
  });

  it('holds nothing for the body types that clients send', async () => {
    const api = await start();
    const headers = {
      'Content-Type': 'multipart/form-data; boundary=x',
      Accept: 'text/html;;;q=x, */nonsense',
    };
    const response = await api.get('/v1/meta/methodology', { headers });
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('Content-Type'), 'application/json; charset=utf-8');
  });
});

describe('the key', () => {
  const refused: [name: string, path: string, headers: Record<string, string>][] = [
    ['no key', verify, {}],
    ['a wrong key', verify, { Authorization: `Bearer ${key.slice(0, -1)}x` }],
    ['another scheme', verify, { Authorization: `Basic ${key}` }],
    ['no scheme', verify, { Authorization: key }],
    ['a wrong header beside a good query key', `${verify}&api_key=${key}`, { Authorization: 'Bearer x' }],
    ['an empty header beside a good query key', `${verify}&api_key=${key}`, { Authorization: '' }],
    ['a wrong query key', `${verify}&api_key=x`, {}],
    ['two query keys', `${verify}&api_key=${key}&api_key=${key}`, {}],
    ['bad parameters and no key', '/v1/property/verify?radius_mi=99&%zz', {}],
  ];
  for (const [name, path, headers] of refused) {
    it(`is missing or wrong with ${name}: the same 401`, async () => {
      const api = await start();
      const response = await api.get(path, { headers });
      assert.equal(response.status, 401);
      assert.equal(response.headers.get('Cache-Control'), 'private, no-store');
      assert.deepEqual(
        { ...(await errorOf(response)), request_id: '' },
        {
          code: 'unauthorized',
          message: 'A valid API key is required: Authorization: Bearer <API_KEY>.',
          request_id: '',
          detail: {},
        },
      );
    });
  }

  it('is taken from the header in any case of the scheme', async () => {
    const api = await start();
    const response = await api.get(verify, { headers: { Authorization: `bearer ${key}` } });
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('Deprecation'), null);
  });

  it('is taken from the query, which is deprecated', async () => {
    const api = await start();
    const response = await api.get(`${verify}&api_key=${key}`, { headers: {} });
    assert.equal(response.status, 200);
    assert.match(response.headers.get('Deprecation') ?? '', /^@\d+$/);
    assert.equal(
      response.headers.get('Link'),
      '<https://hail.example.com/api/v1/openapi.json>; rel="deprecation"; type="application/json"',
    );
  });

  it('is never called unknown before the keys are read', async () => {
    const keys: AppDeps['keys'] = {
      find: () => null,
      isLoaded: () => false,
      position: () => 0,
      loaded: Promise.resolve(),
      done: Promise.resolve(),
    };
    const api = await start({ ...answering, keys });
    assert.equal((await api.get(verify)).status, 500);
    assert.equal((await api.get('/v1/meta/methodology')).status, 200);
    assert.equal((await api.get('/readyz')).status, 503);
    assert.equal((await api.get('/healthz')).status, 200);
  });
});

describe('/readyz', () => {
  it('says that the store is not there when it does not answer in time, and then does not wait for it', async () => {
    const patience = new AbortController();
    const asked = Promise.withResolvers<undefined>();
    const readiness = createReadiness(['keys', 'store'], () => patience.signal);
    readiness.set('keys', () => true);
    readiness.set('store', () => {
      asked.resolve(undefined);
      return new Promise(() => undefined);
    });
    const api = await start({ ...answering, readiness });
    const answer = api.get('/readyz', { headers: {} });
    await asked.promise;
    patience.abort();
    const page = await answer;
    const { keys, store } = (await page.json()) as Record<string, unknown>;
    assert.deepEqual([page.status, keys, store], [503, true, false]);
  });
});

describe('the log', () => {
  it('has one line a request, without address, key or query', async () => {
    const api = await start();
    await (await api.get(`${verify}&api_key=${key}`, { headers: {} })).text();
    await (await api.get('/v1/property/verify?address=100+Military+Plaza&bogus=1')).text();
    await (await api.get('/nowhere?address=100+Military+Plaza')).text();
    const requests = api.lines.filter(({ msg }) => msg === 'request');
    assert.deepEqual(
      requests.map(({ operation, status, key_id }) => [operation, status, key_id]),
      [
        ['verify', 200, '0badcafe'],
        ['verify', 400, '0badcafe'],
        [null, 404, null],
      ],
    );
    for (const line of requests) {
      assert.deepEqual(Object.keys(line).sort(), [
        'duration_ms',
        'key_id',
        'level',
        'msg',
        'operation',
        'request_id',
        'status',
        'time',
      ]);
    }
    const all = JSON.stringify(api.lines);
    for (const secret of ['Military', 'San Antonio', key, 'bogus'])
      assert.equal(all.includes(secret), false, secret);
  });
});
