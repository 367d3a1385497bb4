import { hour_ms, minute_ms, parseDay } from '../../../services/hail/time.ts';

/** A question to the export, its parameters read. Days are midnights UTC of calendar days. */
export type HailQuestion =
  | { kind: 'days'; first: number; last: number }
  /** What was entered or changed since an instant. */
  | { kind: 'changed'; since_ms: number };

/** The parameters in any case, as the real server takes them; null when dates are missing or none of the calendar. */
export function readQuestion(ask: (name: string) => string): HailQuestion | null {
  if (ask('ReportDateType').toLowerCase() === 'timestamp') {
    const since_ms = readDate(ask('Date'));
    return since_ms === null ? null : { kind: 'changed', since_ms };
  }
  const one = ask('Date');
  const first = readDate(one === '' ? ask('StartDate') : one);
  const last = readDate(one === '' ? ask('EndDate') : one);
  return first === null || last === null ? null : { kind: 'days', first, last };
}

/** `6/1/2026`, `06/01/2026` or `6/1/2026 01:00 PM`, as UTC; null for all else. */
function readDate(text: string): number | null {
  const [, month = '', day = '', year = '', hour = '12', minute = '00', half = 'AM'] =
    /^(\d{1,2})\/(\d{1,2})\/(\d{4})(?: (\d{1,2}):(\d{2}) ([AP]M))?$/i.exec(text) ?? [];
  const midnight = parseDay(`${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`);
  if (midnight === null) return null;
  const hours = (Number(hour) % 12) + (half.toUpperCase() === 'PM' ? 12 : 0);
  return midnight + hours * hour_ms + Number(minute) * minute_ms;
}
