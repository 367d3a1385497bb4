import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { setAsideReason } from '../../../services/hail/observation.ts';
import {
  independentRows,
  independentTable,
  tally,
  type IndependentRow,
} from '../../support/independent-csv.ts';
import {
  fed,
  instantOf,
  localMoment,
  plain,
  readingOf,
  recorded,
  rowsOf,
  saidByTheFeed,
} from '../../support/independent-storm-events.ts';
import { recordedDetails } from '../../support/recorded.ts';

/**
 * Every number here was stated of the recorded files before (data/README.md and feeds.md of the reference), and is counted again by a reading
 * of its own. What the feed makes of the same bytes must then be that, row by row.
 */

/** The feed says of every hail row of the file what its bytes say, in their order. */
async function agrees(
  year: number,
  stamp: string,
  hail_rows: number,
  rows: number,
): Promise<IndependentRow[]> {
  const { all, hail } = recorded(year, stamp);
  assert.deepEqual([all, hail.length], [rows, hail_rows], `${year} ${stamp}`);
  assert.equal(new Set(hail.map((row) => row('EVENT_ID'))).size, hail.length);
  const feed = await fed(year, stamp);
  assert.equal(feed.rows, rows);
  assert.deepEqual(feed.hail, hail.map(readingOf));
  return hail;
}

const columnOf = (rows: readonly IndependentRow[], column: string): string[] =>
  rows.map((row) => row(column));
const countOf = (rows: readonly IndependentRow[], holds: (row: IndependentRow) => boolean): number =>
  rows.filter(holds).length;

describe('the recorded Storm Events of 2017', () => {
  it('are 8,226 rows, 1,184 of them hail, each read as its bytes say', async () => {
    const hail = await agrees(2017, '20170616', 1_184, 8_226);
    assert.deepEqual(tally(columnOf(hail, 'CZ_TYPE')), { C: 1_184 });
    assert.deepEqual(tally(columnOf(hail, 'MAGNITUDE_TYPE')), { '': 1_184 });
    assert.deepEqual(tally(columnOf(hail, 'DATA_SOURCE')), { CSV: 1_184 });
    assert.deepEqual(tally(columnOf(hail, 'CZ_TIMEZONE')), { 'CST-6': 1_147, 'MST-7': 10, 'PST-8': 27 });
    const ids = columnOf(hail, 'EVENT_ID').map(Number);
    assert.deepEqual([Math.min(...ids), Math.max(...ids)], [666_206, 690_647]);
  });

  it('are UTF-8 with LF ends, 51 columns, and no line break within a field', () => {
    const bytes = plain(2017, '20170616');
    const ends = bytes.reduce((sum, byte) => sum + Number(byte === 0x0a), 0);
    assert.deepEqual([ends, bytes.includes(0x0d)], [8_227, false]);
    assert.equal(
      bytes.reduce((sum, byte) => sum + Number(byte > 0x7f), 0),
      4_083,
    );
    const [header] = independentRows(bytes);
    assert.equal(header?.length, 51);
  });

  it('have sizes heaped on coins and balls, and some that are not severe', async () => {
    const { hail } = recorded(2017, '20170616');
    const sizes = tally(columnOf(hail, 'MAGNITUDE'));
    const stated = {
      '1.00': 505,
      '1.75': 161,
      '0.88': 124,
      '0.75': 121,
      '1.50': 83,
      '1.25': 81,
      '2.00': 38,
      '0.25': 21,
    };
    for (const [size, count] of Object.entries(stated)) assert.equal(sizes[size], count, size);
    const feed = await fed(2017, '20170616');
    for (const [size, count] of Object.entries(stated)) {
      assert.equal(feed.hail.filter(({ size_in }) => size_in === Number(size)).length, count, size);
    }
  });

  it('end later than they begin in 290 rows and elsewhere in 66: the begin is the place', async () => {
    const { hail } = recorded(2017, '20170616');
    assert.equal(
      countOf(hail, (row) => localMoment(row, 'END') > localMoment(row, 'BEGIN')),
      290,
    );
    const longer = (row: IndependentRow): boolean => instantOf(row, 'END') - instantOf(row, 'BEGIN') > 60_000;
    assert.equal(countOf(hail, longer), 212);
    const elsewhere = (row: IndependentRow): boolean =>
      row('BEGIN_LAT') !== row('END_LAT') || row('BEGIN_LON') !== row('END_LON');
    assert.equal(countOf(hail, elsewhere), 66);
    const feed = await fed(2017, '20170616');
    assert.equal(feed.hail.filter(({ began_at, ended_at }) => (ended_at ?? 0) > (began_at ?? 0)).length, 290);
  });

  it('have the places, the damage and the sources that were counted before', () => {
    const { hail } = recorded(2017, '20170616');
    const decimals = (text: string): number => (text.split('.')[1] ?? '').length;
    const places = hail.map((row) =>
      String(Math.max(decimals(row('BEGIN_LAT')), decimals(row('BEGIN_LON')))),
    );
    assert.deepEqual(tally(places), { '1': 10, '2': 900, '3': 9, '4': 265 });
    const damage = tally(columnOf(hail, 'DAMAGE_PROPERTY'));
    assert.deepEqual([damage[''], damage['0.00K'], damage['0.01K']], [125, 928, 13]);
    assert.equal(
      countOf(hail, (row) => Number.parseFloat(row('DAMAGE_PROPERTY')) > 0),
      131,
    );
    const sources = tally(columnOf(hail, 'SOURCE'));
    const stated = {
      ...{ Public: 399, 'Trained Spotter': 254, 'Emergency Manager': 134, 'Amateur Radio': 79 },
      ...{ 'Law Enforcement': 67, 'Broadcast Media': 65, 'Social Media': 53, CoCoRaHS: 7 },
    };
    for (const [source, count] of Object.entries(stated)) assert.equal(sources[source], count, source);
  });

  it('keep local standard time through the change of clocks: Carter County, 26 March, 18:00 CST-6', async () => {
    const { hail } = recorded(2017, '20170616');
    const found = hail.filter(
      (row) =>
        row('CZ_NAME') === 'CARTER' &&
        row('BEGIN_DAY') === '26' &&
        row('BEGIN_TIME') === '1800' &&
        row('BEGIN_YEARMONTH') === '201703',
    );
    const ids = new Set(columnOf(found, 'EVENT_ID'));
    assert.deepEqual(tally(columnOf(found, 'CZ_TIMEZONE')), { 'CST-6': found.length });
    assert.ok(ids.size > 0);
    const feed = await fed(2017, '20170616');
    for (const { began_at } of feed.hail.filter(({ id }) => ids.has(id))) {
      assert.equal(began_at, Date.parse('2017-03-27T00:00:00Z'));
    }
  });
});

