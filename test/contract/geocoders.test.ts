import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { pino } from 'pino';
import { createGeocoders } from '../../services/api/geocoder/geocoders.ts';
import type { Geocoder } from '../../services/api/ports.ts';
import { readConfig } from '../../services/runtime/config.ts';
import { startTestGeocoder, type TestGeocoder } from '../support/census-shaped.ts';
import { peliasAnswer, peliasFeature } from '../support/pelias-shaped.ts';

const address = '100 Military Plz, San Antonio, TX 78205';
const signal = AbortSignal.timeout(120_000);
let census: TestGeocoder;
// What it answers is NOT REAL: made in Pelias' documented shape.
let pelias_asked = 0;
const pelias = createServer((_request, response) => {
  pelias_asked += 1;
  response.setHeader('Content-Type', 'application/json').end(peliasAnswer([peliasFeature()]));
});
before(async () => {
  census = await startTestGeocoder();
  await new Promise<void>((done) => pelias.listen(0, '127.0.0.1', done));
});
after(async () => {
  pelias.close();
  pelias.closeAllConnections();
  await census.stop();
});

let lines = '';
const sink = new Writable({
  write: (chunk: Buffer, _encoding, done) => {
    lines += chunk.toString('utf8');
    done();
  },
});
function start(order: string): { geocoder: Geocoder; turn: (span_ms: number) => void } {
  let now_ms = 0;
  const config = readConfig({
    GEOCODERS: order,
    GEOCODER_URL: census.url,
    PELIAS_URL: `http://127.0.0.1:${(pelias.address() as AddressInfo).port}`,
    GEOCODER_TIMEOUT_MS: '10000',
  });
  const output = pino({ base: null }, sink);
  return {
    geocoder: createGeocoders({ clock: () => now_ms, output, random: () => 0 }, config),
    turn: (span_ms) => {
      now_ms += span_ms;
    },
  };
}

describe('the geocoders of a configuration', () => {
  it('are the Census Bureau alone unless told', async () => {
    assert.equal(readConfig({}).GEOCODERS, 'census');
    census.fail(null);
    census.add(address, 29.4241, -98.4951);
    const before_asked = pelias_asked;
    const found = await start('census').geocoder.locate(address, signal);
    assert.partialDeepStrictEqual(found, { outcome: 'match', lat: 29.4241 });
    assert.equal(pelias_asked, before_asked);
  });

  it('are asked in their order, the second where the first is away, and each remembers its own', async () => {
    const { geocoder } = start('census,pelias');
    census.fail('html-200');
    const from_pelias = await geocoder.locate(address, signal);
    assert.partialDeepStrictEqual(from_pelias, { outcome: 'match', lat: 29.424351 });
    census.fail(null);
    const from_census = await geocoder.locate(address, signal);
    assert.partialDeepStrictEqual(from_census, { outcome: 'match', lat: 29.4241 });
    const reversed = await start('pelias,census').geocoder.locate(address, signal);
    assert.partialDeepStrictEqual(reversed, { outcome: 'match', lat: 29.424351 });
  });

  it('leave one alone that is away, still know what it said before, and ask it again after a while', async () => {
    const { geocoder, turn } = start('census');
    await geocoder.locate(address, signal);
    census.fail('500');
    const unknown = '1 Unknown Rd, Testville, TX 00000';
    for (let time = 0; time < 5; time += 1) {
      assert.deepEqual(await geocoder.locate(`${time} ${unknown}`, signal), { outcome: 'unavailable' });
    }
    const asked = census.requests.length;
    assert.deepEqual(await geocoder.locate(unknown, signal), { outcome: 'unavailable' });
    assert.partialDeepStrictEqual(await geocoder.locate(address, signal), { outcome: 'match' });
    assert.equal(census.requests.length, asked);
    census.fail(null);
    turn(30_000);
    assert.deepEqual(await geocoder.locate(unknown, signal), { outcome: 'no_match' });
    assert.match(lines, /"geocoder":"census"/);
    assert.doesNotMatch(lines, /Unknown|Military/);
  });

  it('are refused where they cannot be meant', () => {
    const config = readConfig({ GEOCODERS: 'pelias' });
    const output = pino({ base: null }, sink);
    assert.throws(() => createGeocoders({ clock: () => 0, output, random: () => 0 }, config), {
      code: 'HAIL_CONFIG',
      message: /PELIAS_URL/,
    });
    for (const order of ['google', 'census,census', 'census, pelias', ','])
      assert.throws(() => readConfig({ GEOCODERS: order }), { code: 'HAIL_CONFIG' }, order);
  });
});
