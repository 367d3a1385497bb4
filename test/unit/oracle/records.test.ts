import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { hundredths, recordedHail, stormEventsOf } from '../../support/oracle/records.ts';

const columns = [
  'BEGIN_YEARMONTH',
  'BEGIN_DAY',
  'BEGIN_TIME',
  'END_YEARMONTH',
  'END_DAY',
  'END_TIME',
  'EVENT_ID',
  'EVENT_TYPE',
  'CZ_TIMEZONE',
  'MAGNITUDE',
  'BEGIN_LAT',
  'BEGIN_LON',
];

function storms(...rows: string[]): ReturnType<typeof stormEventsOf> {
  return stormEventsOf([columns.join(','), ...rows].join('\n'));
}

describe('the brute-force reading of Storm Events', () => {
  it('moves local standard time to UTC by the number of the label, without daylight saving', () => {
    const [record] = storms('201703,26,1800,201703,26,1805,666206,Hail,CST-6,1.75,34.25,-97.2');
    assert.deepEqual(record, {
      publisher: 'NOAA_SED',
      id: '666206',
      began: Date.UTC(2017, 2, 27, 0, 0),
      ended: Date.UTC(2017, 2, 27, 0, 5),
      lat: 34.25,
      lon: -97.2,
      size: 1.75,
    });
  });

  it('knows old labels in any case, and Guam, which has no sign', () => {
    const at = (zone: string): number | undefined =>
      storms(`199305,1,30,199305,1,30,1,Hail,${zone},1,40,-100`)[0]?.began;
    assert.equal(at('CSt'), Date.UTC(1993, 4, 1, 6, 30));
    assert.equal(at('CDT'), Date.UTC(1993, 4, 1, 5, 30));
    assert.equal(at('GST10'), Date.UTC(1993, 3, 30, 14, 30));
    assert.equal(at('UNK'), undefined);
    assert.equal(at('SCT'), undefined);
  });

  it('leaves out other types, unknown sizes and rows without a place, and ignores an end before the begin', () => {
    const row = (type: string, size: string, lat: string, end = '900'): string =>
      `197405,1,800,197405,1,${end},7,${type},CST,${size},${lat},-98`;
    assert.deepEqual(storms(row('Marine Hail', '1', '35')), []);
    for (const size of ['', '0', '.00', '9.99', 'NA']) assert.deepEqual(storms(row('Hail', size, '35')), []);
    assert.deepEqual(storms(row('Hail', '1', '')), []);
    const [record] = storms(row('Hail', '.75', '35', '700'));
    assert.equal(record?.ended, record?.began);
    assert.equal(record?.size, 0.75);
  });
});

describe('sizes of the brute-force reading', () => {
  it('rounds half up on the decimals as written', () => {
    assert.deepEqual(['1.005', '.125', '2', '1.7', '0.884'].map(hundredths), [1.01, 0.13, 2, 1.7, 0.88]);
  });
});

describe('the recorded hail', () => {
  it('takes the newest file of a year, and the years asked for', (context) => {
    const folder = mkdtempSync(join(tmpdir(), 'hailmark-oracle-'));
    context.after(() => rmSync(folder, { recursive: true }));
    const write = (year: number, stamp: number, size: string): void => {
      const csv = `${columns.join(',')}\n${year}05,1,800,${year}05,1,800,${year},Hail,CST,${size},35,-98\n`;
      writeFileSync(join(folder, `StormEvents_details-ftp_v1.0_d${year}_c${stamp}.csv.gz`), gzipSync(csv));
    };
    write(1974, 20220425, '2');
    write(1974, 20160223, '1');
    write(1975, 20160223, '3');
    const sizes = (years?: number[]): number[] =>
      recordedHail({ folder, ...(years === undefined ? {} : { years }) })
        .filter(({ publisher }) => publisher === 'NOAA_SED')
        .map(({ size }) => size);
    assert.deepEqual(sizes(), [2, 3]);
    assert.deepEqual(sizes([1975]), [3]);
  });

  it('is every hail row of 2017, which all have a place and a size', () => {
    assert.equal(recordedHail({ years: [2017] }).length, 1_184 + 83);
  });

  it('has no place for the hail of 1993, and 83 radar signatures', () => {
    const records = recordedHail({ years: [1993] });
    assert.equal(records.length, 83);
    assert.ok(records.every(({ publisher }) => publisher === 'NEXRAD_SWDI'));
  });
});
