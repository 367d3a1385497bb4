import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { gazetteer } from '../../infra/sandbox/geocoder/gazetteer.ts';
import { createSandbox } from '../../infra/sandbox/server.ts';
import { createCensusGeocoder } from '../../services/api/geocoder/census.ts';
import type { Geocoder } from '../../services/api/ports.ts';
import { startTestGeocoder, type GeocoderTrouble, type TestGeocoder } from '../support/census-shaped.ts';

function client(base_url: string, timeout_ms = 5_000): Geocoder {
  return createCensusGeocoder({ base_url, timeout_ms, random: () => 0, user_agent: 'Hailmark tests' });
}

const signal = AbortSignal.timeout(60_000);

describe('the service geocoding against the sandbox', () => {
  const server = createSandbox();
  let geocoder: Geocoder;
  before(async () => {
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    geocoder = client(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  });
  after(() => {
    server.close();
    server.closeAllConnections();
  });

  it('takes every building of the gazetteer as typed, without a correction', async () => {
    for (const { street, city, state, zip, lat, lon } of gazetteer) {
      const found = await geocoder.locate(`${street}, ${city}, ${state} ${zip}`, signal);
      assert.partialDeepStrictEqual(found, { outcome: 'match', lat, lon, corrections: [] }, street);
    }
  });

  it('names what the Census Bureau corrected in its recorded answers', async () => {
    const asked = async (address: string): Promise<unknown> => geocoder.locate(address, signal);
    assert.partialDeepStrictEqual(await asked('14001 Conner Downs, Pflugerville, TX 78660'), {
      outcome: 'match',
      corrections: ['suffix'],
    });
    assert.partialDeepStrictEqual(await asked('1600 Pennsylvania Avenue NW, Washington, DC, 20500'), {
      outcome: 'match',
      corrections: ['zip'],
    });
    assert.deepEqual(await asked('99999 Nonexistent Fake St, Nowhere, ZZ 00000'), { outcome: 'no_match' });
  });
});

describe('the test geocoder', () => {
  let test: TestGeocoder;
  before(async () => {
    test = await startTestGeocoder();
  });
  after(() => test.stop());

  const address = '12 Recorded Hail Rd, Testville, TX 00000';

  it('answers chosen places with all their decimals, and several matches in order', async () => {
    test.add(address, 38.845053106269, -76.928365658124);
    assert.deepEqual(await client(test.url).locate(address, signal), {
      outcome: 'match',
      resolved_address: address.toUpperCase(),
      lat: 38.845053106269,
      lon: -76.928365658124,
      corrections: [],
    });
    test.add(address, 39, -77, { another: true, matched: '12 RECORDED HAIL RD, ELSEWHERE, TX, 00001' });
    assert.deepEqual(await client(test.url).locate(address, signal), {
      outcome: 'candidates',
      candidates: [address.toUpperCase(), '12 RECORDED HAIL RD, ELSEWHERE, TX, 00001'],
    });
    assert.deepEqual(await client(test.url).locate('1 Unknown Rd, Testville, TX', signal), {
      outcome: 'no_match',
    });
  });

  it('fails in each way that was seen, as long as it is told to', async () => {
    const kinds: GeocoderTrouble[] = ['refuse', '500', 'html-200', 'hang', 'empty', 'not-json'];
    test.add(address, 35, -97);
    for (const kind of kinds) {
      test.fail(kind);
      const asked_before = test.requests.length;
      assert.deepEqual(await client(test.url, 50).locate(address, signal), { outcome: 'unavailable' }, kind);
      assert.ok(test.requests.length > asked_before, kind);
    }
    test.fail(null);
    assert.partialDeepStrictEqual(await client(test.url).locate(address, signal), { outcome: 'match' });
    assert.equal(test.requests.at(-1), address);
  });
});
