import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { PollFailed } from '../../../../services/feeds/poll-failure.ts';
import { parseReports, type ReportRow } from '../../../../services/feeds/spc/parse.ts';
import { dataLines, recordedReports, reports_header as header } from '../../../support/recorded-reports.ts';

const read = (text: string | Buffer): ReportRow[] => parseReports(Buffer.from(text));
const fails = (text: string | Buffer, reason: string): void =>
  assert.throws(
    () => read(text),
    (error) => error instanceof PollFailed && error.reason === reason,
    reason,
  );

describe('a recorded file of hail reports', () => {
  for (const [file, reports] of [
    ['130520_hail.snapshot_2013-05-21T0358Z.csv', 99],
    ['130524_hail.snapshot_2013-05-25T1406Z.csv', 36],
    ['240426_rpts_hail.csv', 79],
    ['today_hail.snapshot_2013-05-20T0128Z.csv', 160],
    ['yesterday_hail.snapshot_2013-05-20T1652Z.csv', 196],
  ] as const) {
    it(`${file} has ${reports} reports, each with the fields of its line`, () => {
      const bytes = recordedReports(file);
      const lines = dataLines(bytes);
      const rows = read(bytes);
      assert.equal(lines.length, reports);
      assert.equal(rows.length, reports);
      // The line put together again is the line as it was: nothing is lost and nothing shifted.
      assert.deepEqual(
        rows.map(({ time, size, location, county, state, lat, lon, comments }) =>
          [time, size, location, county, state, lat, lon, comments].join(','),
        ),
        lines,
      );
    });
  }

  it('may have a comma in the comment, which is not quoted', () => {
    const row = read(recordedReports('today_hail.snapshot_2013-05-20T0128Z.csv')).find(
      ({ location, time }) => location === 'ADEL' && time === '2340',
    );
    assert.equal(
      row?.comments,
      'QUARTER SIZED HAIL,ZERO VISIBILITY AND STRONG WIND TAKING DOWN NUMEROUS TREE LIMBS. (DMX)',
    );
  });

  it('of all types has three sections, of which only hail is read', () => {
    const all = recordedReports('today_all_types.snapshot.csv');
    const lines = all.toString('latin1').trimEnd().split('\n');
    const headers = lines.flatMap((line, n) => (line.startsWith('Time,') ? [n] : []));
    // Header lines in the file, found by eye: tornado, wind, hail.
    assert.deepEqual(headers, [0, 22, 143]);
    assert.deepEqual([22 - 0 - 1, 143 - 22 - 1, lines.length - 143 - 1], [21, 120, 160]);
    const rows = read(all);
    assert.equal(rows.length, 160);
    assert.deepEqual(rows, read(recordedReports('today_hail.snapshot_2013-05-20T0128Z.csv')));
  });
});

describe('a file of reports', () => {
  const row = '1336,175,7 E AMSTERDAM,BATES,MO,38.35,-94.46,(EAX)';

  it('is a day without reports when it is a header alone', () => {
    assert.deepEqual(read(`${header}\n`), []);
    assert.deepEqual(read(header), []);
    assert.deepEqual(read(`${header}\r\n\r\n`), []);
  });

  it('reads any line end, in any order of sections, with the older name of the tornado column', () => {
    const text = [
      header,
      row,
      'Time,F-Scale,Location,County,State,Lat,Lon,Comments',
      '2010,EF1,X,Y,KS,37,-97,(ICT)',
    ];
    assert.equal(read(text.join('\r\n')).length, 1);
    assert.equal(read(`${text.slice(2).join('\n')}\n${text.slice(0, 2).join('\n')}\n`).length, 1);
  });

  it('is none when it is a page, another table, or has no hail section', () => {
    fails('<html><body>Service unavailable</body></html>', 'not-the-format');
    fails(`${row}\n`, 'not-the-format');
    fails('Time,Speed,Location,County,State,Lat,Lon,Comments\n', 'not-the-format');
    fails('Time,Magnitude,Location,County,State,Lat,Lon,Comments\n', 'not-the-format');
    fails('Time,Size,County,Location,State,Lat,Lon,Comments\n', 'not-the-format');
    fails(`${header}\n1336,175,AMSTERDAM\n${row}\n`, 'not-the-format');
    fails(`${header}\n${row.replace('AMSTERDAM', 'A'.repeat(101))}\n`, 'not-the-format');
  });

  it('is truncated when it is empty or ends within a row', () => {
    fails('', 'truncated');
    fails(' \n', 'truncated');
    fails(`${header}\n${row.slice(0, 20)}`, 'truncated');
    fails(`${header}\n${row.slice(0, -3)}`, 'truncated');
    assert.equal(read(`${header}\n${row}`).length, 1);
  });

  it('keeps a byte of an older character set as its character', () => {
    const bytes = Buffer.from(`${header}\n${row.replace('AMSTERDAM', 'CA\xd1ON')}\n`, 'latin1');
    assert.equal(read(bytes)[0]?.location, '7 E CAÑON');
  });

  it('is refused with a reason or read, whatever its bytes', () => {
    const mutated = fc
      .tuple(fc.nat(7_000), fc.nat(300), fc.uint8Array({ maxLength: 40 }))
      .map(([at, cut, bytes]) => {
        const file = recordedReports('130520_hail.snapshot_2013-05-21T0358Z.csv');
        return Buffer.concat([file.subarray(0, at), bytes, file.subarray(at + cut)]);
      });
    const anything = fc.oneof(
      mutated,
      fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes)),
      fc.string({ unit: 'binary' }).map((text) => Buffer.from(`${header}\n${text}`)),
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
