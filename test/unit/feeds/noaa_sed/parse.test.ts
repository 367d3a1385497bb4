import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { beginOf, isHail, observeDetails } from '../../../../services/feeds/noaa_sed/observe.ts';
import { parseDetails, type DetailsRow } from '../../../../services/feeds/noaa_sed/parse.ts';
import { hailOf } from '../../../../services/feeds/noaa_sed/year.ts';
import { PollFailed } from '../../../../services/feeds/poll-failure.ts';
import type { Draft } from '../../../../services/feeds/kinds/points.ts';
import { recordedDetails, recordedYear } from '../../../support/recorded.ts';

const provenance = {
  document_url: 'http://publisher/file',
  retrieved_at: 0,
  document_sha256: '0'.repeat(64),
  publisher_version: null,
};

async function read(bytes: Buffer): Promise<{ rows: DetailsRow[]; hail: Draft[]; cp1252_bytes: number }> {
  const counts = { rows: 0, cp1252_bytes: 0 };
  const rows: DetailsRow[] = [];
  for await (const row of parseDetails(bytes, counts)) rows.push(row);
  assert.equal(counts.rows, rows.length);
  const hail = rows.filter(isHail).map((row) => observeDetails(row, 'year', provenance));
  return { rows, hail, cp1252_bytes: counts.cp1252_bytes };
}

const reasonOf = async (bytes: Buffer): Promise<string> =>
  read(bytes).then(
    () => 'read',
    (error: unknown) => {
      if (error instanceof PollFailed) return error.reason;
      throw error;
    },
  );

