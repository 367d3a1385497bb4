import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { countyOf, countyProblem, no_county } from '../../../services/hail/county.ts';

describe('the county that a publisher files a record under', () => {
  it('is the state by its postal code and the county in capitals, however they are written', () => {
    assert.deepEqual(countyOf({ state: 'Kentucky', county: ' Mc  Cracken ' }), {
      state: 'KY',
      county: 'MC CRACKEN',
    });
    assert.deepEqual(countyOf({ state: 'DISTRICT OF COLUMBIA', county: 'DISTRICT OF COLUMBIA' }), {
      state: 'DC',
      county: 'DISTRICT OF COLUMBIA',
    });
    assert.deepEqual(countyOf({ state: 'mo', county: 'Ste. Genevieve' }), {
      state: 'MO',
      county: 'STE. GENEVIEVE',
    });
  });

  it('is neither guessed nor made of something else', () => {
    assert.deepEqual(countyOf({ state: '', county: '' }), { state: null, county: null });
    assert.deepEqual(countyOf({ state: 'GULF OF MEXICO', county: 'COZ002 - 004 - 007' }), {
      state: null,
      county: null,
    });
    assert.deepEqual(countyOf({ state: 'TX', county: 'X'.repeat(101) }), { state: 'TX', county: null });
  });

  it('is refused in a fact where it cannot be one', () => {
    assert.equal(countyProblem(no_county), null);
    assert.equal(countyProblem({ state: 'PR', county: 'PONCE', county_fips: null }), null);
    assert.equal(countyProblem({ state: 'OK', county: 'CLEVELAND', county_fips: '40027' }), null);
    assert.match(countyProblem({ ...no_county, state: 'Oklahoma' }) ?? '', /postal code/);
    assert.match(countyProblem({ ...no_county, county: '' }) ?? '', /no name/);
    assert.match(countyProblem({ ...no_county, county: 'X'.repeat(101) }) ?? '', /no name/);
    assert.match(countyProblem({ ...no_county, county_fips: '4027' }) ?? '', /five digits/);
  });
});
