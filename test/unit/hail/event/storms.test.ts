import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { eventsAt, type HailEvent } from '../../../../services/hail/event/event.ts';
import type { Observation } from '../../../../services/hail/observation.ts';
import { everywhere, hour } from './made-up.ts';
import { name, referenceEvents } from './reference.ts';

const recordings = join(import.meta.dirname, '../../../../infra/sandbox/recordings');

// The expected numbers of this file were worked out by a program that shares nothing with the service, on the recorded files.

describe('the storms of 27 to 29 August 2026 around San Antonio, as the radars recorded them', () => {
  const records = radarRecords('nx3hail_san-antonio-box_2026-08-27_29.reconstructed.csv');

  it('one cell seen by four radars is one event that cites them all, the largest first, then by distance', () => {
    const loss = {
      from_ms: Date.parse('2026-08-29T00:00:00Z'),
      until_ms: Date.parse('2026-08-30T00:00:00Z'),
    };
    const [event, ...others] = eventsAt(records, {
      ...everywhere,
      ...loss,
      lat: 29.42,
      lon: -98.75,
      radius_mi: 5,
    });
    assert.equal(others.length, 0);
    assert.deepEqual(
      event?.observations.map((each) => [each.record_id, each.size_in, miles(each.distance_m)]),
      [
        ['KEWX/2026-08-29T01:09:02Z/C2', 1.5, 0.694],
        ['KDFX/2026-08-29T01:11:19Z/X2', 1.25, 0.971],
        ['KCRP/2026-08-29T01:15:07Z/V4', 1.25, 1.297],
        ['KCRP/2026-08-29T01:08:24Z/V4', 1.25, 1.391],
        ['KGRK/2026-08-29T01:11:52Z/A8', 1, 1.678],
      ],
    );
  });

  it('the three days within 25 miles of downtown are nine events, in the order of their leads', () => {
    const events = eventsAt(records, { ...everywhere, lat: 29.4241, lon: -98.4936, radius_mi: 25 });
    assert.deepEqual(
      events.map(({ lead, observations: { length } }) => [length, lead.record_id, lead.size_in]),
      [
        [3, 'KEWX/2026-08-27T20:53:11Z/Y0', 1.25],
        [7, 'KGRK/2026-08-27T21:04:16Z/N6', 1.75],
        [1, 'KCRP/2026-08-27T23:54:13Z/I0', 0.75],
        [10, 'KEWX/2026-08-28T00:27:45Z/Y1', 1.25],
        [1, 'KEWX/2026-08-28T00:48:52Z/W2', 0.75],
        [2, 'KEWX/2026-08-28T00:55:54Z/Z3', 1.25],
        [5, 'KEWX/2026-08-29T01:09:02Z/C2', 1.5],
        [1, 'KCRP/2026-08-29T01:20:57Z/V2', 0.75],
        [1, 'KDFX/2026-08-29T01:28:50Z/O3', 0.75],
      ],
    );
  });

  it('are grouped as comparing every pair groups them, from every row of the file', () => {
    for (const { lat, lon } of records) {
      for (const radius_mi of [2, 8, 25])
        agree(records, { ...everywhere, lat, lon, radius_mi, min_size_in: 0.5 });
    }
  });
});

