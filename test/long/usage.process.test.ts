import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, it } from 'node:test';
import { createKey, revokeKey, type CreatedKey, type KeyAdminDeps } from '../../services/api/keys/admin.ts';
import { waitForChange } from '../../services/api/keys/wait-for-change.ts';
import { createCodec } from '../../services/log/codec.ts';
import type { EventLog } from '../../services/log/event-log.ts';
import type { ApiRequestFact } from '../../services/log/facts.ts';
import { openLog } from '../../services/log/open-log.ts';
import { topics } from '../../services/log/topics.ts';
import { pause, systemClock } from '../../services/runtime/clock.ts';
import { readConfig } from '../../services/runtime/config.ts';
import { createStore, type Store } from '../../services/store/store.ts';
import { createCleanup } from '../support/cleanup.ts';
import { startLocalServices, temporaryFolder, type LocalServices } from '../support/local-services.ts';
import { within } from '../support/within.ts';

const services = resolve(import.meta.dirname, '../../services');
const topic = topics.api_request.name;
// NOT REAL: no such street; looked for in every byte that is written.
const planted = '987 Planted Xylophone Crossing, San Antonio, TX 78205';
const verify = `/v1/property/verify?address=${encodeURIComponent(planted)}&date_of_loss=2026-08-28`;

/** By the clock of the processes it is noon: on a day that ends in the middle of a test its counts would begin anew. */
const to_noon_ms = String(43_200_000 - (Date.now() % 86_400_000));

interface Running {
  url: string;
  /** All that it wrote on its standard streams. */
  text: () => string;
  end: (signal: NodeJS.Signals) => Promise<number | null>;
}

