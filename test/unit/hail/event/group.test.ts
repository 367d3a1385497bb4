import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { groupObservations } from '../../../../services/hail/event/group.ts';
import { linked } from '../../../../services/hail/event/link.ts';
import type { Observation } from '../../../../services/hail/observation.ts';
import { hail, minute, noon } from './made-up.ts';

describe('groups', () => {
  it('are the connected components, whatever the order', () => {
    const twice = anyHail().chain((observations) =>
      fc.tuple(
        fc.constant(observations),
        fc.shuffledSubarray(observations, { minLength: observations.length }),
      ),
    );
    fc.assert(
      fc.property(twice, ([observations, shuffled]) => {
        assert.deepEqual(canonical(groupObservations(shuffled)), canonical(bruteForce(observations)));
      }),
      { numRuns: 500 },
    );
  });

  it('hold together across the antimeridian', () => {
    const groups = groupObservations([hail({ lat: 52, lon: 179.99 }), hail({ lat: 52, lon: -179.99 })]);
    assert.equal(groups.length, 1);
  });
});

/** Within a few links of a place, which may be any of the globe: nothing else knows of poles or of the antimeridian. NOT REAL. */
function anyHail(): fc.Arbitrary<Observation[]> {
  const one = fc.record({
    north: fc.integer({ min: -250, max: 250 }),
    east: fc.integer({ min: -250, max: 250 }),
    minutes: fc.integer({ min: -200, max: 200 }),
    span_min: fc.constantFrom(0, 0, 2, 60, 1_440),
  });
  return fc
    .tuple(fc.constantFrom([29.5, -98.5], [52, 180], [-89.9, 0], [0, 0]), fc.array(one, { maxLength: 60 }))
    .map(([[lat = 0, lon = 0], all]) =>
      all.map(({ north, east, minutes, span_min }) => {
        const turned = lon + east / 1_000 / Math.cos((lat * Math.PI) / 180);
        return hail({
          began_ms: noon + minutes * minute,
          ended_ms: noon + (minutes + span_min) * minute,
          lat: Math.max(-90, lat + north / 1_000),
          lon: turned > 180 ? turned - 360 : turned,
        });
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
