import { parseDay } from '../../hail/time.ts';
import { PollFailed } from '../poll-failure.ts';

/** The newest file of one data year. */
export interface YearFile {
  year: number;
  /** Creation stamp `YYYYMMDD`: of equal width, so text order is date order. */
  stamp: string;
  file: string;
  /** About how large the file is, by the page's rounded size column; null where the page gives none. */
  bytes: number | null;
}

const details_file = /StormEvents_details-ftp_v1\.0_d(\d{4})_c(\d{4})(\d{2})(\d{2})\.csv\.gz/g;
/** A link's text and what stands after it up to the next link: a table's cells, or the columns of plain text. */
const row_of_file =
  /(StormEvents_details-ftp_v1\.0_d\d{4}_c\d{8}\.csv\.gz)\s*<\/a>((?:(?!<a\b)[^\n]){0,300})/gi;
/** `97`, `13K`, `1.3M`: the page's last column that is a number. Times have colons and dates have dashes, so they are none. */
const size = /(?:^|\s)(\d+(?:\.\d+)?)([KMG]?)(?=\s|$)/gi;
const units: Readonly<Record<string, number>> = { K: 1024, M: 1024 ** 2, G: 1024 ** 3 };

/**
 * The newest details file of each data year in a directory listing, ascending by year, in whatever order the page names them: the creation
 * stamp cannot be computed, and the first match may be an old revision. A page without any is a failure, not zero years. A name whose stamp is
 * no day, or lies before its data year, is passed over: as the greatest text it would hide the year's real files for ever.
 */
export function parseListing(html: string): YearFile[] {
  const newest = new Map<number, YearFile>();
  const sizes = sizesOf(html);
  for (const [file, year_text = '', ...stamp_parts] of html.matchAll(details_file)) {
    const year = Number(year_text);
    const stamp = stamp_parts.slice(0, 3).join('');
    if (parseDay(stamp_parts.slice(0, 3).join('-')) === null || stamp < year_text) continue;
    const known = newest.get(year);
    if (known === undefined || stamp > known.stamp) {
      newest.set(year, { year, stamp, file, bytes: sizes.get(file) ?? null });
    }
  }
  if (newest.size === 0)
    throw new PollFailed('empty-listing', 'The listing names no details file of any year.');
  return [...newest.values()].sort((a, b) => a.year - b.year);
}

/** What the page says of each file's size, bytes. For estimates only, so a page of another layout costs nothing but the estimate. */
function sizesOf(html: string): Map<string, number> {
  const sizes = new Map<string, number>();
  for (const [, file = '', row = ''] of html.matchAll(row_of_file)) {
    const columns = row.replace(/<[^>]*>|&nbsp;/g, ' ');
    const last = [...columns.matchAll(size)].at(-1);
    if (last === undefined) continue;
    const [, number = '', unit = ''] = last;
    const bytes = Math.round(Number(number) * (units[unit.toUpperCase()] ?? 1));
    if (Number.isSafeInteger(bytes)) sizes.set(file, bytes);
  }
  return sizes;
}
