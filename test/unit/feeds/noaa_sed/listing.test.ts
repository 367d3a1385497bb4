import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseListing } from '../../../../services/feeds/noaa_sed/listing.ts';
import { PollFailed } from '../../../../services/feeds/poll-failure.ts';
import { recordedDetails } from '../../../support/recorded.ts';

const page = (names: readonly string[]): string =>
  `<html><body><table>${names.map((name) => `<tr><td><a href="${name}">${name}</a></td></tr>`).join('\n')}</table></body></html>`;

describe('the directory of Storm Events', () => {
  it('gives the greatest creation stamp of each year, in whatever order the page names them', () => {
    const names = [...recordedDetails().keys()];
    for (const order of [names, names.toReversed()]) {
      const files = parseListing(page(order));
      assert.equal(files.length, 39);
      assert.deepEqual(
        files.map(({ year }) => year),
        files.map(({ year }) => year).sort((a, b) => a - b),
      );
      for (const year of [1974, 1992, 1993]) {
        assert.equal(files.find((file) => file.year === year)?.stamp, '20220425');
      }
    }
  });

  it('passes over locations, fatalities and everything else', () => {
    const files = parseListing(
      page([
        'StormEvents_locations-ftp_v1.0_d1993_c20220425.csv.gz',
        'StormEvents_fatalities-ftp_v1.0_d1993_c20230425.csv.gz',
        'Storm-Data-Bulk-csv-Format.pdf',
        'StormEvents_details-ftp_v1.0_d1993_c20220425.csv.gz',
      ]),
    );
    assert.deepEqual(files, [
      {
        year: 1993,
        stamp: '20220425',
        file: 'StormEvents_details-ftp_v1.0_d1993_c20220425.csv.gz',
        bytes: null,
      },
    ]);
  });

  it('gives the sizes that the page states, in the forms that web servers write', () => {
    const name = 'StormEvents_details-ftp_v1.0_d1993_c20220425.csv.gz';
    for (const [row, bytes] of [
      [`<tr><td><a href="${name}">${name}</a></td><td>2022-04-25 10:03  </td><td> 97 </td></tr>`, 97],
      [`<A HREF="${name}">${name}</A>   25-Apr-2022 10:03   533K  \n`, 533 * 1024],
      [`<a href="${name}">${name}</a></td><td>2022-04-25 10:03</td><td>12.7M</td><td>&nbsp;`, 13_316_915],
      [`<a href="${name}">${name}</a></td><td>2022-04-25 10:03</td><td>  - </td>`, null],
      [`<a href="${name}">${name}</a><a href="other">other</a><td>2.0M</td>`, null],
      [`<a href="${name}">${name}</a><td>2022-04-25 10:03</td><td>${'9'.repeat(30)}K</td>`, null],
      [name, null],
    ] as const) {
      assert.deepEqual(
        parseListing(row).map((file) => file.bytes),
        [bytes],
        row,
      );
    }
  });

  it('passes over a stamp that is no day or lies before its data year: it would hide the real file', () => {
    const real = 'StormEvents_details-ftp_v1.0_d1993_c20220425.csv.gz';
    const others = ['_d1993_c20229999', '_d1993_c99999999', '_d2031_c20220425'].map((part) =>
      real.replace('_d1993_c20220425', part),
    );
    assert.deepEqual(
      parseListing(page([...others, real])).map(({ file }) => file),
      [real],
    );
    assert.throws(
      () => parseListing(page(others)),
      (error) => error instanceof PollFailed && error.reason === 'empty-listing',
    );
  });

  it('is a failure without any file, not zero years', () => {
    for (const html of ['', page([]), '<html>We will be back soon</html>']) {
      assert.throws(
        () => parseListing(html),
        (error) => error instanceof PollFailed && error.reason === 'empty-listing',
      );
    }
  });
});
