import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseExport, type HailRow } from '../../../../services/feeds/cocorahs/parse.ts';
import { PollFailed } from '../../../../services/feeds/poll-failure.ts';
import { dataLines, recordedExport } from '../../../support/recorded-reports.ts';

const recorded = recordedExport();
const [header = '', first = '', second = ''] = recorded.toString('utf8').split('\n');
const read = (text: string | Buffer): HailRow[] => parseExport(Buffer.from(text));
const fails = (text: string | Buffer, reason: string): void =>
  assert.throws(
    () => read(text),
    (error) => error instanceof PollFailed && error.reason === reason,
    reason,
  );

describe('the recorded export', () => {
  it('has two rows of 24 columns, one name twice', () => {
    const names = header.split(',');
    assert.equal(names.length, 24);
    assert.deepEqual([names[14], names[17]], ['MoreRainThanHail', 'MoreRainThanHail']);
    assert.equal(dataLines(recorded).length, 2);
    const rows = read(recorded);
    assert.equal(rows.length, 2);
    // Typed from the file by hand.
    assert.deepEqual(rows[0], {
      observation_date: '2026-06-01',
      observation_time: '01:00 PM',
      entry_date_time: '2026-06-02 07:54 AM',
      station_number: 'CO-BO-435',
      latitude: '40.1404',
      longitude: '-105.149',
      largest_size: '0.750',
      date_time_stamp: '2026-06-02 01:54 PM',
    });
    assert.deepEqual(
      [rows[1]?.station_number, rows[1]?.largest_size, rows[1]?.date_time_stamp],
      ['CO-EP-376', '1.000', '2026-06-01 11:16 PM'],
    );
  });

  it('reads with the line ends of the service too', () => {
    assert.deepEqual(read(recorded.toString('utf8').replaceAll('\n', '\r\n')), read(recorded));
  });

  it('keeps no name of a station', () => {
    assert.ok(!JSON.stringify(read(recorded)).includes('Longmont'));
  });
});

describe('a row', () => {
  const rowOf = (line: string): HailRow | undefined => read(`${header}\r\n${line}\r\n`)[0];

  it('may have commas in the damage, which is not quoted', () => {
    const damage = 'broken skylight, dented gutters, two windows';
    const row = rowOf(first.replace('no damage', damage));
    assert.deepEqual(row, read(recorded)[0]);
    // NOT REAL: the damage above is made up.
    assert.equal(rowOf(second.replace('shredded leaves', ', ,'))?.date_time_stamp, '2026-06-01 11:16 PM');
  });

  it('says nothing where it says NA or is empty', () => {
    assert.equal(rowOf(first.replace(' 0.750,', ' NA,'))?.largest_size, '');
    assert.equal(rowOf(first.replace(' 0.750,', ' ,'))?.largest_size, '');
    assert.equal(rowOf(first.replace(' 0.750,', ','))?.largest_size, '');
  });
});

describe('an answer', () => {
  it('is no reports when it is a header alone', () => {
    assert.deepEqual(read(`${header}\r\n`), []);
    assert.deepEqual(read(header), []);
    assert.deepEqual(read(`\ufeff${header}\r\n`), []);
  });

  it('is none when it is a page or another report', () => {
    fails('<html><body>Runtime Error</body></html>', 'not-the-format');
    fails(header.replace('LargestSize', 'TotalPrecipAmt'), 'not-the-format');
    // With the name that stands twice once only every column after it is another.
    fails(header.replace('MoreRainThanHail,Damage', 'Damage'), 'not-the-format');
    fails(`${header}\r\n${first.slice(0, 60)}\r\n${second}\r\n`, 'not-the-format');
  });

  it('is truncated when it is empty or ends within a row', () => {
    fails('', 'truncated');
    fails('\r\n', 'truncated');
    fails(`${header}\r\n${first.slice(0, 60)}`, 'truncated');
    fails(`${header}\r\n${first.slice(0, -1)}`, 'truncated');
    assert.equal(read(`${header}\r\n${first}`).length, 1);
  });

  it('is refused with a reason or read, whatever its bytes', () => {
    const mutated = fc
      .tuple(fc.nat(900), fc.nat(80), fc.uint8Array({ maxLength: 40 }))
      .map(([at, cut, bytes]) =>
        Buffer.concat([recorded.subarray(0, at), bytes, recorded.subarray(at + cut)]),
      );
    const anything = fc.oneof(
      mutated,
      fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes)),
      fc.string({ unit: 'binary' }).map((text) => Buffer.from(`${header}\r\n${text}`)),
    );
    fc.assert(
      fc.property(anything, (bytes) => {
        try {
          read(bytes);
        } catch (error) {
          assert.ok(error instanceof PollFailed);
        }
      }),
      { numRuns: 500 },
    );
  });
});