describe('the recorded Storm Events of 1955 to 1990', () => {
  it('are 50,627 hail rows of 35 years, each read as its bytes say', async () => {
    const hail: IndependentRow[] = [];
    const years: number[] = [];
    for (const [name, bytes] of recordedDetails()) {
      const year = Number(/_d(\d{4})_c20220425/.exec(name)?.[1]);
      if (!(year <= 1990)) continue;
      years.push(year);
      const rows = rowsOf(gunzipSync(bytes)).hail;
      hail.push(...rows);
      assert.deepEqual((await saidByTheFeed(bytes, String(year))).hail, rows.map(readingOf), name);
    }
    const all_years = Array.from({ length: 36 }, (_, n) => 1955 + n).filter((year) => year !== 1972);
    assert.deepEqual(
      years.sort((a, b) => a - b),
      all_years,
    );
    assert.equal(hail.length, 50_627);
    const ids = columnOf(hail, 'EVENT_ID').map(Number);
    assert.equal(new Set(ids).size, ids.length);
    assert.deepEqual(
      [ids.reduce((a, b) => Math.min(a, b)), ids.reduce((a, b) => Math.max(a, b))],
      [9_975_635, 10_163_122],
    );

    const sizes = tally(columnOf(hail, 'MAGNITUDE'));
    // 158 of no size in the one form of zero that is there, one of the mark; no blank.
    assert.deepEqual(
      [sizes['.00'], sizes['0'], sizes['0.00'], sizes['9.99'], sizes['']],
      [158, undefined, undefined, 1, undefined],
    );
    assert.equal(hail.map(readingOf).filter(({ size_in }) => size_in === null).length, 159);
    // The forms without a zero in front.
    assert.deepEqual(
      [sizes['.75'], sizes['0.75'], sizes['.88'], sizes['2.4']],
      [12_317, undefined, 1_013, 1],
    );

    assert.deepEqual(tally(columnOf(hail, 'CZ_TIMEZONE')), { CST: 50_627 });
    assert.deepEqual(tally(columnOf(hail, 'DATA_SOURCE')), { PUB: 50_627 });
    for (const column of [
      'END_LAT',
      'END_LON',
      'EPISODE_ID',
      'SOURCE',
      'EPISODE_NARRATIVE',
      'EVENT_NARRATIVE',
    ]) {
      assert.deepEqual(tally(columnOf(hail, column)), { '': 50_627 }, column);
    }
    for (const column of ['BEGIN_LAT', 'BEGIN_LON']) {
      assert.equal(
        countOf(hail, (row) => /^-?\d+\.\d\d$/.test(row(column))),
        50_627,
        column,
      );
    }
    // The text date has two digits for the year; who builds times from it has to guess the century.
    assert.ok(hail.every((row) => /^\d{2}-[A-Z]{3}-\d{2} /.test(row('BEGIN_DATE_TIME'))));
  });
});

