import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { createKey } from '../../../services/api/keys/admin.ts';
import { createCodec } from '../../../services/log/codec.ts';
import { openLog } from '../../../services/log/open-log.ts';
import { pause, systemClock } from '../../../services/runtime/clock.ts';
import { readConfig } from '../../../services/runtime/config.ts';
import { startRegistry, temporaryFolder } from '../../contract/codec.registry.ts';
import { createCleanup } from '../../support/cleanup.ts';
import { startApiProcess, type ApiProcess } from './api-process.ts';

/** Made up, so that it can be in a log by no other way. NOT REAL, like every place of this test. */
const planted = 'Plantedsecret';
const line = (number: number): string => `${number} ${planted} Rd, Testville, TX 00000`;

describe('requests to the process', { timeout: 120_000 }, () => {
  const made = createCleanup();
  const held: ServerResponse[] = [];
  const no_match = JSON.stringify({ result: { addressMatches: [] } });
  const arrived = new EventTarget() as unknown as NodeJS.EventEmitter & EventTarget;
  let api: ApiProcess;
  let url = '';
  let key = '';
  let is_let_go = false;

  /** In the Census shape: 1 is a match, 2 is held until the test lets it go, everything else is trouble. */
  const geocoder = createServer((request, response) => {
    const address = new URL(request.url ?? '/', 'http://geocoder').searchParams.get('address') ?? '';
    response.setHeader('Content-Type', 'application/json');
    if (address.startsWith('1 ')) response.end(matches(address));
    else if (address.startsWith('2 ') && is_let_go) response.end(no_match);
    else if (address.startsWith('2 ')) {
      held.push(response);
      arrived.dispatchEvent(new Event('held'));
    } else response.writeHead(500, { 'Content-Type': 'text/html' }).end(`<html>${address}</html>`);
  });

  before(async () => {
    await new Promise<void>((done) => geocoder.listen(0, '127.0.0.1', done));
    made.keep({
      stop: () => {
        geocoder.close();
        geocoder.closeAllConnections();
      },
    });
    const registry = made.keep(await startRegistry(made.keep(temporaryFolder()).folder));
    const { folder } = made.keep(temporaryFolder());
    const log = await openLog(readConfig({ HAILMARK_DATA_DIR: folder }));
    const codec = createCodec({ registry_url: registry.url });
    await codec.registerAll();
    ({ key } = await createKey({ log, codec, clock: systemClock }, { partner: 'test' }));
    await log.close();
    api = startApiProcess(made, {
      HAILMARK_DATA_DIR: folder,
      SCHEMA_REGISTRY_URL: registry.url,
      GEOCODER_URL: `http://127.0.0.1:${(geocoder.address() as AddressInfo).port}`,
      HAILMARK_LOG_LEVEL: 'trace',
    });
    url = `http://127.0.0.1:${await api.port}`;
    const known = async (): Promise<boolean> =>
      (await fetch(`${url}/v1/property/verify`, { headers })).status === 400;
    const headers = { Authorization: `Bearer ${key}` };
    while (!(await known())) await pause(25);
  });
  after(() => made.stop());

  const verify = (number: number, rest = ''): Promise<Response> => {
    const query = new URLSearchParams({ address: line(number), date_of_loss: '2026-08-28' }).toString();
    return fetch(`${url}/v1/property/verify?${query}${rest}`, {
      headers: { Authorization: `Bearer ${key}` },
    });
  };

  it('in flight are finished when it is told to stop, and no line has said where anybody lives', async () => {
    // With the store away, with the geocoder in trouble, refused, in the path, and with the key in the query.
    assert.equal((await verify(1)).status, 500);
    assert.equal((await verify(3)).status, 500);
    assert.equal((await verify(1, `&address=${planted}`)).status, 400);
    assert.equal((await fetch(`${url}/${planted}?address=${planted}`)).status, 404);
    assert.equal((await fetch(`${url}/api/v1/lookup?address=${planted}&api_key=${key}`)).status, 500);

    const arrival = once(arrived, 'held');
    const in_flight = verify(2);
    await arrival;
    api.child.kill('SIGTERM');
    // It has heard: nobody new is let in.
    while (await isListening(url)) await pause(10);
    // The first try may have been given up by now: whatever comes after it is answered too.
    is_let_go = true;
    for (const response of held) response.end(no_match);
    const answer = await in_flight;
    assert.equal(answer.status, 422);
    const { error } = (await answer.json()) as { error: { detail: { address: string } } };
    assert.equal(error.detail.address, line(2));
    assert.equal(await api.exited, 0);

    const lines = api.stdout() + api.stderr();
    assert.ok((lines.match(/"msg":"request"/g) ?? []).length >= 6);
    assert.match(lines, /"msg":"a request failed/);
    for (const secret of [planted, planted.toUpperCase(), 'Testville', 'TESTVILLE', key, key.slice(-24)])
      assert.equal(lines.includes(secret), false, secret);
    for (const text of lines.trim().split('\n')) JSON.parse(text);
  });
});

async function isListening(url: string): Promise<boolean> {
  try {
    await (await fetch(`${url}/healthz`)).arrayBuffer();
    return true;
  } catch {
    return false;
  }
}

function matches(address: string): string {
  const matchedAddress = address.toUpperCase().replace(' TX 0', ' TX, 0');
  const addressComponents = {
    streetName: planted.toUpperCase(),
    suffixType: 'RD',
    city: 'TESTVILLE',
    state: 'TX',
    zip: '00000',
  };
  const coordinates = { x: -98.4951, y: 29.4241 };
  return JSON.stringify({ result: { addressMatches: [{ matchedAddress, coordinates, addressComponents }] } });
}
