import { observeExport } from '../../../services/feeds/cocorahs/observe.ts';
import { reportDay } from '../../../services/feeds/spc/days.ts';
import { observeReports } from '../../../services/feeds/spc/observe.ts';
import { parseReports } from '../../../services/feeds/spc/parse.ts';
import { recording } from '../../support/recorded.ts';
import { judged, provenance } from '../judge.ts';
import type { FuzzTarget } from '../target.ts';

/** The first lines of a recorded file, so that a run is quick. */
const linesOf = (bytes: Buffer, lines: number): Buffer =>
  Buffer.from(`${bytes.toString('latin1').split('\n').slice(0, lines).join('\n')}\n`, 'latin1');

/** Daily files of storm reports: hail alone, and all three kinds in one. */
export const stormReports: FuzzTarget = {
  name: 'spc',
  seeds: () => {
    const all_types = recording('spc', 'today_all_types.snapshot.csv').toString('latin1').split('\n');
    const sections = all_types.filter(
      (line, n) => /^Time,/i.test(line) || /^Time,/i.test(all_types[n - 1] ?? ''),
    );
    return [
      linesOf(recording('spc', '240426_rpts_hail.csv'), 8),
      linesOf(recording('spc', '130520_hail.snapshot_2013-05-21T0358Z.csv'), 8),
      Buffer.from(`${sections.join('\n')}\n`, 'latin1'),
    ];
  },
  run: (bytes) => {
    const day = reportDay(Date.parse('2024-04-26T18:00:00Z'));
    return judged(observeReports(parseReports(bytes), day, provenance));
  },
};

/** Exports of volunteers' hail reports. */
export const volunteerReports: FuzzTarget = {
  name: 'cocorahs',
  seeds: () => [recording('cocorahs', 'hail_export_CO_2026-06-01.csv')],
  run: (bytes) => {
    const days = { from: Date.UTC(2026, 0, 1), until: Date.UTC(2027, 0, 1) };
    return judged(observeExport(bytes, { state: 'CO', days }, (day) => `CO/${day}`, provenance));
  },
};