describe('the recorded Storm Events of 1974, 1992 and 1993, under two creation stamps', () => {
  for (const [year, rows, hail_rows] of [
    [1974, 5_375, 1_656],
    [1992, 13_534, 5_687],
    [1993, 8_664, 4_215],
  ] as const) {
    it(`have ${rows} rows in ${year}, ${hail_rows} of them hail, under either stamp`, async () => {
      for (const stamp of ['20160223', '20220425']) {
        const hail = await agrees(year, stamp, hail_rows, rows);
        if (year !== 1993) assert.deepEqual(tally(columnOf(hail, 'CZ_TIMEZONE')), { CST: hail_rows });
      }
    });
  }

  /** Rows of the same id that differ, with the columns in which they do. */
  function revised(year: number): { row: IndependentRow; before: IndependentRow; columns: string[] }[] {
    const [header = []] = independentRows(plain(year, '20220425'));
    const before = new Map(
      [...independentTable(plain(year, '20160223'))].map((row) => [row('EVENT_ID'), row]),
    );
    const after = [...independentTable(plain(year, '20220425'))];
    assert.equal(before.size, after.length);
    return after.flatMap((row) => {
      const known = before.get(row('EVENT_ID'));
      assert.ok(known !== undefined);
      const columns = header.filter((column) => row(column) !== known(column));
      return columns.length === 0 ? [] : [{ row, before: known, columns }];
    });
  }

  it('differ in 3 tornadoes of 1974: an hour, a zone, a case, more decimals, a blank', () => {
    const changed = revised(1974);
    assert.deepEqual(tally(changed.map(({ row }) => row('EVENT_TYPE'))), { Tornado: 3 });
    for (const { row, before } of changed) {
      assert.deepEqual([before('CZ_TIMEZONE'), row('CZ_TIMEZONE')], ['CST', 'EST']);
      assert.deepEqual([before('STATE'), row('STATE')], ['KENTUCKY', 'Kentucky']);
      assert.deepEqual([before('MAGNITUDE'), row('MAGNITUDE')], ['0', '']);
      assert.equal(Number(row('BEGIN_TIME')) - Number(before('BEGIN_TIME')), 100);
      assert.match(row('BEGIN_LAT'), /\.\d{6}$/);
      assert.deepEqual([before('DATA_SOURCE'), row('DATA_SOURCE')], ['PUB', '']);
    }
  });

  it('differ in one county of 1992', () => {
    assert.deepEqual(
      revised(1992).map(({ columns, row }) => [columns, row('EVENT_TYPE')]),
      [[['CZ_FIPS', 'CZ_NAME'], 'Thunderstorm Wind']],
    );
  });

  it('differ in 8 rows of 1993: begin and end of 7 swapped, 4 of them hail, 3 of those moved by days', async () => {
    const changed = revised(1993);
    assert.equal(changed.length, 8);
    const swapped = changed.filter(
      ({ row, before }) =>
        row('BEGIN_DATE_TIME') !== before('BEGIN_DATE_TIME') &&
        localMoment(row, 'BEGIN') === localMoment(before, 'END') &&
        localMoment(row, 'END') === localMoment(before, 'BEGIN'),
    );
    assert.equal(swapped.length, 7);
    const hail = swapped.filter(({ row }) => row('EVENT_TYPE') === 'Hail');
    const ids = hail.map(({ row }) => row('EVENT_ID')).sort();
    assert.deepEqual(ids, ['10316743', '10332983', '10337490', '10352494']);
    assert.equal(hail.filter(({ row, before }) => row('BEGIN_DAY') !== before('BEGIN_DAY')).length, 3);

    const before = (await fed(1993, '20160223')).hail;
    const after = new Map((await fed(1993, '20220425')).hail.map((said) => [said.id, said]));
    const differing = before.filter((said) => JSON.stringify(said) !== JSON.stringify(after.get(said.id)));
    assert.deepEqual(differing.map(({ id }) => id).sort(), ids);
  });

  it('end before they begin in 4 hail rows of the older 1993, and in none of the newer', () => {
    for (const [stamp, count] of [
      ['20160223', 4],
      ['20220425', 0],
    ] as const) {
      const { hail } = recorded(1993, stamp);
      assert.equal(
        countOf(hail, (row) => localMoment(row, 'END') < localMoment(row, 'BEGIN')),
        count,
        stamp,
      );
    }
  });
});

