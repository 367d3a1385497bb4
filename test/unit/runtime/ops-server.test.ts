import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, it } from 'node:test';
import { isHailmarkError } from '../../../services/runtime/errors.ts';
import type { Part, ProcessContext } from '../../../services/runtime/lifecycle.ts';
import { createLiveness } from '../../../services/runtime/liveness.ts';
import { createLogOutput } from '../../../services/runtime/log-output.ts';
import { startOps, type Ops } from '../../../services/runtime/ops-server.ts';
import { createReadiness } from '../../../services/runtime/readiness.ts';

const output = createLogOutput('test', 'silent');
const parts: Part[] = [];
const stopping = new AbortController();
const context: ProcessContext = { signal: stopping.signal, onStop: (part) => parts.push(part) };

function start(port = 0, host = '127.0.0.1'): Promise<Ops<'log' | 'store'>> {
  return startOps(
    context,
    { config: { OPS_HOST: host, TEST_OPS_PORT: port }, output },
    { process: 'test', setting: 'TEST_OPS_PORT', checks: ['log', 'store'] },
  );
}

async function json(url: string): Promise<{ status: number; body: unknown }> {
  const response = await fetch(url);
  return { status: response.status, body: await response.json() };
}

describe('operations pages', () => {
  after(async () => {
    for (const part of parts) await part.stop();
  });

  it('say that a process is alive and not ready, and name what is missing', async () => {
    const ops = await start();
    const url = `http://127.0.0.1:${ops.port}`;
    assert.deepEqual(await json(`${url}/healthz`), {
      status: 200,
      body: { alive: true, stuck: [], loops: [] },
    });
    assert.deepEqual(await json(`${url}/readyz`), {
      status: 503,
      body: { ready: false, missing: ['log', 'store'], checks: { running: true, log: false, store: false } },
    });
    ops.readiness.set('log', () => true);
    ops.readiness.set('store', () => Promise.reject(new Error('away')));
    assert.deepEqual((await json(`${url}/readyz`)).body, {
      ready: false,
      missing: ['store'],
      checks: { running: true, log: true, store: false },
    });
    ops.readiness.set('store', () => Promise.resolve(true));
    assert.equal((await json(`${url}/readyz`)).status, 200);
  });

  it('serve metrics for Prometheus, whatever a reading does, within what the scraper waits', async () => {
    const ops = await start();
    ops.metrics.atScrape(
      'hanging',
      () => new Promise(() => undefined),
      () => undefined,
    );
    const response = await fetch(`http://127.0.0.1:${ops.port}/metrics`, {
      headers: { 'X-Prometheus-Scrape-Timeout-Seconds': '0.2' },
    });
    assert.equal(response.status, 200);
    assert.match(response.headers.get('Content-Type') ?? '', /^text\/plain; version=0\.0\.4/);
    const text = await response.text();
    assert.match(text, /^hailmark_build_info\{process="test",version="\d+\.\d+\.\d+"\} 1$/m);
    assert.match(text, /^hailmark_scrape_reading_failures_total\{reading="hanging"\} 1$/m);
  });

  it('answer GET and HEAD of three pages and nothing else', async () => {
    const ops = await start();
    const url = `http://127.0.0.1:${ops.port}`;
    assert.equal((await json(`${url}/`)).status, 404);
    assert.equal((await json(`${url}/constructor`)).status, 404);
    assert.equal((await fetch(`${url}/healthz`, { method: 'HEAD' })).status, 200);
    const posted = await fetch(`${url}/healthz`, { method: 'POST' });
    assert.deepEqual([posted.status, posted.headers.get('Allow')], [405, 'GET, HEAD']);
    await posted.arrayBuffer();
    const strange = request({ port: ops.port, host: '127.0.0.1', path: '/metrics?a=%E0%A4%A' }).end();
    const [answer] = (await once(strange, 'response')) as [{ statusCode: number; resume: () => void }];
    assert.equal(answer.statusCode, 200);
    answer.resume();
  });

  it('end a start on a taken port with a sentence that names the setting', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const { port } = holder.address() as AddressInfo;
    await assert.rejects(start(port), (error) => {
      assert.ok(isHailmarkError(error, 'HAIL_PORT_IN_USE'));
      assert.match(
        error.message,
        new RegExp(`^Port ${port} is in use: .* set TEST_OPS_PORT to a free port\\.$`),
      );
      return true;
    });
    holder.close();
  });

  it('end a start at an address that is not of this machine with a sentence', async () => {
    // TEST-NET-1 of RFC 5737: nobody's.
    await assert.rejects(start(0, '192.0.2.1'), (error) => {
      assert.ok(isHailmarkError(error, 'HAIL_CONFIG'));
      assert.match(error.message, /^192\.0\.2\.1 is no address of this machine .*TEST_OPS_PORT.* OPS_HOST/);
      return true;
    });
  });

  it('say 503 once a loop stands still, and tell which', async () => {
    const ops = await start();
    ops.liveness.loop('going', 60_000);
    const stuck = ops.liveness.loop('standing', -1);
    const url = `http://127.0.0.1:${ops.port}`;
    const { status, body } = await json(`${url}/healthz`);
    assert.deepEqual([status, (body as { stuck: string[] }).stuck], [503, ['standing']]);
    const text = await (await fetch(`${url}/metrics`)).text();
    assert.match(text, /^hailmark_loop_last_tick_timestamp_seconds\{loop="going"\} \d{10}/m);
    stuck.end();
    assert.equal((await json(`${url}/healthz`)).status, 200);
  });
});

describe('liveness', () => {
  it('tells the age of the last tick by a clock that nobody sets', () => {
    const now = { wall: 1_000_000, elapsed: 0 };
    const liveness = createLiveness({ clock: () => now.wall, elapsed_ms: () => now.elapsed });
    const loop = liveness.loop('loop', 5_000);
    now.elapsed = 5_000;
    now.wall = 99_000_000;
    assert.deepEqual(liveness.loops(), [
      { loop: 'loop', ticked_at: 1_000_000, ticked_ago_ms: 5_000, within_ms: 5_000, is_stuck: false },
    ]);
    now.elapsed = 5_001;
    assert.equal(liveness.loops()[0]?.is_stuck, true);
    loop.tick();
    assert.deepEqual(
      liveness.loops().map(({ ticked_at, is_stuck }) => [ticked_at, is_stuck]),
      [[99_000_000, false]],
    );
    liveness.loop('loop', 5_000);
    loop.end();
    assert.equal(liveness.loops().length, 1, 'one that was begun anew does not end with the one before');
  });
});

describe('readiness', () => {
  it('takes a check that does not answer for a no, once the patience of that look is over', async () => {
    const begun: AbortController[] = [];
    const beginPatience = (): AbortSignal => {
      const patience = new AbortController();
      begun.push(patience);
      return patience.signal;
    };
    const asked = Promise.withResolvers<undefined>();
    const readiness = createReadiness(['log', 'store'], beginPatience);
    readiness.set('log', () => true);
    readiness.set('store', () => {
      asked.resolve(undefined);
      return new Promise(() => undefined);
    });
    const looking = readiness.look();
    await asked.promise;
    begun[0]?.abort();
    assert.deepEqual(await looking, { log: true, store: false });

    // Another look has a patience of its own.
    readiness.set('store', () => true);
    assert.deepEqual(await readiness.look(), { log: true, store: true });
    assert.equal(begun.length, 2);
  });
});
