import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { describe, it } from 'node:test';
import { pino } from 'pino';
import { createBreaker } from '../../../services/api/geocoder/breaker.ts';
import { createGeocodeCache } from '../../../services/api/geocoder/cache.ts';
import { createGeocoderChain } from '../../../services/api/geocoder/chain.ts';
import { observedGeocoder } from '../../../services/api/geocoder/observed.ts';
import type { GeocoderObserver } from '../../../services/api/observer.ts';
import type { Geocode, Geocoder } from '../../../services/api/ports.ts';
import type { LogOutput } from '../../../services/runtime/log-output.ts';

const forever = new AbortController().signal;
const unavailable: Geocode = { outcome: 'unavailable' };
const no_match: Geocode = { outcome: 'no_match' };
const another_house: Geocode = { outcome: 'candidates', candidates: ['12 OAK ST'] };
const several: Geocode = { outcome: 'candidates', candidates: ['10 OAK ST, HERE', '10 OAK ST, THERE'] };
const match: Geocode = { outcome: 'match', resolved_address: 'R', lat: 30, lon: -98, corrections: [] };

function quiet(): { output: LogOutput; lines: () => string } {
  let lines = '';
  const sink = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      lines += chunk.toString('utf8');
      done();
    },
  });
  return { output: pino({ base: null }, sink), lines: () => lines };
}

describe('the breaker of a geocoder', () => {
  const address = '100 Planted Secret Rd, Austin, TX';
  function over(open_ms = 1_000): {
    locate: (signal?: AbortSignal) => Promise<Geocode>;
    asked: () => number;
    answer: (by: () => Promise<Geocode>) => void;
    turn: (span_ms: number) => void;
    lines: () => string;
    /** What the metric hook was told, changes alone. */
    told: boolean[];
  } {
    const { output, lines } = quiet();
    const told: boolean[] = [];
    const onState = (is_open: boolean): void => {
      if (told.at(-1) !== is_open) told.push(is_open);
    };
    let [now_ms, asked] = [0, 0];
    let by: () => Promise<Geocode> = () => Promise.resolve(unavailable);
    const geocoder: Geocoder = {
      locate: () => {
        asked += 1;
        return by();
      },
    };
    const breaker = createBreaker(
      { geocoder, clock: () => now_ms, output, onState },
      { name: 'census', patience_ms: 60_000, failures: 3, open_ms },
    );
    return {
      locate: (signal = forever) => breaker.locate(address, signal),
      asked: () => asked,
      answer: (next) => {
        by = next;
      },
      turn: (span_ms) => {
        now_ms += span_ms;
      },
      lines,
      told,
    };
  }

  it('opens after failures in a row, and then asks nobody', async () => {
    const breaker = over();
    for (let time = 0; time < 10; time += 1) assert.deepEqual(await breaker.locate(), unavailable);
    assert.equal(breaker.asked(), 3);
  });

  it('does not open while an answer comes between failures, "no match" being one', async () => {
    const breaker = over();
    for (let time = 0; time < 4; time += 1) {
      breaker.answer(() => Promise.resolve(unavailable));
      await breaker.locate();
      await breaker.locate();
      breaker.answer(() => Promise.resolve(no_match));
      assert.deepEqual(await breaker.locate(), no_match);
    }
    assert.equal(breaker.asked(), 12);
  });

  it('lets one question try after a while, and closes or stays open by what comes of it', async () => {
    const breaker = over();
    for (let time = 0; time < 3; time += 1) await breaker.locate();
    breaker.turn(1_000);
    const probe = Promise.withResolvers<Geocode>();
    breaker.answer(() => probe.promise);
    const trying = breaker.locate();
    assert.deepEqual(await breaker.locate(), unavailable);
    assert.equal(breaker.asked(), 4);
    probe.resolve(unavailable);
    await trying;
    assert.deepEqual(await breaker.locate(), unavailable);
    assert.equal(breaker.asked(), 4);

    breaker.turn(1_000);
    breaker.answer(() => Promise.resolve(match));
    assert.deepEqual(await breaker.locate(), match);
    assert.deepEqual(await breaker.locate(), match);
    assert.equal(breaker.asked(), 6);
    assert.deepEqual(breaker.told, [false, true, false]);
    const said = breaker.lines().trim().split('\n');
    assert.equal(said.length, 2);
    assert.equal(breaker.lines().includes('Planted'), false);
  });

  it('tries again where the question that tried ended in an error', async () => {
    const breaker = over();
    for (let time = 0; time < 3; time += 1) await breaker.locate();
    breaker.turn(1_000);
    breaker.answer(() => Promise.reject(new Error('ours')));
    await assert.rejects(breaker.locate());
    breaker.answer(() => Promise.resolve(match));
    assert.deepEqual(await breaker.locate(), match);
  });

  it('counts no question whose asker has gone', async () => {
    const breaker = over();
    const gone = AbortSignal.abort();
    for (let time = 0; time < 10; time += 1) await breaker.locate(gone);
    assert.equal(breaker.asked(), 10);
  });
});

