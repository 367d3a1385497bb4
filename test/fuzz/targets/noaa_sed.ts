import { gunzipSync, gzipSync } from 'node:zlib';
import { parseListing } from '../../../services/feeds/noaa_sed/listing.ts';
import { hailOf, periodOf } from '../../../services/feeds/noaa_sed/year.ts';
import type { Draft } from '../../../services/feeds/kinds/points.ts';
import { recordedYear } from '../../support/recorded.ts';
import { judged, provenance } from '../judge.ts';
import type { FuzzTarget } from '../target.ts';

/** The header and a few whole rows of a recorded year: those that `holds` picks, short ones first, so that a run is quick. */
function slice(
  year: number,
  stamp: string,
  rows: number,
  holds: (line: string) => boolean = () => true,
): Buffer {
  const [header = '', ...lines] = gunzipSync(recordedYear(year, stamp).bytes).toString('latin1').split('\n');
  const picked = lines
    .filter((line) => line !== '' && holds(line))
    .sort((a, b) => a.length - b.length)
    .slice(0, rows);
  return Buffer.from(`${[header, ...picked].join('\n')}\n`, 'latin1');
}

const isHail = (line: string): boolean => /,"Hail",/.test(line);

/** Details files: mostly their text, sometimes the compressed bytes. */
export const stormEventDetails: FuzzTarget = {
  name: 'sed',
  seeds: () => {
    const texts = [
      slice(1955, '20220425', 2),
      slice(1974, '20160223', 2, (line) => line.includes('"UNK"') || isHail(line)),
      slice(1993, '20160223', 2, isHail),
      slice(1995, '20170522', 2, (line) => line.includes('\xb0')),
      slice(1995, '20170522', 2, (line) => isHail(line) && /"(CDT|EDT|MDT|AST|CSt)"/.test(line)),
      slice(2017, '20170616', 2, isHail),
    ];
    return [
      ...texts,
      ...texts,
      ...texts,
      gzipSync(texts[0] ?? Buffer.alloc(0)),
      gzipSync(texts[5] ?? Buffer.alloc(0)),
    ];
  },
  run: async (bytes) => {
    const counts = { rows: 0, cp1252_bytes: 0, newest_event: null };
    const drafts: Draft[] = [];
    for await (const draft of hailOf(bytes, '2017', provenance, counts)) drafts.push(draft);
    const { from, until } = periodOf(2017, '20170616', counts.newest_event);
    const reading = judged(drafts);
    const is_sound = from <= until && until <= Date.UTC(2018, 0, 1) && drafts.length <= counts.rows;
    if (!is_sound) reading.problems.push(`the file speaks for ${from} to ${until} with ${counts.rows} rows`);
    return reading;
  },
};

/** The directory's page, in the two forms that web servers write. */
export const stormEventListing: FuzzTarget = {
  name: 'sed-listing',
  seeds: () => {
    const names = ['d1993_c20160223', 'd1993_c20220425', 'd2017_c20170616'].map(
      (part) => `StormEvents_details-ftp_v1.0_${part}.csv.gz`,
    );
    const cell = (text: string): string => `<td align="right">${text}</td>`;
    const table = names.map(
      (name) => `<tr><td><a href="${name}">${name}</a></td>${cell('2022-04-25 10:03  ')}${cell('533K')}</tr>`,
    );
    const lines = names.map((name) => `<a href="${name}">${name}</a>  25-Apr-2022 10:03  1.3M`);
    return [table, lines].map((rows) => Buffer.from(`<html><body>\n${rows.join('\n')}\n</body></html>\n`));
  },
  run: (bytes) => {
    const files = parseListing(bytes.toString('utf8'));
    const problems = files.flatMap((file, n) => {
      const is_named =
        file.file ===
        `StormEvents_details-ftp_v1.0_d${String(file.year).padStart(4, '0')}_c${file.stamp}.csv.gz`;
      const is_sized = file.bytes === null || (Number.isSafeInteger(file.bytes) && file.bytes >= 0);
      const is_after = n === 0 || file.year > (files[n - 1]?.year ?? 0);
      return is_named && is_sized && is_after ? [] : [`no file of the listing: ${JSON.stringify(file)}`];
    });
    return { records: files.length, problems };
  },
};
