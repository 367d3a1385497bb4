import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatDay, parseDay } from '../../../services/hail/time.ts';

/** A file of a convective day as it was polled at some time. */
export interface Snapshot {
  taken_ms: number;
  bytes: Buffer;
}

/** Recorded files by convective day (`YYMMDD`), each day's in the order of time. */
export type RecordedDays = ReadonlyMap<string, readonly Snapshot[]>;

/**
 * What was recorded, and when. The file of 2024-04-26 came without its time: it is taken to be from the minute of its last report, 02:33Z,
 * before which it cannot have been written.
 */
const taken: [day: string, at: string, file: string][] = [
  ['130519', '2013-05-20T01:28:00Z', 'today_hail.snapshot_2013-05-20T0128Z.csv'],
  ['130519', '2013-05-20T16:52:00Z', 'yesterday_hail.snapshot_2013-05-20T1652Z.csv'],
  ['130520', '2013-05-21T03:58:00Z', '130520_hail.snapshot_2013-05-21T0358Z.csv'],
  ['130524', '2013-05-25T14:06:00Z', '130524_hail.snapshot_2013-05-25T1406Z.csv'],
  ['240426', '2024-04-27T02:33:00Z', '240426_rpts_hail.csv'],
];

export function readRecordedDays(folder: string): RecordedDays {
  const days = new Map<string, Snapshot[]>();
  for (const [day, at, file] of taken) {
    const snapshot = { taken_ms: Date.parse(at), bytes: readFileSync(join(folder, file)) };
    days.set(day, [...(days.get(day) ?? []), snapshot]);
  }
  return days;
}

/** `130519` for the midnight of 2013-05-19, which names the convective day that begins 12 hours later. */
export function dayName(day: number): string {
  return formatDay(day).slice(2).replaceAll('-', '');
}

/** The midnight that `YYMMDD` names, of the 21st century as the archive begins in 2004; null for a day the calendar does not have. */
export function parseDayName(name: string): number | null {
  return parseDay(`20${name.slice(0, 2)}-${name.slice(2, 4)}-${name.slice(4)}`);
}