describe('the recorded Storm Events of 1993 and 1995', () => {
  it('have no place for any hail, only the names of places', async () => {
    for (const [year, stamp, rows, hail_rows, named, unknown] of [
      [1993, '20220425', 8_664, 4_215, 3_899, 8],
      [1995, '20170522', 20_461, 8_370, 8_007, 117],
    ] as const) {
      const hail = await agrees(year, stamp, hail_rows, rows);
      for (const column of ['BEGIN_LAT', 'BEGIN_LON'])
        assert.deepEqual(tally(columnOf(hail, column)), { '': hail_rows });
      assert.equal(
        countOf(hail, (row) => row('BEGIN_LOCATION') !== ''),
        named,
      );
      assert.equal(
        countOf(hail, (row) => Number(row('MAGNITUDE')) === 0),
        unknown,
      );
      const feed = await fed(year, stamp);
      assert.equal(feed.hail.filter(({ size_in }) => size_in === null).length, unknown);
      const set_aside = feed.hail.map(
        ({ began_at, size_in }) => setAsideReason({ began_at, lat: null, lon: null, size_in }) ?? '',
      );
      assert.deepEqual(tally(set_aside), { no_place: hail_rows });
    }
  });

  it('end before they begin in 24 hail rows of 1995', () => {
    const { hail } = recorded(1995, '20170522');
    assert.equal(
      countOf(hail, (row) => localMoment(row, 'END') < localMoment(row, 'BEGIN')),
      24,
    );
  });

  it('have labels without numbers, in summer time too and in mixed case', () => {
    assert.deepEqual(tally(columnOf(recorded(1993, '20220425').hail, 'CZ_TIMEZONE')), {
      ...{ CST: 3_325, CSt: 1, EST: 614, MST: 257, PST: 18 },
    });
    assert.deepEqual(tally(columnOf(recorded(1995, '20170522').hail, 'CZ_TIMEZONE')), {
      ...{ AST: 5, CDT: 232, CST: 6_014, CSt: 1, EDT: 105, EST: 1_334, MDT: 1, MST: 643, PDT: 5, PST: 30 },
    });
    const others = tally([...independentTable(plain(1995, '20170522'))].map((row) => row('CZ_TIMEZONE')));
    assert.deepEqual([others['ESt'], others['SCT'], others['HST']], [2, 1, 1]);
    const of_1974 = tally([...independentTable(plain(1974, '20160223'))].map((row) => row('CZ_TIMEZONE')));
    assert.equal(of_1974['UNK'], 1);
  });

  it('have degree signs in 1995 that are whole UTF-8 in the recorded file: no byte needs mending', async () => {
    const bytes = plain(1995, '20170522');
    assert.deepEqual(tally([...bytes].filter((byte) => byte > 0x7f).map((byte) => byte.toString(16))), {
      b0: 24,
      c2: 24,
    });
    assert.equal((await saidByTheFeed(bytes, '1995')).cp1252_bytes, 0);
  });

  it('have other types with hail in their name that are not hail', () => {
    const typesOf = (year: number, stamp: string): Record<string, number> =>
      tally(
        [...independentTable(plain(year, stamp))]
          .map((row) => row('EVENT_TYPE'))
          .filter((type) => /hail/i.test(type)),
      );
    assert.deepEqual(typesOf(1993, '20220425'), { Hail: 4_215, 'TORNADOES, TSTM WIND, HAIL': 1 });
    assert.deepEqual(typesOf(1995, '20170522'), { Hail: 8_370, 'HAIL FLOODING': 1 });
  });
});
