import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compass, miles } from '../../support/oracle/answers.ts';
import { historyAnswer, verifyAnswer } from '../../support/oracle/contract.ts';
import { granuleHail, type OracleRecord } from '../../support/oracle/records.ts';

const minute = 60_000;
const evening = Date.UTC(2017, 2, 27, 0, 0);
/** A hundredth of a degree of latitude is 0.690934 miles on a sphere of 6371.0088 km. */
const step_mi = 0.690934;

function storm(id: string, at: number, lat: number, size: number, lasts = 0): OracleRecord {
  return { publisher: 'NOAA_SED', id, began: at, ended: at + lasts, lat, lon: -97, size };
}

function radar(id: string, at: number, lat: number, size: number): OracleRecord {
  return { publisher: 'NEXRAD_SWDI', id, began: at, ended: at, lat, lon: -97, size };
}

const place = { lat: 35, lon: -97, radius_mi: 5, min_size_in: 0.75 };
const question = { ...place, date_of_loss: '2017-03-27', window_days: 2 };

function idsOf(records: readonly OracleRecord[], asked = question): string[][] {
  const { events } = verifyAnswer(records, asked) as { events: { sources: { record_id: string }[] }[] };
  return events.map(({ sources }) => sources.map(({ record_id }) => record_id));
}

describe('distances and directions by hand', () => {
  it('measures a degree of latitude and of longitude at the equator as a 360th of the circle', () => {
    const degree_mi = (2 * Math.PI * 6371.0088) / 360 / 1.609344;
    assert.ok(Math.abs(miles(35, -97, 36, -97) - degree_mi) < 1e-9);
    assert.ok(Math.abs(miles(0, -97, 0, -98) - degree_mi) < 1e-9);
    assert.ok(Math.abs(miles(35, -97, 35.01, -97) - step_mi) < 1e-6);
  });

  it('names sixteen directions, north where there is none', () => {
    assert.equal(compass(35, -97, 35, -97), 'N');
    assert.equal(compass(0, 0, 0, 1), 'E');
    assert.equal(compass(0, 0, -1, 0), 'S');
    assert.equal(compass(0, 0, 0.001, -0.001), 'NW');
    assert.equal(compass(0, 0, 0.01, 0.0042), 'NNE');
    assert.equal(compass(0, 0, 0.01, -0.0001), 'N');
  });
});

describe('events by hand', () => {
  it('links exactly 20 minutes from the end of one to the start of the other, and not one millisecond more', () => {
    const first = storm('1', evening, 35, 1, 10 * minute);
    assert.deepEqual(idsOf([first, storm('2', evening + 30 * minute, 35, 1)]), [['1', '2']]);
    assert.deepEqual(idsOf([first, storm('2', evening + 30 * minute + 1, 35, 1)]), [['1'], ['2']]);
  });

  it('chains neighbours and never links across noon UTC or more than 5 miles', () => {
    const chain = [-0.06, 0, 0.06].map((offset, at) => storm(String(at), evening, 35 + offset, 1));
    assert.deepEqual(idsOf(chain), [['1', '0', '2']]);
    assert.deepEqual(idsOf(chain.filter(({ id }) => id !== '1')), [['0'], ['2']]);
    const noon = Date.UTC(2017, 2, 27, 12);
    assert.deepEqual(idsOf([storm('1', noon - 1, 35, 1), storm('2', noon, 35, 1)]), [['1'], ['2']]);
  });

  it('leads with the largest, then the nearest, then the ground report, then the earliest, then the id', () => {
    const records = [
      radar('KTLX/2017-03-27T00:00:00Z/A1', evening, 35, 1),
      storm('9', evening + minute, 35, 1),
      storm('30', evening, 35, 1),
      storm('4', evening, 35, 1),
      storm('5', evening, 35.01, 1),
      storm('6', evening, 35.02, 1.5),
    ];
    assert.deepEqual(idsOf(records), [['6', '30', '4', '9', 'KTLX/2017-03-27T00:00:00Z/A1', '5']]);
  });

  it('filters before it groups, bounds included, the end of the window excluded', () => {
    const bridge = storm('bridge', evening + 15 * minute, 35, 0.74);
    const apart = [storm('1', evening, 35, 1), storm('2', evening + 30 * minute, 35, 1)];
    assert.deepEqual(idsOf([...apart, bridge]), [['1'], ['2']]);
    const days = ['2017-03-25T00:00:00.000Z', '2017-03-29T00:00:00.000Z'].map((day) => Date.parse(day));
    const edges = days.flatMap((at, n) => [storm(`${n}a`, at - 1, 35, 1), storm(`${n}b`, at, 35, 1)]);
    assert.deepEqual(idsOf(edges), [['0b'], ['1a']]);
    const at = miles(35, -97, 35.03, -97);
    const rim = [storm('1', evening, 35.03, 1)];
    assert.deepEqual(idsOf(rim, { ...question, radius_mi: at }), [['1']]);
    assert.deepEqual(idsOf(rim, { ...question, radius_mi: at - 1e-9 }), []);
  });
});

