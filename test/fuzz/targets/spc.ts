import { reportDay } from '../../../services/feeds/spc/days.ts';
import { observeReports } from '../../../services/feeds/spc/observe.ts';
import { parseReports } from '../../../services/feeds/spc/parse.ts';
import { recordedReports, reports_header } from '../../support/recorded-reports.ts';
import { judged, provenance } from '../judge.ts';
import type { FuzzTarget } from '../target.ts';

const day = reportDay(Date.parse('2013-05-19T12:00:00Z'));

/** The first lines of a recorded file, and one that holds a comma in its comment. */
function some(file: string): Buffer {
  const lines = recordedReports(file).toString('latin1').split('\n');
  return Buffer.from(
    [...lines.slice(0, 12), ...lines.filter((line) => line.includes(' HAIL,ZERO')), ''].join('\n'),
  );
}

/** The three sections, a few rows of each. */
function sections(): Buffer {
  const lines = recordedReports('today_all_types.snapshot.csv').toString('latin1').split('\n');
  const heads = lines.flatMap((line, n) => (line.startsWith('Time,') ? [n] : []));
  return Buffer.from([...heads.flatMap((n) => lines.slice(n, n + 4)), ''].join('\n'));
}

/** Daily files of storm reports, of hail and of all types. */
export const stormReportFiles: FuzzTarget = {
  name: 'spc',
  seeds: () => [
    some('today_hail.snapshot_2013-05-20T0128Z.csv'),
    some('240426_rpts_hail.csv'),
    sections(),
    Buffer.from(`${reports_header}\n`),
  ],
  run: (bytes) => {
    const drafts = observeReports(parseReports(bytes), day, provenance);
    const reading = judged(drafts);
    const outside = drafts.filter(
      ({ began_at }) => began_at !== null && (began_at < day.from || began_at >= day.until),
    );
    if (outside.length > 0) reading.problems.push(`${outside.length} reports outside of their day`);
    if (new Set(drafts.map(({ record_key }) => record_key)).size < drafts.length) {
      reading.problems.push('two reports under one key');
    }
    return reading;
  },
};