// The expected numbers were counted in the files with other tools than the ones under test.
describe('a Storm Events file', () => {
  it('of 2017 has 1,184 hail rows, all with a time, a place and a size', async () => {
    const { rows, hail } = await read(recordedYear(2017, '20170616').bytes);
    assert.equal(rows.length, 8_226);
    assert.equal(hail.length, 1_184);
    assert.ok(
      hail.every(({ began_at, lat, size_in }) => began_at !== null && lat !== null && size_in !== null),
    );
    assert.equal(hail.filter(({ began_at, ended_at }) => (ended_at ?? 0) > (began_at ?? 0)).length, 290);
    assert.equal(hail.filter(({ size_in }) => size_in === 1).length, 505);
  });

  it('gives an event its own numbers, in UTC by the literal offset', async () => {
    const { hail } = await read(recordedYear(2017, '20170616').bytes);
    const event = hail.find(({ record_key }) => record_key === '679888');
    assert.deepEqual(event, {
      publisher: 'NOAA_SED',
      record_key: '679888',
      record_id: '679888',
      slice: 'year',
      began_at: Date.parse('2017-03-12T02:26:00Z'),
      ended_at: Date.parse('2017-03-12T02:31:00Z'),
      lat: 31.42,
      lon: -103.48,
      size_in: 1,
      status: 'final',
      state: 'TX',
      county: 'REEVES',
      county_fips: '48389',
      evidence: {
        sevprob: null,
        prob: null,
        qualifier: null,
        reporter: 'Emergency Manager',
        station: null,
        cell_id: null,
        time_zone: 'CST-6',
      },
      provenance,
    });
  });

  it('of 1993 and 1995 has no place for any hail, and 8 and 117 unknown sizes', async () => {
    for (const [year, stamp, hail_rows, unknown] of [
      [1993, '20220425', 4_215, 8],
      [1995, '20170522', 8_370, 117],
    ] as const) {
      const { hail } = await read(recordedYear(year, stamp).bytes);
      assert.equal(hail.length, hail_rows);
      assert.ok(hail.every(({ lat, lon }) => lat === null && lon === null));
      assert.equal(hail.filter(({ size_in }) => size_in === null).length, unknown);
    }
  });

  it('of 1955 to 1990 has 158 sizes of zero and one of 9.99, all unknown', async () => {
    let unknown = 0;
    for (const [name, bytes] of recordedDetails()) {
      const year = Number(/_d(\d{4})_/.exec(name)?.[1]);
      if (year > 1990 || name.includes('_c2016')) continue;
      unknown += (await read(bytes)).hail.filter(({ size_in }) => size_in === null).length;
    }
    assert.equal(unknown, 159);
  });

  it('ignores an end before the begin: 24 hail rows of 1995', async () => {
    const { rows, hail } = await read(recordedYear(1995, '20170522').bytes);
    assert.ok(hail.every(({ began_at, ended_at }) => began_at === null || (ended_at ?? 0) >= began_at));
    const swapped = rows.filter(isHail).filter((row) => {
      const end = {
        ...row,
        BEGIN_YEARMONTH: row.END_YEARMONTH,
        BEGIN_DAY: row.END_DAY,
        BEGIN_TIME: row.END_TIME,
      };
      return (beginOf(end) ?? 0) < (beginOf(row) ?? 0);
    });
    assert.equal(swapped.length, 24);
  });

  it('is truncated when the compressed data, or its last row, ends early', async () => {
    const { bytes } = recordedYear(1955, '20220425');
    const plain = gunzipSync(bytes);
    assert.equal(await reasonOf(bytes.subarray(0, bytes.length / 2)), 'truncated');
    assert.equal(await reasonOf(bytes.subarray(0, bytes.length - 9)), 'truncated');
    assert.equal(await reasonOf(gzipSync(plain.subarray(0, plain.length - 30))), 'truncated');
    assert.equal(await reasonOf(gzipSync(plain.subarray(0, plain.length - 3))), 'truncated');
    assert.equal(await reasonOf(Buffer.alloc(0)), 'truncated');
  });

  it('is not the format when it is a page, has another header or a row of another length within', async () => {
    const page =
      '<!DOCTYPE html>\n<html lang="en"><head><title>Down, "for" now</title></head>\n<body>\n</body></html>\n';
    assert.equal(await reasonOf(Buffer.from(page)), 'not-the-format');
    assert.equal(await reasonOf(gzipSync(page)), 'not-the-format');
    assert.equal(await reasonOf(Buffer.from('<html>\n<body>Back soon</body>\n</html>\n')), 'not-the-format');
    const lines = gunzipSync(recordedYear(1955, '20220425').bytes).toString('utf8').split('\n');
    const renamed = [lines[0]?.replace('MAGNITUDE,', 'SIZE,'), ...lines.slice(1)].join('\n');
    assert.equal(await reasonOf(gzipSync(renamed)), 'not-the-format');
    const short = [...lines.slice(0, 3), '195509,22,1610', ...lines.slice(3)].join('\n');
    assert.equal(await reasonOf(gzipSync(short)), 'not-the-format');
    const broken = Buffer.from(recordedYear(1955, '20220425').bytes);
    broken.writeUInt32LE(0x12345678, broken.length - 8);
    assert.equal(await reasonOf(broken), 'not-the-format');
  });

  it('is not the format when a column holds more than any ever has: its quotes are out of step', async () => {
    const plain = gunzipSync(recordedYear(1955, '20220425').bytes).toString('latin1');
    const named = (zone: string): Buffer => gzipSync(plain.replace('"CST"', `"${zone}"`));
    assert.equal(await reasonOf(named('C'.repeat(500))), 'read');
    assert.equal(await reasonOf(named('C'.repeat(501))), 'not-the-format');
    // A list of zones in a county's place may be long.
    const listed = (zones: string): Buffer =>
      gzipSync(plain.replace(/"C",(\d+),"[^"]*"/, `"C",$1,"${zones}"`));
    assert.equal(await reasonOf(listed('OKZ001 - 002 '.repeat(200))), 'read');
    assert.equal(await reasonOf(listed('OKZ001 - 002 '.repeat(400))), 'not-the-format');
    const [first_id = ''] = /(?<=,)\d{7,8}(?=,"[A-Z ]+",\d)/.exec(plain) ?? [];
    const hailUnder = async (id: string): Promise<number> => {
      const counts = { rows: 0, cp1252_bytes: 0, newest_event: null };
      const ids: string[] = [];
      for await (const { record_key } of hailOf(
        gzipSync(plain.replace(first_id, id)),
        '1955',
        provenance,
        counts,
      ))
        ids.push(record_key);
      assert.ok(ids.includes(id));
      return ids.length;
    };
    assert.equal(await hailUnder(first_id), 360);
    for (const id of ['', 'x', '9'.repeat(19)]) {
      await assert.rejects(
        hailUnder(id),
        (error) => error instanceof PollFailed && error.reason === 'not-the-format',
        id,
      );
    }
  });

  it('may hold bytes that are no UTF-8: they are read as cp1252 and counted', async () => {
    const plain = gunzipSync(recordedYear(2017, '20170616').bytes).toString('latin1');
    const { hail, cp1252_bytes } = await read(
      gzipSync(Buffer.from(plain.replace('"Emergency Manager"', '"Caf\xe9 \xb0"'), 'latin1')),
    );
    assert.equal(cp1252_bytes, 2);
    assert.equal(hail.length, 1_184);
    assert.equal(hail.filter(({ evidence }) => evidence.reporter === 'Café °').length, 1);
  });

  it('may come already inflated, with a byte order mark', async () => {
    const plain = gunzipSync(recordedYear(1955, '20220425').bytes);
    const { hail } = await read(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), plain]));
    assert.equal(hail.length, 360);
  });
});