describe('granules by hand', () => {
  const id = 'MESH_Max_60min/2017-03-27T01:00:00Z';
  // The hour that ends an hour after the evening; eight rows are more than five miles, seven are not.
  const cell = (row: number, tenths: number, size: number): OracleRecord => ({
    ...{ publisher: 'MRMS_MESH', id, began: evening, ended: evening + 60 * minute },
    ...{ lat: (3_500 + row) / 100, lon: -97, size, tenths },
  });
  const here = { ...question, radius_mi: 25 };
  const told = (records: readonly OracleRecord[]): unknown[] => {
    const { events } = verifyAnswer(records, here) as { events: { size_in: number; distance_mi: number }[] };
    return events.map(({ size_in, distance_mi }) => [size_in, distance_mi]);
  };

  it('chains cells to areas, each spoken for by its raw size', () => {
    const cells = [cell(0, 253, 1), cell(7, 254, 1), cell(14, 252, 0.99), cell(22, 250, 0.98)];
    assert.deepEqual(told(cells), [
      [1, 4.84],
      [0.98, 15.2],
    ]);
    assert.deepEqual(idsOf(cells, here), [[id], [id]]);
  });

  it('cites the granule once where a report joins two of its areas', () => {
    const cells = [cell(0, 253, 1), cell(10, 254, 1)];
    assert.deepEqual(idsOf([...cells, storm('1', evening, 35.05, 0.75)], here), [[id, '1']]);
    assert.deepEqual(told([...cells, storm('1', evening, 35.05, 0.75)]), [[1, 6.91]]);
    // Twenty minutes after the granule's hour, and a millisecond more.
    const late = evening + 80 * minute;
    assert.deepEqual(idsOf([...cells, storm('1', late, 35.05, 0.75)], here), [[id, '1']]);
    assert.equal(idsOf([...cells, storm('1', late + 1, 35.05, 0.75)], here).length, 3);
  });

  it('names the granule as the contract does', () => {
    const { events } = verifyAnswer([cell(0, 254, 1)], here) as { events: { sources: unknown[] }[] };
    assert.deepEqual(events[0]?.sources, [
      {
        publisher: 'MRMS_MESH',
        record_id: id,
        url: 'https://noaa-mrms-pds.s3.amazonaws.com/CONUS/MESH_Max_60min_00.50/20170327/MRMS_MESH_Max_60min_00.50_20170327-010000.grib2.gz',
        detail: { product: 'MESH_Max_60min', timestamp: '2017-03-27T01:00:00Z' },
      },
    ]);
  });

  it('finds three storms in the recorded granule within 25 miles of a place in Iowa', () => {
    const records = granuleHail('MESH', '2026-06-10T21:30:40Z', 2);
    assert.equal(records.length, 895);
    const { events } = verifyAnswer(records, {
      ...{ lat: 40.9, lon: -93.5, radius_mi: 25, min_size_in: 0.75 },
      ...{ date_of_loss: '2026-06-11', window_days: 1 },
    }) as { events: { size_in: number; distance_mi: number }[] };
    assert.deepEqual(
      events.map(({ size_in, distance_mi }) => [size_in, distance_mi]),
      [
        [1.07, 15.44],
        [0.97, 3.93],
        [0.77, 16.98],
      ],
    );
  });
});