describe('geocoders in their order', () => {
  const cases: [answers: Geocode[], expected: Geocode, asked: number][] = [
    [[match, no_match], match, 1],
    [[no_match, match], match, 2],
    [[unavailable, match], match, 2],
    [[another_house, match], match, 2],
    [[several, match], several, 1],
    [[no_match, no_match], no_match, 2],
    [[no_match, another_house], another_house, 2],
    [[another_house, no_match], another_house, 2],
    [[unavailable, no_match], unavailable, 2],
    [[no_match, unavailable], unavailable, 2],
    [[unavailable, another_house], unavailable, 2],
    [[unavailable, several], several, 2],
    [[unavailable], unavailable, 1],
  ];
  for (const [answers, expected, times] of cases) {
    it(`${answers.map(({ outcome }) => outcome).join(', ')}: ${expected.outcome}, ${times} asked`, async () => {
      let asked = 0;
      const chain = createGeocoderChain(
        answers.map((answer) => ({
          locate: () => {
            asked += 1;
            return Promise.resolve(answer);
          },
        })),
      );
      assert.deepEqual(await chain.locate('10 Oak St', forever), expected);
      assert.equal(asked, times);
    });
  }
});

describe('what is told of a geocoder', () => {
  const address = '100 Planted Secret Rd, Austin, TX';
  const heard: unknown[] = [];
  const observer: GeocoderObserver = {
    asked: ({ geocoder, outcome, duration_ms }) => heard.push([geocoder, outcome, duration_ms >= 0]),
    breaker: () => undefined,
    cache: (result) => heard.push(result),
  };
  const outcomeOf = async (answer: () => Promise<Geocode>, signal = forever): Promise<unknown[]> => {
    heard.length = 0;
    await observedGeocoder({ locate: answer }, 'census', observer)
      .locate(address, signal)
      .catch(() => undefined);
    return [...heard];
  };

  it('is how each question ended, and never the address', async () => {
    assert.deepEqual(await outcomeOf(() => Promise.resolve(match)), [['census', 'match', true]]);
    assert.deepEqual(await outcomeOf(() => Promise.resolve(several)), [['census', 'candidates', true]]);
    assert.deepEqual(await outcomeOf(() => Promise.resolve(unavailable)), [['census', 'unavailable', true]]);
    assert.deepEqual(await outcomeOf(() => Promise.reject(new Error('ours'))), [['census', 'error', true]]);
    assert.equal(JSON.stringify(heard).includes('Planted'), false);
  });

  it('tells an asker who has gone from a geocoder that took too long', async () => {
    const gone = AbortSignal.abort();
    const late = AbortSignal.abort(new DOMException('late', 'TimeoutError'));
    assert.deepEqual(await outcomeOf(() => Promise.resolve(unavailable), gone), [
      ['census', 'given_up', true],
    ]);
    assert.deepEqual(await outcomeOf(() => Promise.resolve(unavailable), late), [
      ['census', 'unavailable', true],
    ]);
  });

  it('is whether an address was remembered', async () => {
    heard.length = 0;
    const cache = createGeocodeCache(
      { geocoder: { locate: () => Promise.resolve(match) }, clock: () => 0, onLook: observer.cache },
      { entries: 10, edition: 'test' },
    );
    await cache.locate(address, forever);
    await cache.locate(address.toLowerCase(), forever);
    assert.deepEqual(heard, ['miss', 'hit']);
  });
});
