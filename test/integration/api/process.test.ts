import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { Agent, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, it } from 'node:test';
import { createCleanup } from '../../support/cleanup.ts';
import { held_at, startApiProcess, type ApiProcess } from './api-process.ts';

const made = createCleanup();
after(() => made.stop());
const startProcess = (env: Record<string, string>): ApiProcess => startApiProcess(made, env);

describe('the API process', { timeout: 250_000 }, () => {
  it('answers what it can while store and registry are away, by the held clock', async () => {
    const api = startProcess({ PUBLIC_BASE_URL: 'https://hail.example.com/' });
    const url = `http://127.0.0.1:${await api.port}`;
    const health = await fetch(`${url}/v1/meta/health`);
    assert.equal(health.status, 200);
    const { data, meta } = (await health.json()) as {
      data: { status: string };
      meta: { computed_at: string };
    };
    assert.equal(data.status, 'down');
    assert.equal(meta.computed_at, held_at);
    const methodology = (await (await fetch(`${url}/api/v1/meta/methodology`)).json()) as {
      data: { url: string };
    };
    assert.equal(methodology.data.url, 'https://hail.example.com/methodology');
    assert.equal((await fetch(`${url}/readyz`)).status, 503);
    assert.equal((await fetch(`${url}/v1/property/verify`)).status, 401);
  });

  it('stops on SIGTERM although a client keeps its connection', async () => {
    const api = startProcess({});
    const port = await api.port;
    const agent = new Agent({ keepAlive: true });
    made.keep({ stop: () => agent.destroy() });
    const response = await new Promise<IncomingMessage>((done, fail) => {
      get({ host: '127.0.0.1', port, path: '/healthz', agent }, done).on('error', fail);
    });
    response.resume();
    await new Promise((done) => response.once('end', done));
    api.child.kill('SIGTERM');
    assert.equal(await api.exited, 0);
  });

  it('ends with one sentence when its port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((done) => other.once('listening', done));
    made.keep({ stop: () => void other.close() });
    const { port } = other.address() as AddressInfo;
    const api = startProcess({ API_PORT: String(port) });
    assert.equal(await api.exited, 1);
    assert.equal(
      api.stderr(),
      `Port ${port} is in use: stop the program that holds it, or set API_PORT to a free port.\n`,
    );
  });

  it('ends with one sentence when it is configured wrongly', async () => {
    const api = startProcess({ HAILMARK_HOLD_CLOCK_AT: 'yesterday', GEOCODER_TIMEOUT_MS: '0' });
    assert.equal(await api.exited, 78);
    assert.match(
      api.stderr(),
      /^The configuration cannot be used\. .*GEOCODER_TIMEOUT_MS.*HAILMARK_HOLD_CLOCK_AT.*\n$/,
    );
  });
});