describe('usage by the API process', { timeout: 600_000 }, () => {
  const made = createCleanup();
  let local: LocalServices;
  let data_dir: string;
  let log: EventLog;
  let store: Store;
  let admin: KeyAdminDeps;
  let geocoder_url: string;
  const texts: (() => string)[] = [];

  before(async () => {
    local = made.keep(await startLocalServices());
    data_dir = temporaryFolder();
    made.keep({ stop: () => rmSync(data_dir, { recursive: true, force: true }) });
    log = await openLog(readConfig({ HAILMARK_DATA_DIR: data_dir }));
    made.keep({ stop: () => log.close() });
    const codec = createCodec({ registry_url: local.registry_url });
    await codec.registerAll();
    admin = { log, codec, clock: systemClock };
    store = createStore(readConfig({ CLICKHOUSE_URL: local.clickhouse_url }));
    made.keep({ stop: () => store.close() });
    // A geocoder that knows no address: every question is 422, which counts.
    const geocoder = createServer((_request, response) => {
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify({ result: { input: {}, addressMatches: [] } }));
    }).listen(0, '127.0.0.1');
    await once(geocoder, 'listening');
    made.keep({ stop: () => void geocoder.close() });
    geocoder_url = `http://127.0.0.1:${(geocoder.address() as AddressInfo).port}`;
  });
  after(() => made.stop());

  /** Resolves when the process says that it is ready. */
  const start = async (service: 'api' | 'projector', env: Record<string, string> = {}): Promise<Running> => {
    const child = spawn(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', join(services, service, 'main.ts')],
      {
        env: {
          ...process.env,
          HAILMARK_DATA_DIR: data_dir,
          CLICKHOUSE_URL: local.clickhouse_url,
          SCHEMA_REGISTRY_URL: local.registry_url,
          GEOCODER_URL: geocoder_url,
          HAILMARK_CLOCK_OFFSET_MS: to_noon_ms,
          API_PORT: '0',
          API_OPS_PORT: '0',
          PROJECTOR_OPS_PORT: '0',
          ...env,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    let text = '';
    const add = (more: string): void => void (text += more);
    child.stderr.setEncoding('utf8').on('data', add);
    child.stdout.setEncoding('utf8').on('data', add);
    texts.push(() => text);
    const exited = new Promise<number | null>((done) => child.once('close', (code) => done(code)));
    const end = (signal: NodeJS.Signals): Promise<number | null> => {
      child.kill(signal);
      return within(`${service} ends on ${signal}`, exited, () => text.slice(-400));
    };
    made.keep({ stop: () => void end('SIGKILL') });
    const listening = new Promise<number>((done, fail) => {
      createInterface({ input: child.stdout }).on('line', (line) => {
        const { msg, port = 0 } = JSON.parse(line) as { msg?: string; port?: number };
        if (msg === 'ready') done(port);
      });
      void exited.then(() => fail(new Error(`${service} ended before it was ready: ${text}`)));
    });
    const port = await within(`${service} is ready`, listening, () => text.slice(-400));
    return { url: `http://127.0.0.1:${port}`, text: () => text, end };
  };

  const ask = async (
    { url }: Running,
    { key }: CreatedKey,
  ): Promise<{ status: number; left_today: number }> => {
    const response = await fetch(`${url}${verify}`, { headers: { Authorization: `Bearer ${key}` } });
    await response.arrayBuffer();
    const left = /"day";r=(\d+)/.exec(response.headers.get('RateLimit') ?? '')?.[1];
    return { status: response.status, left_today: Number(left) };
  };
  /** A new key is known within a moment. */
  const askUntilKnown = async (api: Running, key: CreatedKey): Promise<number> => {
    for (;;) {
      const { status, left_today } = await ask(api, key);
      if (status !== 401) return left_today;
      await pause(20);
    }
  };
  const factsOf = async ({ key_id }: CreatedKey): Promise<ApiRequestFact[]> => {
    const facts: ApiRequestFact[] = [];
    for await (const page of log.scan(topic)) {
      for (const { value } of page) {
        const decoded = await admin.codec.decode(topic, value);
        if (decoded.outcome === 'ok' && decoded.fact.key_id === key_id) facts.push(decoded.fact);
      }
    }
    return facts;
  };
  it('goes on with the counts of the day after a kill: from the log, and from the view', async () => {
    const key = await createKey(admin, { partner: 'Killed', per_minute: 1_000, per_day: 20 });
    let api = await start('api');
    assert.equal(await askUntilKnown(api, key), 19);
    for (let times = 0; times < 9; times += 1) assert.equal((await ask(api, key)).status, 422);
    // What waits to be published is lost by a kill: the last second.
    while ((await factsOf(key)).length < 10) await pause(50);
    await api.end('SIGKILL');

    api = await start('api');
    assert.deepEqual(await ask(api, key), { status: 422, left_today: 9 });
    await api.end('SIGTERM');
    assert.equal((await factsOf(key)).length, 11, 'a process that is told to stop publishes what waits');

    const projector = await start('projector');
    const inView = async (): Promise<number> => {
      const [row] = await store.rows<{ n: string | number }>(
        'SELECT count() AS n FROM api_requests_v1 FINAL WHERE key_id = {key_id:String}',
        { key_id: key.key_id },
      );
      return Number(row?.n);
    };
    while ((await inView().catch(() => 0)) < 11) await pause(50);
    await projector.end('SIGTERM');
    api = await start('api');
    for (let left = 8; left >= 0; left -= 1) assert.equal((await ask(api, key)).left_today, left);
    assert.equal((await ask(api, key)).status, 429);
    await api.end('SIGTERM');
    const facts = await factsOf(key);
    assert.equal(facts.filter(({ status }) => status === 422).length, 20);
    assert.deepEqual(
      facts.filter(({ status }) => status === 429).map(({ operation, geohash_4 }) => [operation, geohash_4]),
      [['verify', null]],
    );
  });

  it('refuses a revoked key within 10 seconds with store and projector away, and the command can wait for it', async () => {
    const api = await start('api', { CLICKHOUSE_URL: 'http://127.0.0.1:9' });
    const key = await createKey(admin, { partner: 'Revoked' });
    await askUntilKnown(api, key);
    const changed = await revokeKey(admin, key.key_id);
    assert.ok(changed);
    const waited = await waitForChange(
      { clock: systemClock, fetch },
      { next_offset: changed.next_offset, api_urls: [api.url] },
    );
    assert.deepEqual(waited, { seen_by: [api.url], silent: [] });
    assert.equal((await ask(api, key)).status, 401);
    await api.end('SIGTERM');
  });

  it('writes no address and no key anywhere', async () => {
    const api = await start('api');
    const key = await createKey(admin, { partner: 'Planted' });
    await askUntilKnown(api, key);
    await (await fetch(`${api.url}${verify}&api_key=${key.key}`)).arrayBuffer();
    await api.end('SIGTERM');
    const projector = await start('projector');
    const rows = async (): Promise<string> =>
      JSON.stringify([
        await store.rows('SELECT * FROM api_requests_v1'),
        await store.rows('SELECT * FROM api_keys_v1'),
      ]);
    while (!(await rows()).includes('Planted')) await pause(50);
    await projector.end('SIGTERM');
    const written: [string, Buffer][] = [
      ['rows', Buffer.from(await rows())],
      ...texts.map((text, at): [string, Buffer] => [`streams of process ${at}`, Buffer.from(text())]),
      ...filesBelow(data_dir),
      ...filesBelow(local.data_dir),
    ];
    const secret = key.key.slice(-24);
    for (const [name, bytes] of written) {
      const text = bytes.toString('latin1').toLowerCase();
      for (const word of ['xylophone', secret.toLowerCase()]) assert.equal(text.includes(word), false, name);
    }
    // That the search would find something: the partner's name is in the log.
    assert.ok(written.some(([name, bytes]) => name.startsWith(data_dir) && bytes.includes('Planted')));
  });
});

function filesBelow(folder: string): [string, Buffer][] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map(({ parentPath, name }) => [join(parentPath, name), readFileSync(join(parentPath, name))]);
}
