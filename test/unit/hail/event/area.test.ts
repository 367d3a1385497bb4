import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eventsAt, type HailEvent } from '../../../../services/hail/event/event.ts';
import { everywhere, granule, hail, hour, minute, noon } from './made-up.ts';

// A hundredth of a degree of latitude is 0.69 miles, so five miles are a little more than seven rows.
describe('hail areas of a granule', () => {
  it('are chains of cells at most five miles from one another', () => {
    const chain = granule(1, [
      [29.305, -98.505, 250],
      [29.375, -98.505, 260],
      [29.445, -98.505, 270],
    ]);
    assert.deepEqual(leads(chain), [[29.445, -98.505, 1]]);
    const broken = granule(1, [
      [29.305, -98.505, 250],
      [29.385, -98.505, 260],
    ]);
    assert.deepEqual(leads(broken), [
      [29.385, -98.505, 1],
      [29.305, -98.505, 1],
    ]);
  });

  it('are spoken for by the raw tenths of a millimetre, although both sizes are shown alike', () => {
    const cells = granule(1, [
      [29.505, -98.505, 253],
      [29.545, -98.505, 254],
    ]);
    assert.deepEqual(
      cells.map(({ size_in }) => size_in),
      [1, 1],
    );
    assert.deepEqual(leads(cells), [[29.545, -98.505, 1]]);
  });

  it('are spoken for by the nearest of the largest cells, then by the northernmost row, then by the westernmost', () => {
    const at = (cells: [number, number, number][]): (number | undefined)[][] =>
      leads(granule(1, cells), { ...everywhere, lat: 29.5, lon: -98.5 });
    assert.deepEqual(
      at([
        [29.525, -98.505, 260],
        [29.515, -98.505, 260],
      ]),
      [[29.515, -98.505, 1]],
    );
    assert.deepEqual(
      at([
        [29.505, -98.505, 260],
        [29.505, -98.495, 260],
      ]),
      [[29.505, -98.505, 1]],
    );
    // As far to the north as to the south, on one meridian.
    const equator = { ...everywhere, lat: 0, lon: 0 };
    const rows = granule(1, [
      [-0.015, 0, 260],
      [0.015, 0, 260],
    ]);
    assert.deepEqual(leads(rows, equator), [[0.015, 0, 1]]);
  });

  it('are made of cells that pass the filters alone', () => {
    const cells = granule(1, [
      [29.445, -98.505, 300],
      [29.505, -98.505, 188],
      [29.565, -98.505, 300],
    ]);
    // 18.8 mm are 0.74 inches, 19.1 mm are 0.75.
    assert.equal(eventsAt(cells, everywhere).length, 2);
    const bridged = cells.map((cell) =>
      cell.size_tenths_mm === 188 ? { ...cell, size_tenths_mm: 191, size_in: 0.75 } : cell,
    );
    assert.equal(eventsAt(bridged, everywhere).length, 1);
    // The middle cell is the only one within two miles.
    assert.deepEqual(leads(bridged, { ...everywhere, radius_mi: 2 }), [[29.505, -98.505, 1]]);
  });

  it('stand where their speaking cell stands, for linking too', () => {
    const cells = granule(1, [
      [29.505, -98.505, 300],
      [29.505, -98.455, 200],
    ]);
    const report = hail({ began_ms: noon + 30 * minute, lat: 29.505, lon: -98.405, size_in: 0.75 });
    // Three miles from the area's edge, six from where it stands.
    assert.equal(eventsAt([...cells, report], everywhere).length, 2);
    const nearer = { ...report, lon: -98.43 };
    assert.equal(eventsAt([...cells, nearer], everywhere).length, 1);
  });
});

