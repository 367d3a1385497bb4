import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { eventsAt, type Filters } from '../../../services/hail/event/event.ts';
import { groupObservations } from '../../../services/hail/event/group.ts';
import { link_distance_m, link_gap_ms, linked } from '../../../services/hail/event/link.ts';
import { earth_radius_m } from '../../../services/hail/geo/distance.ts';
import type { Observation } from '../../../services/hail/observation.ts';
import type { CitingPublisher } from '../../../services/hail/publisher.ts';

const noon = Date.parse('2026-08-28T12:00:00Z');
const everywhere: Filters = {
  lat: 29.5,
  lon: -98.5,
  radius_mi: 25,
  from_ms: 0,
  until_ms: Date.parse('2100-01-01T00:00:00Z'),
  min_size_in: 0.75,
};

describe('the link rule', () => {
  it('counts a gap of exactly twenty minutes, and not a millisecond more', () => {
    const first = hail({ began_ms: noon + 1_000 });
    assert.ok(linked(first, hail({ began_ms: noon + 1_000 + link_gap_ms })));
    assert.ok(!linked(first, hail({ began_ms: noon + 1_001 + link_gap_ms })));
  });

  it('measures the gap from the end of a span', () => {
    const long = hail({ began_ms: noon, ended_ms: noon + 3_600_000 });
    assert.ok(linked(long, hail({ began_ms: noon + 3_600_000 + link_gap_ms })));
    assert.ok(linked(long, hail({ began_ms: noon + 60_000 })));
  });

  it('never links across 12Z', () => {
    assert.ok(!linked(hail({ began_ms: noon - 1 }), hail({ began_ms: noon })));
  });

  it('counts five miles, and not a metre more', () => {
    const degrees = (metres: number): number => ((metres / earth_radius_m) * 180) / Math.PI;
    const here = hail({ lat: 0, lon: 0 });
    assert.ok(linked(here, hail({ lat: degrees(link_distance_m - 0.001), lon: 0 })));
    assert.ok(!linked(here, hail({ lat: degrees(link_distance_m + 1), lon: 0 })));
  });
});

describe('groups', () => {
  it('are the connected components, whatever the order', () => {
    const twice = fc.array(anyHail(), { maxLength: 60 }).chain((observations) =>
      fc.tuple(
        fc.constant(observations),
        fc.shuffledSubarray(observations, {
          minLength: observations.length,
          maxLength: observations.length,
        }),
      ),
    );
    fc.assert(
      fc.property(twice, ([observations, shuffled]) => {
        assert.deepEqual(canonical(groupObservations(shuffled)), canonical(bruteForce(observations)));
      }),
      { numRuns: 300 },
    );
  });

  it('hold together across the antimeridian', () => {
    const groups = groupObservations([hail({ lat: 52, lon: 179.99 }), hail({ lat: 52, lon: -179.99 })]);
    assert.equal(groups.length, 1);
  });
});

