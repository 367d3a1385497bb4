import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { after, describe, it } from 'node:test';
import { pause } from '../../../services/runtime/clock.ts';
import { createCleanup } from '../../support/cleanup.ts';
import { startRedis, why_no_redis } from '../../support/redis.ts';
import { scrape, type Scraped } from '../../support/scraped.ts';
import { startApiProcess } from '../../integration/api/api-process.ts';

const made = createCleanup();
after(() => made.stop());

/** A port that takes connections and never says anything. */
async function startSilence(): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => sockets.add(socket)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  made.keep({
    stop: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function json(url: string): Promise<{ status: number; body: unknown }> {
  const response = await fetch(url);
  return { status: response.status, body: await response.json() };
}

async function until(url: string, holds: (scraped: Scraped) => boolean): Promise<Scraped> {
  for (;;) {
    const scraped = await scrape(url);
    if (holds(scraped)) return scraped;
    await pause(50);
  }
}

describe('the operations pages of the API process', { timeout: 600_000 }, () => {
  it('answer beside a store that hangs, and say so', async () => {
    const api = startApiProcess(made, { CLICKHOUSE_URL: `http://${await startSilence()}` });
    const url = await api.ops_url;
    await api.port;
    assert.equal((await json(`${url}/healthz`)).status, 200);
    const ready = await json(`${url}/readyz`);
    assert.deepEqual([ready.status, (ready.body as { missing: string[] }).missing], [503, ['store']]);
    const scraped = await scrape(url);
    assert.equal(scraped.value('store_up'), 0);
    assert.equal(scraped.value('log_up'), 1);
    assert.equal(scraped.value('feed_age_seconds', { feed: 'storm_events' }), null);
    assert.equal(scraped.value('scrape_reading_failures_total', { reading: 'store' }), 1);
    assert.equal(scraped.value('scrape_reading_failures_total', { reading: 'freshness' }), 1);
  });

  it('are there while the process waits for its log, alive and not ready', async () => {
    const api = startApiProcess(made, { KAFKA_BROKERS: '127.0.0.1:9' });
    const url = await api.ops_url;
    const scraped = await until(url, (each) => each.value('api_waiting', { for: 'log' }) === 1);
    assert.equal(scraped.value('log_up'), 0);
    assert.equal((await json(`${url}/healthz`)).status, 200);
    const ready = await json(`${url}/readyz`);
    assert.deepEqual(
      [ready.status, (ready.body as { missing: string[] }).missing],
      [503, ['log', 'keys', 'store']],
    );
  });

  it('are nowhere on the port of the partners', async () => {
    const api = startApiProcess(made, {});
    assert.equal((await fetch(`http://127.0.0.1:${await api.port}/metrics`)).status, 404);
  });

  it('end a start on a taken port with one sentence', async () => {
    const taken = await startSilence();
    const [, port = ''] = taken.split(':');
    const api = startApiProcess(made, { API_OPS_PORT: port });
    assert.equal(await api.exited, 1);
    assert.equal(
      api.stderr(),
      `Port ${port} is in use: stop the program that holds it, or set API_OPS_PORT to a free port.\n`,
    );
  });

  it('say whether limits are counted in Redis', { skip: why_no_redis ?? false }, async () => {
    const redis = made.keep(await startRedis());
    const api = startApiProcess(made, { REDIS_URL: redis.url });
    await api.port;
    const url = await api.ops_url;
    await until(url, (each) => each.value('limits_redis_up') === 1);
    await redis.kill();
    await until(url, (each) => each.value('limits_redis_up') === 0);
    await redis.start();
    await until(url, (each) => each.value('limits_redis_up') === 1);
  });
});