describe('what a hail row says', () => {
  const row: DetailsRow = {
    EVENT_ID: '1',
    EVENT_TYPE: 'Hail',
    BEGIN_YEARMONTH: '201703',
    BEGIN_DAY: '26',
    BEGIN_TIME: '30',
    END_YEARMONTH: '201703',
    END_DAY: '26',
    END_TIME: '45',
    CZ_TIMEZONE: 'CST-6',
    MAGNITUDE: '.75',
    SOURCE: '',
    BEGIN_LAT: '34.17',
    BEGIN_LON: '-97.13',
    STATE: 'OKLAHOMA',
    STATE_FIPS: '40',
    CZ_TYPE: 'C',
    CZ_FIPS: '19',
    CZ_NAME: 'CARTER',
  };
  const observe = (change: Partial<DetailsRow>): Draft =>
    observeDetails({ ...row, ...change }, '2017', provenance);

  it('reads times without leading zeros', () => {
    assert.equal(observe({}).began_at, Date.parse('2017-03-26T06:30:00Z'));
    assert.equal(observe({ BEGIN_TIME: '0' }).began_at, Date.parse('2017-03-26T06:00:00Z'));
    assert.equal(
      observe({ BEGIN_TIME: '926', END_TIME: '926' }).began_at,
      Date.parse('2017-03-26T15:26:00Z'),
    );
  });

  it('is filed under a county, with the number of the Census Bureau where the state has one', () => {
    const filed = (change: Partial<DetailsRow>): unknown[] => {
      const { state, county, county_fips } = observe(change);
      return [state, county, county_fips];
    };
    assert.deepEqual(filed({}), ['OK', 'CARTER', '40019']);
    assert.deepEqual(filed({ STATE: 'Kentucky', STATE_FIPS: '21', CZ_FIPS: '7', CZ_NAME: 'Ballard' }), [
      ...['KY', 'BALLARD', '21007'],
    ]);
    // Storm Events count the territories by numbers of their own.
    assert.deepEqual(filed({ STATE: 'PUERTO RICO', STATE_FIPS: '99', CZ_NAME: 'PONCE' }), [
      'PR',
      'PONCE',
      null,
    ]);
    assert.deepEqual(filed({ CZ_NAME: 'OKZ045 - 046' }), ['OK', null, null]);
    assert.deepEqual(filed({ CZ_TYPE: 'Z', CZ_NAME: 'CARTER' }), ['OK', null, null]);
    assert.deepEqual(filed({ CZ_FIPS: '' }), ['OK', 'CARTER', null]);
    assert.deepEqual(filed({ STATE: '', CZ_NAME: '' }), [null, null, null]);
  });

  it('has no time where the label is unknown or the parts are none', () => {
    for (const change of [
      { CZ_TIMEZONE: 'UNK' },
      { CZ_TIMEZONE: '' },
      { BEGIN_TIME: '2460' },
      { BEGIN_TIME: '1275' },
      { BEGIN_TIME: '' },
      { BEGIN_DAY: '32' },
      { BEGIN_YEARMONTH: '201702', BEGIN_DAY: '30' },
      // A calendar that takes 97 for 1997, or a year that no record has, would make a fact that is none.
      { BEGIN_YEARMONTH: '009703' },
      { BEGIN_YEARMONTH: '189912' },
      { BEGIN_YEARMONTH: '701703' },
    ]) {
      const { began_at, ended_at } = observe(change);
      assert.deepEqual([began_at, ended_at], [null, null], JSON.stringify(change));
    }
    assert.equal(observe({ CZ_TIMEZONE: 'UNK' }).evidence.time_zone, 'UNK');
  });

  it('has no size where it is blank, zero or rounds to it, a mark or impossible', () => {
    assert.equal(observe({}).size_in, 0.75);
    for (const MAGNITUDE of ['', '0', '0.00', '9.99', '-1', '13', '.004', 'golf ball', '1e3', 'NaN']) {
      assert.equal(observe({ MAGNITUDE }).size_in, null, MAGNITUDE);
    }
  });

  it('has both coordinates or none', () => {
    for (const change of [
      { BEGIN_LAT: '' },
      { BEGIN_LON: '' },
      { BEGIN_LAT: '0', BEGIN_LON: '0' },
      { BEGIN_LAT: '95' },
      { BEGIN_LON: '-197' },
      { BEGIN_LAT: 'x' },
    ]) {
      const { lat, lon } = observe(change);
      assert.deepEqual([lat, lon], [null, null], JSON.stringify(change));
    }
  });

  it('is hail only under that very name', () => {
    for (const EVENT_TYPE of ['Marine Hail', 'HAIL FLOODING', 'TORNADOES, TSTM WIND, HAIL', '']) {
      assert.equal(isHail({ ...row, EVENT_TYPE }), false);
    }
  });
});
