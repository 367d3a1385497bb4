import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { judge, type GeocoderMatch } from '../../../services/api/geocoder/judge.ts';

/** A match in the way the Census Bureau writes one, with the parts that a case is about. */
function match(
  matched_address: string,
  components: Partial<GeocoderMatch['components']>,
  place: { lat: number; lon: number } = { lat: 30.41706, lon: -97.6474 },
): GeocoderMatch {
  const none = {
    street_name: '',
    suffix: '',
    pre_direction: '',
    suffix_direction: '',
    city: '',
    state: '',
    zip: '',
  };
  return { matched_address, ...place, components: { ...none, ...components } };
}

const conner = match('14001 CONNER DOWNS DR, PFLUGERVILLE, TX, 78660', {
  street_name: 'CONNER DOWNS',
  suffix: 'DR',
  city: 'PFLUGERVILLE',
  state: 'TX',
  zip: '78660',
});
const topeka = match(
  '300 SW 10TH AVE, TOPEKA, KS, 66612',
  { street_name: '10TH', suffix: 'AVE', pre_direction: 'SW', city: 'TOPEKA', state: 'KS', zip: '66612' },
  { lat: 39.048, lon: -95.678 },
);
const oak_court = match('100 OAK CT, AUSTIN, TX, 78701', {
  street_name: 'OAK',
  suffix: 'CT',
  city: 'AUSTIN',
  state: 'TX',
  zip: '78701',
});
const washington = match(
  '4600 SILVER HILL RD, WASHINGTON, DC, 20233',
  { street_name: 'SILVER HILL', suffix: 'RD', city: 'WASHINGTON', state: 'DC', zip: '20233' },
  { lat: 38.845, lon: -76.928 },
);

describe('judging a match', () => {
  const taken: [typed: string, match: GeocoderMatch, corrections: string[]][] = [
    ['14001 Conner Downs Dr, Pflugerville, TX 78660', conner, []],
    ['14001 conner downs drive, pflugerville, Texas', conner, []],
    ['14001 Conner Downs, Pflugerville, TX 78660', conner, ['suffix']],
    ['14001 Conner Downs Ln, Round Rock, TX 78664', conner, ['zip', 'city', 'suffix']],
    ['14001 Conner Downs Dr Pflugerville TX 78660', conner, []],
    ['14001 Conner Downs Dr Austin TX 78660', conner, ['city']],
    ['300 SW 10th Avenue, Topeka, Kansas 66612', topeka, []],
    ['300 Southwest 10th Ave Topeka KS', topeka, []],
    ['300 SW Tenth Ave Topeka KS 66611', topeka, ['zip']],
    ['100 Oak Ct 78701', oak_court, []],
    ['100 Oak Court, Apt 3, Austin', oak_court, []],
    ['4600 Silver Hill Rd, Washington 20233', washington, []],
  ];
  for (const [typed, of, corrections] of taken) {
    it(`takes "${typed}" and names ${corrections.join(', ') || 'no correction'}`, () => {
      const { lat, lon } = of;
      const resolved_address = of.matched_address;
      assert.deepEqual(judge(typed, [of]), { outcome: 'match', resolved_address, lat, lon, corrections });
    });
  }

  const refused: [typed: string, match: GeocoderMatch, why: string][] = [
    ['14003 Conner Downs Dr, Pflugerville, TX 78660', conner, 'another house number'],
    ['14001B Conner Downs Dr, Pflugerville, TX 78660', conner, 'another house number'],
    ['Conner Downs Dr, Pflugerville, TX 78660', conner, 'no house number was typed'],
    ['14001 Conner Downs Dr, Pflugerville, OK 78660', conner, 'another state'],
    ['100 Oak Ct, Hartford, CT 06101', oak_court, 'another state, though the street is a court'],
    [
      '4600 Silver Hill Rd, Seattle, Washington',
      match(
        washington.matched_address,
        { ...washington.components, city: 'SUITLAND', state: 'MD' },
        washington,
      ),
      'another state',
    ],
  ];
  for (const [typed, of, why] of refused) {
    it(`refuses "${typed}": ${why}`, () => {
      assert.deepEqual(judge(typed, [of]), { outcome: 'candidates', candidates: [of.matched_address] });
    });
  }

  it('takes the first of several that are one place and refuses those that are not', () => {
    const near = { ...conner, matched_address: 'second', lat: conner.lat + 0.002 };
    const beyond = {
      ...conner,
      matched_address: '14001 CONNER DOWNS DR, ELSEWHERE, TX, 78661',
      lat: conner.lat + 0.0024,
    };
    const typed = '14001 Conner Downs Dr, Pflugerville, TX';
    assert.equal(
      judge(typed, [conner, { ...near, matched_address: conner.matched_address }]).outcome,
      'match',
    );
    assert.deepEqual(judge(typed, [conner, beyond]), {
      outcome: 'candidates',
      candidates: [conner.matched_address, beyond.matched_address],
    });
  });

  it('finds no match in a city, a ZIP, another country or a place off the globe', () => {
    const typed = '14001 Conner Downs Dr, Pflugerville, TX';
    const places = [
      { ...conner, matched_address: 'PFLUGERVILLE, TX, 78660' },
      { ...conner, lat: 48.85, lon: 2.35 },
      { ...conner, lat: conner.lon, lon: conner.lat },
      { ...conner, lat: Number.NaN },
    ];
    for (const place of places) assert.deepEqual(judge(typed, [place]), { outcome: 'no_match' });
    assert.deepEqual(judge(typed, []), { outcome: 'no_match' });
  });
});
