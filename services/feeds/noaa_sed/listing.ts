import { PollFailed } from '../poll-failure.ts';

/** The newest file of one data year. */
export interface YearFile {
  year: number;
  /** Creation stamp `YYYYMMDD`: of equal width, so text order is date order. */
  stamp: string;
  file: string;
}

const details_file = /StormEvents_details-ftp_v1\.0_d(\d{4})_c(\d{8})\.csv\.gz/g;

/**
 * The newest details file of each data year in a directory listing, ascending by year, in whatever order the page names them: the creation
 * stamp cannot be computed, and the first match may be an old revision. A page without any is a failure, not zero years.
 */
export function parseListing(html: string): YearFile[] {
  const newest = new Map<number, YearFile>();
  for (const [file, year_text = '', stamp = ''] of html.matchAll(details_file)) {
    const year = Number(year_text);
    const known = newest.get(year);
    if (known === undefined || stamp > known.stamp) newest.set(year, { year, stamp, file });
  }
  if (newest.size === 0)
    throw new PollFailed('empty-listing', 'The listing names no details file of any year.');
  return [...newest.values()].sort((a, b) => a.year - b.year);
}
