import { convectiveDay, day_ms, formatDay, hour_ms } from '../../hail/time.ts';

/** A convective day: from 12:00Z of the calendar day it is named after up to 12:00Z of the next. */
export interface ReportDay {
  /** `2013-05-19`: the slice's name. */
  name: string;
  /** Epoch milliseconds UTC, end exclusive. */
  from: number;
  until: number;
}

const half_day_ms = 12 * hour_ms;

/** The convective day that an instant lies in. */
export function reportDay(at_ms: number): ReportDay {
  const midnight = convectiveDay(at_ms) * day_ms;
  return { name: formatDay(midnight), from: midnight + half_day_ms, until: midnight + half_day_ms + day_ms };
}

/** Every convective day that a stretch of time touches, ascending; the end is exclusive. */
export function reportDays(from: number, until: number): ReportDay[] {
  const days: ReportDay[] = [];
  for (let at = from; at < until; at = reportDay(at).until) days.push(reportDay(at));
  return days;
}

/** The file of a day that is over: `130519_rpts_hail.csv`, the raw one. The filtered file drops reports, and the two are never mixed. */
export function namedFile(day: ReportDay): string {
  return `${day.name.slice(2).replaceAll('-', '')}_rpts_hail.csv`;
}

/** The calendar months of days, `2013-05`, ascending with them. */
export function byMonthName(days: readonly ReportDay[]): Map<string, ReportDay[]> {
  const months = new Map<string, ReportDay[]>();
  for (const day of days) {
    const month = day.name.slice(0, 7);
    months.set(month, [...(months.get(month) ?? []), day]);
  }
  return months;
}
