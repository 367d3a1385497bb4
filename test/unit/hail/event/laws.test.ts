import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { eventsAt, type HailEvent } from '../../../../services/hail/event/event.ts';
import type { Observation } from '../../../../services/hail/observation.ts';
import type { CitingPublisher } from '../../../../services/hail/publisher.ts';
import { everywhere, granule, hail, minute, noon } from './made-up.ts';
import { name, referenceEvents } from './reference.ts';

const numRuns = 300;

describe('the laws of events', () => {
  it('are those of a plain reading of the contract that compares every pair', () => {
    fc.assert(
      fc.property(anyHail(), anyFilters(), (observations, filters) => {
        assert.deepEqual(
          eventsAt(observations, filters).map((event) => ({
            cited: event.observations.map(name),
            members: event.members.map(name).sort(),
          })),
          referenceEvents(observations, filters),
        );
      }),
      { numRuns: 2 * numRuns },
    );
  });

  it('do not know the order in which observations come, nor that one came twice', () => {
    const twice = anyHail().chain((observations) =>
      fc.tuple(
        fc.constant(observations),
        fc.shuffledSubarray(observations, { minLength: observations.length }),
        fc.subarray(observations),
      ),
    );
    fc.assert(
      fc.property(twice, ([observations, shuffled, again]) => {
        const events = eventsAt(observations, everywhere);
        assert.deepEqual(eventsAt(shuffled, everywhere), events);
        assert.deepEqual(eventsAt([...again, ...shuffled], everywhere), events);
      }),
      { numRuns },
    );
  });

  it('put every observation that passes the filters into exactly one event, and none that does not', () => {
    fc.assert(
      fc.property(anyHail(), anyFilters(), (observations, filters) => {
        const members = eventsAt(observations, filters).flatMap((event) => event.members.map(name));
        assert.equal(new Set(members).size, members.length);
        // Alone, it passes or it does not. Of one CoCoRaHS id only one takes part.
        const alone = observations.filter((each) => eventsAt([each], filters).length === 1);
        const ids = alone.flatMap((each) => (each.publisher === 'COCORAHS' ? [each.record_id] : []));
        const others = alone.filter((each) => each.publisher !== 'COCORAHS').map(name);
        assert.deepEqual(members.filter((each) => !each.startsWith('COCORAHS')).sort(), others.sort());
        assert.equal(members.length - others.length, new Set(ids).size);
      }),
      { numRuns },
    );
  });

  it('cite a record at most once in an event; only a granule is cited by two', () => {
    fc.assert(
      fc.property(anyHail(), (observations) => {
        const events = eventsAt(observations, everywhere);
        const citations = events.map((event) =>
          event.observations.map((each) => `${each.publisher} ${each.record_key}`),
        );
        for (const cited of citations) assert.equal(new Set(cited).size, cited.length);
        const points = citations.flat().filter((each) => !each.startsWith('MRMS_MESH'));
        assert.equal(new Set(points).size, points.length);
        // Whatever a member is a part of is cited in its event.
        for (const [index, event] of events.entries()) {
          for (const each of event.members)
            assert.ok(citations[index]?.includes(`${each.publisher} ${each.record_key}`));
        }
      }),
      { numRuns },
    );
  });

  it('never let an event cross 12Z', () => {
    fc.assert(
      fc.property(anyHail(), (observations) => {
        for (const { members } of eventsAt(observations, everywhere)) {
          const days = members.map(({ began_ms }) => Math.floor((began_ms - noon) / 86_400_000));
          assert.equal(new Set(days).size, 1);
        }
      }),
      { numRuns },
    );
  });

  it('never split an event when a record with a new id is added', () => {
    fc.assert(
      fc.property(anyHail(), anyPoint(), (observations, added) => {
        const before = eventsAt(observations, everywhere);
        const after = eventsAt(
          [...observations, { ...added, record_key: 'new', record_id: 'new' }],
          everywhere,
        );
        const now_in = placesOf(after);
        for (const { members } of before) {
          assert.equal(new Set(members.map((each) => now_in.get(name(each)))).size, 1);
        }
      }),
      { numRuns },
    );
  });
});

function placesOf(events: readonly HailEvent[]): Map<string, number> {
  return new Map(events.flatMap(({ members }, index) => members.map((each) => [name(each), index] as const)));
}

/** Up to 30 point records and up to four hourly granules, around noon, within some thirty miles. NOT REAL. */
function anyHail(): fc.Arbitrary<Observation[]> {
  return fc
    .tuple(
      fc.array(anyPoint(), { maxLength: 30 }),
      fc.array(fc.tuple(fc.integer({ min: -1, max: 3 }), anyCells()), { maxLength: 4 }),
    )
    .map(([points, granules]) => [
      ...points,
      // Of two for one stamp the second counts: a granule is issued anew as a whole.
      ...[...new Map(granules)].flatMap(([hours, cells]) => granule(hours, cells)),
    ]);
}

/** Cells of a grid of hundredths of a degree, with centres as MRMS has them; few sizes, so that ties are common. */
function anyCells(): fc.Arbitrary<[number, number, number][]> {
  const cell = fc
    .tuple(
      fc.integer({ min: -40, max: 40 }),
      fc.integer({ min: -40, max: 40 }),
      fc.integer({ min: 187, max: 196 }),
    )
    .map(([row, column, size]): [number, number, number] => [
      (29_505 + 10 * row) / 1_000,
      (-98_505 + 10 * column) / 1_000,
      size,
    ]);
  return fc.uniqueArray(cell, { maxLength: 25, selector: ([lat, lon]) => `${lat} ${lon}` });
}

function anyPoint(): fc.Arbitrary<Observation> {
  return fc
    .record({
      publisher: fc.constantFrom<CitingPublisher>('NOAA_SED', 'NEXRAD_SWDI', 'COCORAHS'),
      minutes: fc.integer({ min: -100, max: 200 }),
      span_min: fc.constantFrom(0, 0, 0, 2, 45),
      lat: fc.integer({ min: 29_100, max: 29_900 }),
      lon: fc.integer({ min: -98_900, max: -98_100 }),
      size: fc.integer({ min: 2, max: 6 }),
      station: fc.integer({ min: 1, max: 3 }),
    })
    .map(({ publisher, minutes, span_min, lat, lon, size, station }) =>
      hail({
        publisher,
        ...(publisher === 'COCORAHS' ? { record_id: `TX-BXR-${station}/2026-08-28` } : {}),
        began_ms: noon + minutes * minute,
        ended_ms: noon + (minutes + span_min) * minute,
        lat: lat / 1_000,
        lon: lon / 1_000,
        size_in: size / 4,
      }),
    );
}

function anyFilters(): fc.Arbitrary<typeof everywhere> {
  return fc
    .record({
      radius_mi: fc.constantFrom(2, 5, 12, 25),
      min_size_in: fc.constantFrom(0, 0.74, 0.75, 0.76, 1),
      from_min: fc.constantFrom(-1_000, -30, 0, 60),
    })
    .map(({ radius_mi, min_size_in, from_min }) => ({
      ...everywhere,
      radius_mi,
      min_size_in,
      from_ms: noon + from_min * minute,
      until_ms: noon + 120 * minute,
    }));
}
