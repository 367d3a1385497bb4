import { day_ms, hour_ms, minute_ms, parseDay } from '../../hail/time.ts';

/** Midnight of the calendar day `2026-06-01` or `6/1/2026`, as if it were UTC; null for what the calendar does not have. */
export function readDate(text: string): number | null {
  const [, month, day, year] = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(text) ?? [];
  if (month === undefined || day === undefined || year === undefined) return parseDay(text);
  return parseDay(`${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`);
}

/** Milliseconds since midnight of `01:00 PM`; null for anything but a 12-hour clock's time. 12 AM is midnight, 12 PM is noon. */
export function readTime(text: string): number | null {
  const [, hour, minute, half] = /^(\d{1,2}):(\d{2})\s*([AP]M)$/i.exec(text) ?? [];
  if (hour === undefined || minute === undefined || half === undefined) return null;
  if (Number(hour) < 1 || Number(hour) > 12 || Number(minute) > 59) return null;
  const since_noon_or_midnight = (Number(hour) % 12) * hour_ms + Number(minute) * minute_ms;
  return since_noon_or_midnight + (half.toUpperCase() === 'PM' ? day_ms / 2 : 0);
}

/** `2026-06-02 07:54 AM` as if it were UTC; null for anything else. */
export function readDateTime(text: string): number | null {
  const [, date = '', time = ''] = /^(\S+)\s+(.+)$/.exec(text) ?? [];
  const [day, since_midnight] = [readDate(date), readTime(time)];
  return day === null || since_midnight === null ? null : day + since_midnight;
}