describe('events', () => {
  it('are led by the largest, then the nearest, then the publisher, then the earliest', () => {
    const order = (observations: Observation[]): string[] =>
      eventsAt(observations, everywhere).flatMap((event) => event.observations.map((each) => each.record_id));
    assert.deepEqual(order([hail({ record_id: 'small' }), hail({ record_id: 'large', size_in: 2 })]), [
      'large',
      'small',
    ]);
    assert.deepEqual(
      order([hail({ record_id: 'far', lat: 29.52 }), hail({ record_id: 'near', lat: 29.51 })]),
      ['near', 'far'],
    );
    assert.deepEqual(
      order([
        hail({ record_id: 'radar', publisher: 'NEXRAD_SWDI' }),
        hail({ record_id: 'grid', publisher: 'MRMS_MESH' }),
        hail({ record_id: 'gauge', publisher: 'COCORAHS' }),
        hail({ record_id: 'report', publisher: 'NOAA_SED', began_ms: noon + 60_000 }),
      ]),
      ['report', 'gauge', 'grid', 'radar'],
    );
    assert.deepEqual(
      order([
        hail({ record_id: 'a', began_ms: noon + 1 }),
        hail({ record_id: 'b' }),
        hail({ record_id: 'c' }),
      ]),
      ['b', 'c', 'a'],
    );
  });

  it('come oldest first, ties by the lead record id as text', () => {
    const far = { lat: 29.8, lon: -98.5 };
    const ids = eventsAt(
      [
        hail({ record_id: '9' }),
        hail({ record_id: '10', ...far }),
        hail({ record_id: '1', began_ms: noon - 1 }),
      ],
      everywhere,
    ).map((event) => event.lead.record_id);
    assert.deepEqual(ids, ['1', '10', '9']);
  });

  it('are made of what passes the filters: a bridge that is too small joins nothing', () => {
    const chain = [hail({ lat: 29.5 }), hail({ lat: 29.55, size_in: 0.5 }), hail({ lat: 29.6 })];
    assert.equal(eventsAt(chain, everywhere).length, 2);
    assert.equal(eventsAt(chain, { ...everywhere, min_size_in: 0.5 }).length, 1);
  });

  it('take the radius inclusive and the window half open', () => {
    const at = hail({ began_ms: noon });
    assert.equal(eventsAt([at], { ...everywhere, from_ms: noon, until_ms: noon + 1 }).length, 1);
    assert.equal(eventsAt([at], { ...everywhere, from_ms: noon + 1 }).length, 0);
    assert.equal(eventsAt([at], { ...everywhere, until_ms: noon }).length, 0);
    assert.equal(eventsAt([at], { ...everywhere, radius_mi: 1e-9 }).length, 1);
  });

  it('of several CoCoRaHS reports with one id keep the largest, then the earliest', () => {
    const report = { publisher: 'COCORAHS' as const, record_id: 'CO-LR-610/2026-06-01' };
    const [event] = eventsAt(
      [
        hail({ ...report, record_key: 'a', size_in: 1 }),
        hail({ ...report, record_key: 'b', size_in: 1.5, began_ms: noon + 2 }),
        hail({ ...report, record_key: 'c', size_in: 1.5, began_ms: noon + 1 }),
      ],
      everywhere,
    );
    assert.deepEqual(
      event?.observations.map((each) => each.record_key),
      ['c'],
    );
  });

  it('cite every observation that passes exactly once', () => {
    fc.assert(
      fc.property(fc.array(anyHail(), { maxLength: 50 }), (observations) => {
        const cited = eventsAt(observations, everywhere).flatMap((event) =>
          event.observations.map((each) => each.record_key),
        );
        assert.equal(new Set(cited).size, cited.length);
        const passing = observations.filter((each) => eventsAt([each], everywhere).length === 1);
        assert.equal(cited.length, passing.length);
      }),
      { numRuns: 200 },
    );
  });
});

let serial = 0;

function hail(parts: Partial<Observation> = {}): Observation {
  const began_ms = parts.began_ms ?? noon;
  serial += 1;
  return {
    publisher: 'NOAA_SED',
    record_key: String(serial),
    record_id: String(serial),
    began_ms,
    ended_ms: began_ms,
    lat: 29.5,
    lon: -98.5,
    size_in: 1,
    ...parts,
  };
}

function anyHail(): fc.Arbitrary<Observation> {
  return fc
    .record({
      publisher: fc.constantFrom<CitingPublisher>('NOAA_SED', 'NEXRAD_SWDI', 'MRMS_MESH'),
      minutes: fc.integer({ min: -200, max: 200 }),
      span_min: fc.constantFrom(0, 0, 2, 60),
      lat: fc.integer({ min: 29_300, max: 29_700 }),
      lon: fc.integer({ min: -98_800, max: -98_200 }),
      size: fc.integer({ min: 2, max: 12 }),
    })
    .map(({ publisher, minutes, span_min, lat, lon, size }) =>
      hail({
        publisher,
        began_ms: noon + minutes * 60_000,
        ended_ms: noon + (minutes + span_min) * 60_000,
        lat: lat / 1_000,
        lon: lon / 1_000,
        size_in: size / 4,
      }),
    );
}

/** Connected components by repeated merging over all pairs. */
function bruteForce(observations: readonly Observation[]): Observation[][] {
  let groups = observations.map((observation) => [observation]);
  for (;;) {
    const next: Observation[][] = [];
    for (const group of groups) {
      const joined = next.find((other) => other.some((a) => group.some((b) => linked(a, b))));
      if (joined === undefined) next.push([...group]);
      else joined.push(...group);
    }
    if (next.length === groups.length) return next;
    groups = next;
  }
}

function canonical(groups: readonly (readonly Observation[])[]): string[] {
  return groups
    .map((group) =>
      group
        .map((each) => each.record_key)
        .sort()
        .join(' '),
    )
    .sort();
}