describe('granules in events', () => {
  const two_storms = granule(1, [
    [29.405, -98.505, 300],
    [29.415, -98.505, 250],
    [29.545, -98.505, 400],
  ]);

  it('two storms of one granule are two events that both cite it', () => {
    const events = eventsAt(two_storms, everywhere);
    assert.deepEqual(citations(events), [
      ['MESH_Max_60min/2026-08-28T13:00:00Z'],
      ['MESH_Max_60min/2026-08-28T13:00:00Z'],
    ]);
    assert.deepEqual(
      events.map((event) => [event.lead.size_in, event.members.length]),
      // Both began with the granule and have its id: the larger first.
      [
        [1.57, 1],
        [1.18, 2],
      ],
    );
  });

  it('an event that a report makes of two areas cites the granule once, by the largest', () => {
    const report = hail({ began_ms: noon + 70 * minute, lat: 29.475, lon: -98.505, size_in: 1.25 });
    const events = eventsAt([report, ...two_storms], everywhere);
    assert.deepEqual(citations(events), [['MESH_Max_60min/2026-08-28T13:00:00Z', report.record_id]]);
    assert.deepEqual(
      events.map(({ lead, members }) => [lead.size_in, lead.lat, members.length]),
      [[1.57, 29.545, 4]],
    );
  });

  it('of two areas in one event the raw size decides, though the nearer of the two is shown as large', () => {
    const areas = granule(1, [
      [29.415, -98.505, 254],
      [29.545, -98.505, 253],
    ]);
    const report = hail({ began_ms: noon + 30 * minute, lat: 29.475, lon: -98.505, size_in: 0.75 });
    const [event, ...others] = eventsAt([report, ...areas], { ...everywhere, lat: 29.545, lon: -98.505 });
    assert.equal(others.length, 0);
    assert.equal(event?.lead.lat, 29.415);
  });

  it('consecutive hourly granules of one storm are one event, but not across 12Z', () => {
    const passing = [0, 1, 2, 3].flatMap((hours) =>
      granule(hours, [[29.445 + 0.03 * hours, -98.505, 300 + 10 * hours]]),
    );
    assert.deepEqual(citations(eventsAt(passing, everywhere)), [
      // Began 11:00Z, on the convective day before.
      ['MESH_Max_60min/2026-08-28T12:00:00Z'],
      ['15', '14', '13'].map((hours) => `MESH_Max_60min/2026-08-28T${hours}:00:00Z`),
    ]);
  });

  it('granules an hour apart are two events: forty minutes more than the gap that links', () => {
    const cell: [number, number, number] = [29.505, -98.505, 300];
    assert.equal(eventsAt([...granule(1, [cell]), ...granule(3, [cell])], everywhere).length, 2);
  });

  it('a report up to twenty minutes after the span belongs to the granule', () => {
    const cells = granule(1, [[29.505, -98.505, 300]]);
    const report = (after_ms: number): ReturnType<typeof hail> =>
      hail({ began_ms: noon + hour + after_ms, lat: 29.505, lon: -98.505 });
    assert.equal(eventsAt([...cells, report(20 * minute)], everywhere).length, 1);
    assert.equal(eventsAt([...cells, report(20 * minute + 1)], everywhere).length, 2);
  });

  it('a granule is in a window when its span begins in it', () => {
    const cells = granule(1, [[29.505, -98.505, 300]]);
    assert.equal(eventsAt(cells, { ...everywhere, from_ms: noon, until_ms: noon + 1 }).length, 1);
    assert.equal(eventsAt(cells, { ...everywhere, from_ms: noon + 1 }).length, 0);
  });
});

/** Where the events' leads stand and how large areas were counted: latitude, longitude, how many are cited. */
function leads(observations: ReturnType<typeof granule>, filters = everywhere): (number | undefined)[][] {
  return eventsAt(observations, filters).map(({ lead, observations: { length } }) => [
    lead.lat,
    lead.lon,
    length,
  ]);
}

function citations(events: readonly HailEvent[]): string[][] {
  return events.map((event) => event.observations.map(({ record_id }) => record_id));
}
