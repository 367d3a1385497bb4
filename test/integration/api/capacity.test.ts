import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { createHailReader } from '../../../services/api/hail-reader.ts';
import type { AppDeps, AppOptions } from '../../../services/api/app.ts';
import { readConfig } from '../../../services/runtime/config.ts';
import { createStore } from '../../../services/store/store.ts';
import { createCleanup } from '../../support/cleanup.ts';
import { sendRaw } from '../../support/raw-http.ts';
import { within } from '../../support/within.ts';
import { address, answering, errorOf, key, startInProcess, verify, type InProcessApi } from './in-process.ts';

const cleanup = createCleanup();
after(() => cleanup.stop());

async function start(deps: Partial<AppDeps>, options: Partial<AppOptions> = {}): Promise<InProcessApi> {
  return cleanup.keep(await startInProcess({ ...answering, ...deps }, options));
}

interface HangingStore {
  hail: AppDeps['hail'];
  /** Resolves with the n-th statement that reached the store, counted from 0. */
  statement: (at: number) => Promise<IncomingMessage>;
  count: () => number;
}

/** The real reader over the real client; what it speaks to takes every statement and answers none. */
async function hangingStore(): Promise<HangingStore> {
  const statements: IncomingMessage[] = [];
  const arrived = new EventTarget();
  const server = createServer((request) => {
    statements.push(request);
    request.resume();
    arrived.dispatchEvent(new Event('statement'));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const store = createStore({ ...readConfig({}), CLICKHOUSE_URL: url }, { timeout_ms: 20_000 });
  cleanup.keep({
    stop: async () => {
      await store.close();
      server.close();
      server.closeAllConnections();
    },
  });
  return {
    hail: createHailReader(store, { mrms_product: 'MESH_Max_60min' }),
    statement: async (at) => {
      for (;;) {
        const found = statements[at];
        if (found !== undefined) return found;
        await once(arrived as unknown as NodeJS.EventEmitter, 'statement');
      }
    },
    count: () => statements.length,
  };
}

async function isNotNow(response: Response): Promise<void> {
  assert.equal(response.status, 503);
  assert.equal(response.headers.get('Retry-After'), '5');
  assert.equal((await errorOf(response)).code, 'internal_error');
}

describe('a store that hangs', { timeout: 200_000 }, () => {
  it('is told how long it may take, and is left at the deadline, which is 503', async () => {
    const store = await hangingStore();
    const api = await start({ hail: store.hail }, { deadline_ms: 700 });
    // A machine that is busy may not come to the store within the deadline: then it is asked again.
    let answer = api.get(verify);
    const arrived = (): Promise<IncomingMessage | null> =>
      Promise.race([store.statement(0), answer.then(() => null)]);
    let statement = await arrived();
    while (statement === null) {
      await isNotNow(await answer);
      answer = api.get(verify);
      statement = await arrived();
    }
    const sent = new URL(statement.url ?? '', 'http://store').searchParams;
    assert.equal(sent.get('max_execution_time'), '1');
    assert.equal(sent.get('cancel_http_readonly_queries_on_client_close'), '1');
    const left = once(statement.socket, 'close');
    await isNotNow(await answer);
    await left;
  });

  it('is left as soon as the client has gone', async () => {
    const store = await hangingStore();
    const api = await start({ hail: store.hail }, { deadline_ms: 50_000 });
    const gone = new AbortController();
    const answer = api.get(verify, { headers: { Authorization: `Bearer ${key}` }, signal: gone.signal });
    const { socket } = await store.statement(0);
    const left = once(socket, 'close');
    gone.abort();
    await assert.rejects(answer, { name: 'AbortError' });
    await left;
  });

  it('takes no more than its turns: who finds none and no room to wait is 503 at once, flat on lookup', async () => {
    const store = await hangingStore();
    const api = await start(
      { hail: store.hail },
      // Long enough for all that is asked meanwhile.
      { deadline_ms: 4_000, concurrency: { in_flight: 1, queue: 0 } },
    );
    const first = api.get(verify);
    await store.statement(0);
    const refused = await api.get(`/api/v1/lookup?address=${encodeURIComponent(address)}`);
    assert.equal(refused.status, 503);
    assert.equal(refused.headers.get('Retry-After'), '5');
    assert.deepEqual(await refused.json(), { error: 'internal_error' });
    assert.equal(store.count(), 1);

    // What needs no turn is answered meanwhile, refusals too.
    assert.equal((await api.get('/v1/meta/methodology')).status, 200);
    assert.equal((await api.get('/v1/property/verify')).status, 400);
    assert.equal((await api.get(verify, { headers: {} })).status, 401);
    await isNotNow(await first);
  });

  it('frees its turns: what comes after the hanging is answered', async () => {
    let hangs = true;
    const { hail } = answering;
    assert.ok(hail);
    const hanging = await hangingStore();
    const api = await start(
      {
        hail: {
          ...hail,
          observationsNear: (question, patience) =>
            (hangs ? hanging.hail : hail).observationsNear(question, patience),
        },
      },
      { deadline_ms: 400, concurrency: { in_flight: 2, queue: 2 } },
    );
    const answers = await Promise.all(Array.from({ length: 8 }, () => api.get(verify)));
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [503]);
    hangs = false;
    // Where this machine is busy, an answer may miss the short deadline; a turn that was not freed would refuse every one.
    const again = async (): Promise<number> => {
      for (;;) {
        const response = await api.get(verify);
        await response.arrayBuffer();
        if (response.status !== 503) return response.status;
      }
    };
    assert.equal(await within('an answer within the deadline', again(), undefined, 60_000), 200);
  });
});

describe('the encoding of an answer', () => {
  it('is what the client takes, of the same content, and is named to caches', async () => {
    const api = await start({});
    const path = '/v1/meta/methodology';
    const { text } = await sendRaw(
      api.url,
      `GET ${path} HTTP/1.0\r\nHost: x\r\nAccept-Encoding: gzip\r\n\r\n`,
    );
    const [head = '', ...rest] = text.split('\r\n\r\n');
    assert.match(head, /^Content-Encoding: gzip$/im);
    assert.match(head, /^Vary: Accept-Encoding$/im);
    const body = JSON.parse(gunzipSync(Buffer.from(rest.join('\r\n\r\n'), 'latin1')).toString()) as {
      data: unknown;
    };
    const plain = await api.get(path, { headers: { 'Accept-Encoding': 'identity' } });
    assert.equal(plain.headers.get('Content-Encoding'), null);
    assert.deepEqual(body.data, ((await plain.json()) as { data: unknown }).data);
  });

  it('is none where a strong ETag names the bytes', async () => {
    const api = await start({});
    const response = await api.get('/api/v1/openapi.json', { headers: { 'Accept-Encoding': 'gzip, br' } });
    assert.equal(response.headers.get('Content-Encoding'), null);
    assert.match(response.headers.get('ETag') ?? '', /^"/);
  });
});

describe('headers of every answer', () => {
  it('name no framework and let no browser in', async () => {
    const api = await start({});
    const headers = { Origin: 'https://elsewhere.example', 'Access-Control-Request-Method': 'GET' };
    for (const [path, method] of [
      [verify, 'GET'],
      ['/v1/meta/health', 'OPTIONS'],
      ['/nowhere', 'GET'],
    ] as const) {
      const response = await api.get(path, { method, headers });
      const names = [...response.headers.keys()];
      assert.deepEqual(
        names.filter((name) => /^access-control|^x-powered-by$|^server$|^set-cookie$/.test(name)),
        [],
      );
      assert.match(response.headers.get('X-Request-Id') ?? '', /^[0-9a-f-]{36}$/);
    }
  });

  it('carry the request id of a trusted proxy in a safe form, and of nobody else', async () => {
    const given = async (api: InProcessApi, id: string): Promise<boolean> => {
      const response = await api.get('/v1/meta/methodology', { headers: { 'X-Request-Id': id } });
      const { meta } = (await response.json()) as { meta: { request_id: string } };
      assert.equal(response.headers.get('X-Request-Id'), meta.request_id);
      return meta.request_id === id;
    };
    const behind = await start({}, { trust_proxy: ['loopback'] });
    for (const id of ['abcd.1234', 'A-Z_0123456789', 'x'.repeat(64)])
      assert.equal(await given(behind, id), true, id);
    for (const id of ['short', 'x'.repeat(65), 'with space', 'semi;colon', '12 Main St', 'a'.repeat(8) + 'é'])
      assert.equal(await given(behind, id), false, id);
    assert.equal(await given(await start({}), 'abcd.1234'), false);
    assert.equal(await given(await start({}, { trust_proxy: ['10.0.0.0/8'] }), 'abcd.1234'), false);
    const { text } = await sendRaw(
      behind.url,
      'GET /healthz HTTP/1.1\r\nHost: x\r\nX-Request-Id: abcd.1234\r\nX-Request-Id: abcd.5678\r\nConnection: close\r\n\r\n',
    );
    assert.doesNotMatch(text, /abcd/);
  });
});

describe('what is not there under lookup', () => {
  it('is refused flat, and elsewhere structured', async () => {
    const api = await start({});
    for (const path of ['/api/v1/lookup/', '/api/v1/lookup/x', '/api/v1/lookup/x/y']) {
      const response = await api.get(path);
      assert.equal(response.status, 404, path);
      assert.deepEqual(await response.json(), { error: 'not_found' });
    }
    for (const path of ['/api/v1/lookups', '/v1/lookup/x', '/api/v1/property/verify/x'])
      assert.equal((await errorOf(await api.get(path))).code, 'not_found', path);
    const other = await api.get('/api/v1/lookup', { method: 'OPTIONS' });
    assert.equal(other.status, 405);
    assert.deepEqual(await other.json(), { error: 'method_not_allowed' });
  });
});