describe('reports of observers by hand', () => {
  const report = (at: number, size: number, lat = 35): OracleRecord => ({
    ...{ publisher: 'COCORAHS', id: 'OK-CV-12/2017-03-26', began: at, ended: at, lat, lon: -97, size },
  });

  it('keep the largest of one id, then the earliest, and speak after the national database', () => {
    const records = [report(evening, 1), report(evening + 2 * minute, 1.25), report(evening + minute, 1.25)];
    const { events } = verifyAnswer([...records, storm('1', evening, 35, 1.25)], question) as {
      events: { occurred_at: string; sources: unknown[] }[];
    };
    assert.equal(events.length, 1);
    assert.deepEqual(events[0]?.sources.slice(1), [
      {
        publisher: 'COCORAHS',
        record_id: 'OK-CV-12/2017-03-26',
        detail: { station: 'OK-CV-12', date: '2017-03-26' },
      },
    ]);
    const [alone] = (verifyAnswer(records, question) as { events: { occurred_at: string }[] }).events;
    assert.equal(alone?.occurred_at, '2017-03-27T00:01:00.000Z');
  });
});

describe('answers by hand', () => {
  const records = [
    storm('12', evening, 35.01, 1.25),
    radar('KTLX/2017-03-27T00:04:12Z/A1', evening + 252_000, 35.02, 1),
    storm('13', evening + 86_400_000, 35.02, 0.75),
  ];
  const url = 'https://www.ncei.noaa.gov';

  it('verifies with every field of the contract', () => {
    assert.deepEqual(verifyAnswer(records, { ...question, window_days: 1 }), {
      date_of_loss: '2017-03-27',
      verification: {
        window_days: 1,
        window_start: '2017-03-26T00:00:00.000Z',
        window_end: '2017-03-28T00:00:00.000Z',
        radius_mi: 5,
        min_size_in: 0.75,
        verdict: 'hail_confirmed',
        event_count: 1,
        max_hail_size_in: 1.25,
      },
      events: [
        {
          occurred_at: '2017-03-27T00:00:00.000Z',
          size_in: 1.25,
          distance_mi: 0.69,
          bearing: 'N',
          sources: [
            {
              publisher: 'NOAA_SED',
              record_id: '12',
              url: `${url}/access/storm-events-database/event-details/12`,
            },
            {
              publisher: 'NEXRAD_SWDI',
              record_id: 'KTLX/2017-03-27T00:04:12Z/A1',
              url: `${url}/swdiws/csv/nx3hail/201703270004:201703270005?bbox=-97.010,35.010,-96.990,35.030`,
              detail: { station: 'KTLX', timestamp: '2017-03-27T00:04:12Z', cell_id: 'A1' },
            },
          ],
        },
      ],
    });
    const { verification, events } = verifyAnswer(records, { ...question, date_of_loss: '2016-03-27' });
    assert.deepEqual(events, []);
    assert.partialDeepStrictEqual(verification, {
      verdict: 'no_hail_in_window',
      event_count: 0,
      max_hail_size_in: 0,
    });
  });

  it('keeps the first events of a history and says what it cut; the last day is included', () => {
    const asked = { ...place, since: '2017-03-27', until: '2017-03-28' };
    const all = historyAnswer(records, { ...asked, limit: 500 });
    assert.deepEqual(all['window'], {
      since: '2017-03-27',
      until: '2017-03-28',
      radius_mi: 5,
      min_size_in: 0.75,
    });
    assert.partialDeepStrictEqual(all['events'], { total: 2, returned: 2, truncated: false });
    const cut = historyAnswer(records, { ...asked, limit: 1 })['events'];
    assert.partialDeepStrictEqual(cut, { total: 2, returned: 1, truncated: true });
    const [item, ...others] = (cut as { items: Record<string, unknown>[] }).items;
    assert.deepEqual(others, []);
    assert.deepEqual(Object.keys(item ?? {}), ['occurred_at', 'size_in', 'distance_mi', 'sources']);
    const day_less = historyAnswer(records, { ...asked, until: '2017-03-27', limit: 500 });
    assert.partialDeepStrictEqual(day_less['events'], { total: 1 });
  });
});
