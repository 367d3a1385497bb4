import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { foldToAscii } from '../../../services/api/geocoder/ascii.ts';
import { createGeocodeCache } from '../../../services/api/geocoder/cache.ts';
import { isInUnitedStates } from '../../../services/api/geocoder/us-ground.ts';
import type { Geocode, Geocoder } from '../../../services/api/ports.ts';
import { day_ms } from '../../../services/hail/time.ts';

describe('folding an address to ASCII', () => {
  it('takes marks off letters and writes typographic signs plainly', () => {
    assert.equal(foldToAscii('12 Calle Peña, Española, NM'), '12 Calle Pena, Espanola, NM');
    assert.equal(foldToAscii('5 O\u2019Brien St \u2013 Rear'), "5 O'Brien St - Rear");
    assert.equal(foldToAscii('１２３ Main\u00a0St'), '123 Main St');
  });

  it('gives up on what it cannot fold instead of leaving it out', () => {
    assert.equal(foldToAscii('12 улица Мира, Austin, TX'), null);
    assert.equal(foldToAscii('12 Straße, Austin, TX'), null);
  });
});

describe('the ground of the United States', () => {
  it('holds states and territories, and neither Europe nor swapped coordinates', () => {
    const inside = [
      [29.42, -98.49],
      [61.2, -149.9],
      [52, 173],
      [21.3, -157.9],
      [18.4, -66.1],
      [13.5, 144.8],
      [-14.3, -170.7],
    ] as const;
    for (const [lat, lon] of inside) assert.equal(isInUnitedStates(lat, lon), true, `${lat} ${lon}`);
    const outside = [
      [48.85, 2.35],
      [-98.49, 29.42],
      [19.4, -99.1],
      [0, 0],
      [Number.NaN, -98],
    ] as const;
    for (const [lat, lon] of outside) assert.equal(isInUnitedStates(lat, lon), false, `${lat} ${lon}`);
  });
});

describe('the cache of places', () => {
  const signal = new AbortController().signal;
  const match: Geocode = { outcome: 'match', resolved_address: 'R', lat: 30, lon: -98, corrections: [] };

  function cacheOver(
    answers: Readonly<Record<string, Geocode>>,
    entries = 10,
  ): {
    cache: Geocoder;
    asked: string[];
    turn: (span_ms: number) => void;
  } {
    const asked: string[] = [];
    let now_ms = 0;
    const geocoder: Geocoder = {
      locate: (address) => {
        asked.push(address);
        return Promise.resolve(answers[address] ?? { outcome: 'no_match' });
      },
    };
    return {
      cache: createGeocodeCache({ geocoder, clock: () => now_ms }, { entries, edition: 'test' }),
      asked,
      turn: (span_ms) => {
        now_ms += span_ms;
      },
    };
  }

  it('answers again without asking, whatever the case and spacing', async () => {
    const { cache, asked } = cacheOver({ '1 Main St': match });
    assert.equal(await cache.locate('1 Main St', signal), match);
    assert.equal(await cache.locate('1  MAIN st', signal), match);
    assert.deepEqual(asked, ['1 Main St']);
  });

  it('keeps addresses apart that differ in a sign', async () => {
    const { cache, asked } = cacheOver({ '12 Main St': match });
    assert.equal(await cache.locate('12 Main St', signal), match);
    assert.deepEqual(await cache.locate('1.2 Main St', signal), { outcome: 'no_match' });
    assert.equal(asked.length, 2);
  });

  it('keeps matches for 90 days and everything else for one', async () => {
    const { cache, asked, turn } = cacheOver({ a: match, b: { outcome: 'candidates', candidates: ['x'] } });
    for (const address of ['a', 'b', 'c']) await cache.locate(address, signal);
    turn(day_ms);
    for (const address of ['a', 'b', 'c']) await cache.locate(address, signal);
    assert.deepEqual(asked, ['a', 'b', 'c', 'b', 'c']);
    turn(89 * day_ms);
    await cache.locate('a', signal);
    assert.equal(asked.at(-1), 'a');
    assert.equal(asked.length, 6);
  });

  it('never keeps "unavailable"', async () => {
    const { cache, asked } = cacheOver({ a: { outcome: 'unavailable' } });
    await cache.locate('a', signal);
    await cache.locate('a', signal);
    assert.equal(asked.length, 2);
  });

  it('lets the least recently used go first, and holds nothing with no room', async () => {
    const { cache, asked } = cacheOver({}, 2);
    for (const address of ['a', 'b', 'a', 'c', 'a', 'b']) await cache.locate(address, signal);
    assert.deepEqual(asked, ['a', 'b', 'c', 'b']);
    const none = cacheOver({}, 0);
    await none.cache.locate('a', signal);
    await none.cache.locate('a', signal);
    assert.equal(none.asked.length, 2);
  });
});
