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

  it('is a failure without any file, not zero years', () => {
    for (const html of ['', page([]), '<html>We will be back soon</html>']) {
      assert.throws(
        () => parseListing(html),
        (error) => error instanceof PollFailed && error.reason === 'empty-listing',
      );
    }
  });
});
