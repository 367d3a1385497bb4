import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hour_ms } from '../../../services/hail/time.ts';

export interface HailRow {
  /** The state that the row was exported for. */
  state: string;
  /** Midnight UTC of the calendar day that ObservationDate names, in the observer's own clock. */
  observed_day: number;
  /** When the row was entered or last changed, UTC. */
  changed_ms: number;
  /** The recorded line. */
  line: string;
  /** The line with its times in UTC. */
  line_in_utc: string;
}

export interface HailExport {
  header: string;
  rows: readonly HailRow[];
}

/** How far UTC is ahead of the observers' clocks in a state during summer time. Nothing else is recorded, so nothing else is known. */
const summer_ahead_ms: Readonly<Record<string, number>> = { CO: 6 * hour_ms };

/** Reads `hail_export_<state>_….csv`; a file of a state whose clock is not known ends the start with an error. */
export function readHailExport(folder: string): HailExport {
  const files = readdirSync(folder).filter((name) => name.endsWith('.csv'));
  let header = '';
  const rows = files.flatMap((file) => {
    const state = /^hail_export_([A-Z]{2})_/.exec(file)?.[1] ?? '';
    const [first = '', ...lines] = readFileSync(join(folder, file), 'utf8').split(/\r?\n/);
    header = first;
    return lines.filter((line) => line !== '').map((line) => hailRow(line, state));
  });
  return { header, rows };
}

function hailRow(line: string, state: string): HailRow {
  const ahead_ms = summer_ahead_ms[state];
  const [date = '', time = '', entered = ''] = line.split(', ');
  const changed_ms = readTime(line.split(', ').at(-1) ?? '');
  const month = new Date(changed_ms).getUTCMonth();
  if (ahead_ms === undefined || month < 3 || month > 9) {
    throw new RangeError(`a recorded hail report of ${state} has a clock that the sandbox does not know`);
  }
  const observed_ms = readTime(`${date} ${time}`);
  const in_utc = writeTime(observed_ms + ahead_ms);
  const shifted = [in_utc.slice(0, 10), in_utc.slice(11), writeTime(readTime(entered) + ahead_ms)];
  return {
    state,
    observed_day: Date.parse(`${date}T00:00:00Z`),
    changed_ms,
    line,
    line_in_utc: [...shifted, ...line.split(', ').slice(3)].join(', '),
  };
}

/** `2026-06-02 01:54 PM` read as if it were UTC. */
function readTime(text: string): number {
  const [, date, hour, minute, half] = /^(\d{4}-\d{2}-\d{2}) (\d{2}):(\d{2}) ([AP]M)$/.exec(text) ?? [];
  const hours = (Number(hour) % 12) + (half === 'PM' ? 12 : 0);
  return Date.parse(`${date}T${String(hours).padStart(2, '0')}:${minute}:00Z`);
}

function writeTime(at_ms: number): string {
  const text = new Date(at_ms).toISOString();
  const hours = Number(text.slice(11, 13));
  const hour = String(hours % 12 === 0 ? 12 : hours % 12).padStart(2, '0');
  return `${text.slice(0, 10)} ${hour}:${text.slice(14, 16)} ${hours < 12 ? 'AM' : 'PM'}`;
}
