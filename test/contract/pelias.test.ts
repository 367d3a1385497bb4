import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createPeliasGeocoder } from '../../services/api/geocoder/pelias.ts';
import type { Geocode } from '../../services/api/ports.ts';
import { createStandIn, type Handler } from '../support/geocoder-stand-in.ts';
import { peliasAnswer, peliasFeature, type PeliasProperties } from '../support/pelias-shaped.ts';

const stand_in = createStandIn();
let asked: URL[] = [];
let base_url = '';
before(async () => {
  base_url = `${await stand_in.start()}/pelias/`;
});
after(() => stand_in.stop());

const military = '100 Military Plz, San Antonio, TX 78205';
const signal = new AbortController().signal;

function locate(address: string, answers: Handler[], api_key?: string): Promise<Geocode> {
  asked = stand_in.answerWith(answers);
  return createPeliasGeocoder({
    base_url,
    timeout_ms: 10_000,
    random: () => 0,
    user_agent: 'hailmark test',
    api_key,
  }).locate(address, signal);
}
function body(text: string, status = 200, type = 'application/json; charset=utf-8'): Handler {
  return (_request, response) => response.writeHead(status, { 'Content-Type': type }).end(text);
}
const features = (...of: unknown[]): Handler => body(peliasAnswer(of));
const house = (change: Partial<PeliasProperties>, place?: readonly [lon: number, lat: number]): Handler =>
  features(peliasFeature(change, place));

const military_match: Geocode = {
  outcome: 'match',
  resolved_address: '100 Military Plaza, San Antonio, TX, 78205',
  lat: 29.424351,
  lon: -98.495142,
  corrections: [],
};

// The answers are NOT REAL: they are made in the documented shape (`test/support/pelias-shaped.ts`).
describe('a geocoder of the Pelias kind', () => {
  it('asks for the text in the United States and their territories, with a key where it has one', async () => {
    assert.deepEqual(await locate(military, [house({})]), military_match);
    assert.equal(asked[0]?.pathname, '/pelias/v1/search');
    const sent = { text: military, 'boundary.country': 'USA,ASM,GUM,MNP,PRI,VIR', size: '10' };
    assert.deepEqual(Object.fromEntries(asked[0].searchParams), sent);
    await locate(military, [house({})], 'k');
    assert.deepEqual(Object.fromEntries(asked[0].searchParams), { ...sent, api_key: 'k' });
  });

  it('folds letters with marks before asking, and does not ask what it cannot fold', async () => {
    await locate('100 Mílitary Plz, San Antonio, TX', [house({})]);
    assert.equal(asked[0]?.searchParams.get('text'), '100 Military Plz, San Antonio, TX');
    assert.deepEqual(await locate('100 улица, San Antonio, TX', [house({})]), { outcome: 'no_match' });
    assert.equal(asked.length, 0);
  });

  const not_precise: [name: string, change: Partial<PeliasProperties>][] = [
    ['a street', { layer: 'street', match_type: 'fallback', accuracy: 'centroid' }],
    ['a city', { layer: 'locality', match_type: 'fallback', accuracy: 'centroid' }],
    ['a ZIP', { layer: 'postalcode', match_type: 'exact', accuracy: 'centroid' }],
    ['a venue', { layer: 'venue', match_type: 'exact' }],
    ['a house it fell back to', { match_type: 'fallback' }],
    ['the centre of something', { accuracy: 'centroid' }],
    ['a house of unknown kind', { match_type: '' }],
    ['a house without a number', { housenumber: '' }],
  ];
  for (const [name, change] of not_precise) {
    it(`takes ${name} for no match`, async () => {
      assert.deepEqual(await locate(military, [house(change)]), { outcome: 'no_match' });
      assert.equal(asked.length, 1);
    });
  }

  it('takes a house that was interpolated on its street', async () => {
    const interpolated = house({ match_type: 'interpolated', confidence: 0.8 });
    assert.deepEqual(await locate(military, [interpolated]), military_match);
  });

  const candidates: [name: string, change: Partial<PeliasProperties>, candidate: string][] = [
    ['another house', { housenumber: '102' }, '102 Military Plaza, San Antonio, TX, 78205'],
    ['another state', { region_a: 'NM' }, '100 Military Plaza, San Antonio, NM, 78205'],
    ['no state', { region_a: '' }, '100 Military Plaza, San Antonio, 78205'],
    ['a country beside ours', { country_a: 'MEX' }, '100 Military Plaza, San Antonio, 78205'],
    ['another street', { street: 'Main Plaza' }, '100 Main Plaza, San Antonio, TX, 78205'],
  ];
  for (const [name, change, candidate] of candidates) {
    it(`refuses a match with ${name} and names it`, async () => {
      assert.deepEqual(await locate(military, [house(change)]), {
        outcome: 'candidates',
        candidates: [candidate],
      });
    });
  }

  it('takes and names another ZIP, city and suffix', async () => {
    const corrected = house({ postalcode: '78207-1234', locality: 'Leon Valley', street: 'Military Dr' });
    const found = await locate(military, [corrected]);
    assert.partialDeepStrictEqual(found, { outcome: 'match', corrections: ['zip', 'city', 'suffix'] });
  });

  it('takes a house outside of every city, and one whose city is its town, without a correction', async () => {
    const nowhere = await locate(military, [house({ locality: '' })]);
    assert.partialDeepStrictEqual(nowhere, { outcome: 'match', corrections: [] });
    const town = await locate(military, [house({ locality: '', localadmin: 'San Antonio' })]);
    assert.deepEqual(town, military_match);
  });

  it('reads directions and ordinals of a street as others write them', async () => {
    const topeka = house(
      {
        housenumber: '300',
        street: 'Southwest 10th Avenue',
        locality: 'Topeka',
        region_a: 'KS',
        postalcode: '66612',
      },
      [-95.678, 39.048],
    );
    const none = { outcome: 'match', corrections: [] };
    assert.partialDeepStrictEqual(await locate('300 SW 10th Ave, Topeka, KS 66612', [topeka]), none);
    assert.partialDeepStrictEqual(await locate('300 SW Tenth Ave, Topeka, KS 66612', [topeka]), none);
  });

  it('takes a territory for the state that it is in an address', async () => {
    const change = {
      housenumber: '12',
      street: 'Calle Luna',
      locality: 'San Juan',
      region_a: '',
      postalcode: '00901',
    };
    for (const country of [{ country_a: 'PRI' }, { country_a: 'USA', dependency_a: 'PRI' }]) {
      const found = await locate('12 Calle Luna, San Juan, PR 00901', [
        house({ ...change, ...country }, [-66.115, 18.466]),
      ]);
      assert.partialDeepStrictEqual(found, {
        outcome: 'match',
        resolved_address: '12 Calle Luna, San Juan, PR, 00901',
        corrections: [],
      });
    }
  });

  it('takes no house outside of the United States', async () => {
    assert.deepEqual(await locate(military, [house({}, [2.35, 48.85])]), { outcome: 'no_match' });
    assert.deepEqual(await locate(military, [house({}, [29.42, -98.49])]), { outcome: 'no_match' });
  });

  it('takes the first of several close by, and refuses several apart, unless they are clearly worse', async () => {
    const near = peliasFeature({ street: 'Military Plaza', postalcode: '78204' }, [-98.496, 29.4245]);
    const far = (confidence: number): unknown =>
      peliasFeature({ locality: 'Elsewhere', confidence }, [-98.1, 29.4]);
    assert.deepEqual(await locate(military, [features(peliasFeature(), near)]), military_match);
    assert.deepEqual(await locate(military, [features(peliasFeature(), far(0.95))]), {
      outcome: 'candidates',
      candidates: [military_match.resolved_address, '100 Military Plaza, Elsewhere, TX, 78205'],
    });
    assert.deepEqual(await locate(military, [features(peliasFeature(), far(0.6))]), military_match);
  });

  it('says no match where there is none, and where the text is refused', async () => {
    assert.deepEqual(await locate(military, [features()]), { outcome: 'no_match' });
    const refused = peliasAnswer([], { errors: ["invalid param 'text': text length, must be >0"] });
    assert.deepEqual(await locate(military, [body(refused, 400)]), { outcome: 'no_match' });
    assert.equal(asked.length, 1);
  });
});