describe('the granule of 10 June 2026, 21:30:40Z, read as the last two minutes before its stamp', () => {
  const cells = recordedCells();
  const iowa = { ...everywhere, lat: 40.9, lon: -93.5, radius_mi: 25 };

  it('has three storms within 25 miles of a place in Iowa: three events that all cite it', () => {
    const events = eventsAt(cells, iowa);
    assert.deepEqual(
      events.map(({ lead, observations, members }) => [
        ...observations.map(({ record_id }) => record_id),
        ...[lead.lat, lead.lon, lead.size_tenths_mm, lead.size_in, miles(lead.distance_m), members.length],
      ]),
      [
        ['MESH/2026-06-10T21:30:40Z', 40.915, -93.795, 272, 1.07, 15.439, 20],
        ['MESH/2026-06-10T21:30:40Z', 40.895, -93.425, 247, 0.97, 3.932, 26],
        ['MESH/2026-06-10T21:30:40Z', 40.905, -93.175, 196, 0.77, 16.976, 2],
      ],
    );
  });

  it('shows one storm where the radius holds one, and none of it to those who ask for an inch', () => {
    assert.equal(eventsAt(cells, { ...iowa, radius_mi: 5 }).length, 1);
    assert.deepEqual(eventsAt(cells, { ...iowa, radius_mi: 5, min_size_in: 1 }), []);
  });

  it('is one event with a granule two minutes later, storm by storm, and cites the earlier first where sizes are shown alike', () => {
    // NOT REAL: the same hail again, two minutes later and a tenth of a millimetre smaller.
    const after = cells.map((cell) => ({
      ...cell,
      record_key: 'MESH/2026-06-10T21:32:40Z',
      record_id: 'MESH/2026-06-10T21:32:40Z',
      began_ms: cell.began_ms + hour / 30,
      ended_ms: cell.ended_ms + hour / 30,
      size_tenths_mm: (cell.size_tenths_mm ?? 0) - 1,
    }));
    const ids = (event: HailEvent): string[] => event.observations.map(({ record_id }) => record_id);
    const both = ['MESH/2026-06-10T21:30:40Z', 'MESH/2026-06-10T21:32:40Z'];
    assert.deepEqual(eventsAt([...after, ...cells], iowa).map(ids), [both, both, both]);
  });

  it('is grouped as comparing every pair groups it, wherever it has hail', () => {
    for (const { lat, lon } of cells.filter((_, index) => index % 15 === 0)) {
      for (const min_size_in of [0.5, 0.75, 1])
        agree(cells, { ...everywhere, lat, lon, radius_mi: 25, min_size_in });
    }
  });
});

function agree(observations: readonly Observation[], filters: typeof everywhere): void {
  assert.deepEqual(
    eventsAt(observations, filters).map(({ observations: cited, members }) => ({
      cited: cited.map(name),
      members: members.map(name).sort(),
    })),
    referenceEvents(observations, filters),
  );
}

function miles(metres: number): number {
  return Math.round(metres / 1.609344) / 1_000;
}

/** Columns ZTIME, WSR_ID, CELL_ID, PROB, SEVPROB, MAXSIZE, LAT, LON. */
function radarRecords(file: string): Observation[] {
  const [, ...lines] = readFileSync(join(recordings, 'swdi', file), 'utf8')
    .trim()
    .split(/\r?\n/);
  return lines.map((line) => {
    const [time = '', station = '', cell = '', , , size, lat, lon] = line.split(',');
    const began_ms = Date.parse(time);
    const record_id = `${station}/${time}/${cell}`;
    return {
      publisher: 'NEXRAD_SWDI',
      record_key: record_id,
      record_id,
      began_ms,
      ended_ms: began_ms,
      lat: Number(lat),
      lon: Number(lon),
      size_in: Number(size),
      size_tenths_mm: null,
    };
  });
}

/** The granule's cells of 12.7 mm and more, `[row * 7000 + column, tenths of mm]`; the first centre is 54.995 N 129.995 W. */
function recordedCells(): Observation[] {
  const text = readFileSync(
    join(recordings, 'mrms', 'DERIVED_MESH_20260610-213040_cells-from-12.7mm.json'),
    'utf8',
  );
  const ended_ms = Date.parse('2026-06-10T21:30:40Z');
  return (JSON.parse(text) as { cells: [number, number][] }).cells.map(([index, size_tenths_mm]) => ({
    publisher: 'MRMS_MESH',
    record_key: 'MESH/2026-06-10T21:30:40Z',
    record_id: 'MESH/2026-06-10T21:30:40Z',
    began_ms: ended_ms - 120_000,
    ended_ms,
    lat: (54_995 - 10 * Math.floor(index / 7_000)) / 1_000,
    lon: (-129_995 + 10 * (index % 7_000)) / 1_000,
    size_in: Math.floor((size_tenths_mm * 10) / 25.4 + 0.5) / 100,
    size_tenths_mm,
  }));
}
