import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eventBearing, eventItem, findEvents } from '../../../services/api/events.ts';
import type { HailReader } from '../../../services/api/ports.ts';
import type { HailEvent } from '../../../services/hail/event/event.ts';
import type { SightedObservation } from '../../../services/hail/event/sighted.ts';
import type { Observation } from '../../../services/hail/observation.ts';

const at_ms = Date.parse('2026-08-29T01:08:12.000Z');

function observation(overrides: Partial<Observation> = {}): Observation {
  return {
    publisher: 'NEXRAD_SWDI',
    record_key: 'KEWX/2026-08-29T01:08:12Z/G2',
    record_id: 'KEWX/2026-08-29T01:08:12Z/G2',
    began_ms: at_ms,
    ended_ms: at_ms,
    lat: 29.461,
    lon: -98.475,
    size_in: 1.25,
    size_tenths_mm: null,
    ...overrides,
  };
}

function eventOf(...observations: Partial<SightedObservation>[]): HailEvent {
  const sighted = observations.map((each) => ({ ...observation(), distance_m: 1_609.344, ...each }));
  const [lead] = sighted;
  assert.ok(lead);
  return { lead, observations: sighted, members: sighted };
}

describe('an event in an answer', () => {
  it('shows the lead and cites every observation', () => {
    const event = eventOf({}, { publisher: 'NOAA_SED', record_id: '5536', size_in: 1 });
    const item = eventItem(event);
    assert.equal(item.occurred_at, '2026-08-29T01:08:12.000Z');
    assert.equal(item.size_in, 1.25);
    assert.equal(item.distance_mi, 1);
    assert.deepEqual(
      item.sources.map(({ publisher }) => publisher),
      ['NEXRAD_SWDI', 'NOAA_SED'],
    );
    assert.equal('bearing' in item, false);
  });

  it('rounds distances half up', () => {
    assert.equal(eventItem(eventOf({ distance_m: 1.005 * 1_609.344 })).distance_mi, 1.01);
    assert.equal(eventItem(eventOf({ distance_m: 1.00499 * 1_609.344 })).distance_mi, 1);
    assert.equal(eventItem(eventOf({ distance_m: 0 })).distance_mi, 0);
  });

  it('points from the property to the lead', () => {
    assert.equal(eventBearing(eventOf({ lat: 30, lon: -98 }), { lat: 29, lon: -98 }), 'N');
    assert.equal(eventBearing(eventOf({ lat: 29, lon: -99 }), { lat: 29, lon: -98 }), 'W');
    assert.equal(eventBearing(eventOf({ lat: 29, lon: -98 }), { lat: 29, lon: -98 }), 'N');
  });

  it('cites two radar records of one id twice: without a cell id they differ by their place alone', () => {
    const sources = eventItem(eventOf({}, { record_key: 'another', lat: 29.5 })).sources;
    assert.equal(sources.length, 2);
    assert.notEqual(sources[0]?.url, sources[1]?.url);
  });
});

describe('finding events', () => {
  const filters = {
    lat: 29.46,
    lon: -98.47,
    radius_mi: 5,
    from_ms: at_ms,
    until_ms: at_ms + 1,
    min_size_in: 0.75,
  };

  const patience = { signal: new AbortController().signal, deadline_ms: Infinity };

  it('names what the answer stands on', async () => {
    const hail: Pick<HailReader, 'observationsNear'> = {
      observationsNear: () =>
        Promise.resolve({
          observations: [observation(), observation({ began_ms: at_ms + 1 })],
          token: 'v1.abc.1-2',
          coverage: { NOAA_SED: 'partial', NEXRAD_SWDI: 'complete', MRMS_MESH: 'none', COCORAHS: 'none' },
        }),
    };
    const found = await findEvents(hail, filters, patience);
    assert.equal(found.events.length, 1);
    assert.equal(found.events[0]?.observations.length, 1);
    assert.equal(found.headers['X-Data-Position'], 'v1.abc.1-2');
    assert.equal(
      found.headers['X-Data-Coverage'],
      'NOAA_SED=partial, NEXRAD_SWDI=complete, MRMS_MESH=none, COCORAHS=none',
    );
  });

  it('refuses to say "no hail" while nothing was ever read', async () => {
    const hail: HailReader = {
      observationsNear: () => Promise.resolve(null),
      feedsReadThrough: () => Promise.resolve(new Map()),
    };
    await assert.rejects(findEvents(hail, filters, patience), { status: 503, code: 'internal_error' });
  });
});
