import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createCensusGeocoder } from '../../services/api/geocoder/census.ts';
import type { Geocode } from '../../services/api/ports.ts';
import { createStandIn, type Handler } from '../support/geocoder-stand-in.ts';

const recordings = join(import.meta.dirname, '../../infra/sandbox/recordings/geocoder');
/** Only what is to run out may be short: a good answer that comes late by chance would be asked for again. */
const timeout_ms = 10_000;
const silence_ms = 500;

const stand_in = createStandIn();
let asked: URL[] = [];
let base_url = '';

before(async () => {
  base_url = await stand_in.start();
});
after(() => stand_in.stop());

function locate(
  address: string,
  answers: Handler[],
  { signal = new AbortController().signal, within_ms = timeout_ms } = {},
): Promise<Geocode> {
  asked = stand_in.answerWith(answers);
  const geocoder = createCensusGeocoder({
    base_url,
    timeout_ms: within_ms,
    random: () => 0,
    user_agent: 'hailmark test',
  });
  return geocoder.locate(address, signal);
}

function body(text: string | Buffer, status = 200, type = 'application/json;charset=UTF-8'): Handler {
  return (_request, response) => response.writeHead(status, { 'Content-Type': type }).end(text);
}

function recorded(name: string): Handler {
  return body(readFileSync(join(recordings, `census_${name}.json`)));
}

const silver_hill = '4600 Silver Hill Rd, Washington, DC 20233';
const silver_hill_match: Geocode = {
  outcome: 'match',
  resolved_address: '4600 SILVER HILL RD, WASHINGTON, DC, 20233',
  lat: 38.845053106269,
  lon: -76.928365658124,
  corrections: [],
};
const good = recorded('locations_onelineaddress_2026_match');

describe('the Census geocoder on recorded answers', () => {
  it('asks for one line at the current benchmark', async () => {
    assert.deepEqual(await locate(silver_hill, [good]), silver_hill_match);
    const [url] = asked;
    assert.equal(url?.pathname, '/geocoder/locations/onelineaddress');
    assert.deepEqual(Object.fromEntries(url.searchParams), {
      address: silver_hill,
      benchmark: 'Public_AR_Current',
      format: 'json',
    });
  });

  it('takes an added suffix and names it', async () => {
    const answer = await locate('14001 Conner Downs, Pflugerville, TX 78660', [
      recorded('locations_onelineaddress_pflugerville_suffix-added'),
    ]);
    assert.equal(answer.outcome, 'match');
    assert.deepEqual(answer.corrections, ['suffix']);
    assert.equal(answer.resolved_address, '14001 CONNER DOWNS DR, PFLUGERVILLE, TX, 78660');
  });

  it('takes another ZIP and names it', async () => {
    const answer = await locate('1600 Pennsylvania Avenue NW, Washington, DC 20500', [
      recorded('locations_address_2017-10-31_match'),
    ]);
    assert.equal(answer.outcome, 'match');
    assert.deepEqual(answer.corrections, ['zip']);
  });

  it('reads names in mixed case and an indented body', async () => {
    const answer = await locate('4600 Silver Hill Road, Suitland, MD 20746', [
      recorded('locations_onelineaddress_census2010-benchmark_match'),
    ]);
    assert.equal(answer.outcome, 'match');
    assert.deepEqual(answer.corrections, []);
  });

  it('takes the first of two matches that are less than 250 m apart', async () => {
    const name = 'geographies_address_2017-11-10_two-matches';
    const answer = await locate('1600 Pennsylvania Avenue NW, Washington, DC 20500', [recorded(name)]);
    assert.equal(answer.outcome, 'match');
    assert.equal(answer.resolved_address, '1600 Pennsylvania Ave NW, WASHINGTON, DC, 20037');
  });

  it('refuses the recorded match when another house or state was typed', async () => {
    const candidates = ['4600 SILVER HILL RD, WASHINGTON, DC, 20233'];
    for (const typed of [
      '4602 Silver Hill Rd, Washington, DC 20233',
      '4600 Silver Hill Rd, Suitland, MD 20746',
    ]) {
      assert.deepEqual(await locate(typed, [good]), { outcome: 'candidates', candidates });
    }
  });

  it('says no match where there is none', async () => {
    const none = recorded('locations_onelineaddress_2026_no-match');
    assert.deepEqual(await locate('99999 Nonexistent Fake St, Nowhere, ZZ 00000', [none]), {
      outcome: 'no_match',
    });
    assert.equal(asked.length, 1);
  });

  it('folds letters with marks before asking, and does not ask what it cannot fold', async () => {
    await locate('4600 Sílver Hill Rd, Washington, DC', [good]);
    assert.equal(asked[0]?.searchParams.get('address'), '4600 Silver Hill Rd, Washington, DC');
    assert.deepEqual(await locate('4600 улица, Washington, DC', [good]), { outcome: 'no_match' });
    assert.equal(asked.length, 0);
  });
});

describe('the Census geocoder in trouble', () => {
  const html = body('<html><body>Please try again</body></html>', 200, 'text/html');
  const silence: Handler = () => undefined;
  const troubles: [name: string, handler: Handler][] = [
    ['HTML with status 200', html],
    ['HTML called JSON', body('<html></html>')],
    ['an empty body', body('')],
    ['cut JSON', body('{"result":{"addressMa')],
    ['JSON of another shape', body('{"result":{}}')],
    [
      'matches without coordinates',
      body('{"result":{"addressMatches":[{"matchedAddress":"X","addressComponents":{}}]}}'),
    ],
    ['a 500', body('{}', 500)],
    ['a 502 of HTML', body('<html></html>', 502, 'text/html')],
    ['a closed socket', (request) => void request.socket.destroy()],
    ['silence past the time-out', silence],
  ];
  for (const [name, handler] of troubles) {
    const options = handler === silence ? { within_ms: silence_ms } : {};
    it(`tries again after ${name}`, async () => {
      assert.deepEqual(await locate(silver_hill, [handler, handler, good], options), silver_hill_match);
      assert.equal(asked.length, 3);
    });

    it(`is unavailable, never "no match", after three times ${name}`, async () => {
      assert.deepEqual(await locate(silver_hill, [handler], options), { outcome: 'unavailable' });
      assert.equal(asked.length, 3);
    });
  }

  it('takes a 400 about the address for no match, and does not try again', async () => {
    const text =
      '{"errors":["Specify House number and Street name along with City and State and/or ZIP Code"],"status":"400"}';
    assert.deepEqual(await locate('Austin, TX 78701', [body(text, 400)]), { outcome: 'no_match' });
    assert.equal(asked.length, 1);
  });

  const refusals: [name: string, handler: Handler][] = [
    ['a 400 about the benchmark', body('{"errors":["Invalid benchmark in request"],"status":"400"}', 400)],
    ['a 400 of a proxy', body('<html>Bad Request</html>', 400, 'text/html')],
    ['a 403', body('{}', 403)],
    ['a 429', body('{}', 429)],
  ];
  for (const [name, handler] of refusals) {
    it(`is unavailable after ${name}, and does not try again`, async () => {
      assert.deepEqual(await locate(silver_hill, [handler]), { outcome: 'unavailable' });
      assert.equal(asked.length, 1);
    });
  }

  it('gives up when the request that asks has ended', async () => {
    const gone = new AbortController();
    const hang: Handler = () => gone.abort();
    assert.deepEqual(await locate(silver_hill, [hang], { signal: gone.signal }), { outcome: 'unavailable' });
    assert.equal(asked.length, 1);
  });
});