describe('a geocoder of the Pelias kind in trouble', () => {
  const troubles: [name: string, handler: Handler][] = [
    ['HTML with status 200', body('<html></html>', 200, 'text/html')],
    ['an empty body', body('')],
    ['cut JSON', body('{"type":"FeatureColl')],
    ['JSON of another shape', body('{"features":{}}')],
    [
      'coordinates that are none',
      features({ ...(peliasFeature() as object), geometry: { type: 'Point', coordinates: [] } }),
    ],
    [
      'errors beside its features',
      body(peliasAnswer([peliasFeature()], { errors: ['Request Timeout after 5000ms'] })),
    ],
    ['a 502', body('<html></html>', 502, 'text/html')],
    ['a closed socket', (request) => void request.socket.destroy()],
  ];
  for (const [name, handler] of troubles) {
    it(`tries again after ${name}, and is unavailable after three times`, async () => {
      assert.deepEqual(await locate(military, [handler, house({})]), military_match);
      assert.deepEqual(await locate(military, [handler]), { outcome: 'unavailable' });
      assert.equal(asked.length, 3);
    });
  }

  const refusals: [name: string, handler: Handler][] = [
    [
      'a 400 about a parameter of ours',
      body(peliasAnswer([], { errors: ['XYZ is not a valid ISO2/ISO3 country code'] }), 400),
    ],
    ['a 400 of a proxy', body('<html>Bad Request</html>', 400, 'text/html')],
    ['a 401', body('{"meta":{"version":1,"status_code":401}}', 401)],
    ['a 429', body('{}', 429)],
  ];
  for (const [name, handler] of refusals) {
    it(`is unavailable after ${name}, and does not try again`, async () => {
      assert.deepEqual(await locate(military, [handler]), { outcome: 'unavailable' });
      assert.equal(asked.length, 1);
    });
  }
});
