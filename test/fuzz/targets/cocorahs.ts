import { observeExport } from '../../../services/feeds/cocorahs/observe.ts';
import { recordedExport } from '../../support/recorded-reports.ts';
import { judged, provenance } from '../judge.ts';
import type { FuzzTarget } from '../target.ts';

const asked = { state: 'CO', days: { from: Date.UTC(2026, 4, 25), until: Date.UTC(2026, 5, 8) } };

/** Exports of hail reports, with rows and without. */
export const hailReports: FuzzTarget = {
  name: 'cocorahs',
  seeds: () => {
    const text = recordedExport().toString('latin1');
    const [header = '', ...rows] = text.split('\n');
    return [
      recordedExport(),
      Buffer.from(text.replaceAll('\n', '\r\n')),
      Buffer.from(
        [header, ...rows.slice(0, 2), ...rows.slice(0, 2).map((row) => row.replace(' PM,', ' AM,')), ''].join(
          '\n',
        ),
      ),
      Buffer.from(`${header}\r\n`),
    ];
  },
  run: (bytes) => {
    const drafts = observeExport(bytes, asked, () => 'slice', provenance);
    const reading = judged(drafts);
    // A day of observation begins at 04Z on the easternmost clock and ends before 10Z of the next day but one.
    const [first, last] = [asked.days.from + 4 * 3_600_000, asked.days.until + 10 * 3_600_000];
    const outside = drafts.filter(
      ({ began_at }) => began_at !== null && (began_at < first || began_at >= last),
    );
    if (outside.length > 0) reading.problems.push(`${outside.length} reports outside of the days asked for`);
    return reading;
  },
};
