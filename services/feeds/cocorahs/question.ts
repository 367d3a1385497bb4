import { createHash } from 'node:crypto';
import { day_ms, formatDay, hour_ms } from '../../hail/time.ts';
import { joinUrl, type FetchedBody } from '../../runtime/http-client.ts';
import type { Days } from '../days.ts';

/** The easternmost clock of the states is so far behind UTC, and the westernmost. */
const nearest_clock_ms = 4 * hour_ms;
const farthest_clock_ms = 10 * hour_ms;

/** A day is past once it has ended on every clock, and two hours more for reports entered right after it. */
export function isPast(day: number, now_ms: number): boolean {
  return day + day_ms + farthest_clock_ms + 2 * hour_ms <= now_ms;
}

/**
 * The export's URL for a state and calendar days of observation, both inclusive there. Times are asked for as the observers wrote them: the
 * id for citing holds the observer's own date, which an export in UTC no longer has.
 */
export function exportUrl(base: string, state: string, { from, until }: Days): string {
  const [first, last] = [from, until - day_ms].map((day) => {
    const [year = '', month = '', date = ''] = formatDay(day).split('-');
    return `${month}/${date}/${year}`;
  });
  return joinUrl(
    base,
    `/export/exportreports.aspx?ReportType=Hail&Format=CSV&State=${state}&ReportDateType=reportdate` +
      `&StartDate=${first}&EndDate=${last}&TimesInGMT=False`,
  );
}

/**
 * The instants that are known once an observer's calendar day was read, such that those of days on end lie end to end. A day begins on the
 * easternmost clock and ends on the westernmost; in between the clocks show two days, and an instant is known once both were read. Of
 * two days that meet, the one read later tells so: `after` and `before` say whether the day before and the next were read.
 */
export function periodOf(
  day: number,
  { after, before }: { after: boolean; before: boolean },
): { from: number; until: number } {
  return {
    from: day + (after ? nearest_clock_ms : farthest_clock_ms),
    until: before ? day + day_ms + farthest_clock_ms : dayEnd(day),
  };
}

/** Until when everything is known once a day and all before it were read: the next day begins on no clock earlier. */
export function dayEnd(day: number): number {
  return day + day_ms + nearest_clock_ms;
}

/** The first day that is not read yet, of what `dayEnd` said of the one before. */
export function dayOfEnd(end_ms: number): number {
  return Math.floor((end_ms - nearest_clock_ms) / day_ms) * day_ms;
}

/**
 * What a question in several documents was answered with, as one document: a line for each with its URL and the SHA-256 of its bytes. A
 * report that is in none of them any more is withdrawn in the name of this list.
 */
export function listOf(documents: readonly { url: string; body: FetchedBody }[]): FetchedBody {
  const lines = documents.map(({ url, body }) => `${body.sha256}  ${url}\n`);
  const bytes = Buffer.from(lines.join(''));
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return {
    status: 200,
    headers: new Headers({ 'Content-Type': 'text/plain' }),
    bytes,
    served: bytes,
    sha256,
  };
}
