import { countyOf, no_county } from '../../hail/county.ts';
import { isPlace } from '../../hail/geo/place.ts';
import type { Provenance } from '../../hail/observation.ts';
import { max_size_in } from '../../hail/size.ts';
import { compareText } from '../../hail/text-order.ts';
import { day_ms, hour_ms, minute_ms } from '../../hail/time.ts';
import type { Draft } from '../kinds/points.ts';
import type { ReportDay } from './days.ts';
import type { ReportRow } from './parse.ts';

/** Clocks of offices and of this machine may differ by so much; a report later than that has not happened yet. */
const ahead_ms = 15 * minute_ms;

/**
 * The reports of a convective day as facts. Reports have no id, so what they say is their identity: day, time, size, place and name of the
 * place, and a counter where several genuine reports agree in all of these. A report that is moved or re-sized is therefore another
 * record, and the day's file, being the whole truth of the day, withdraws the former one.
 */
export function observeReports(rows: readonly ReportRow[], day: ReportDay, provenance: Provenance): Draft[] {
  const groups = new Map<string, ReportRow[]>();
  for (const row of rows) {
    const content = contentOf(row, day);
    groups.set(content, [...(groups.get(content) ?? []), row]);
  }
  // Files are rewritten with rows inserted among others, so the counter follows what the rows say and not where they stand.
  return [...groups].flatMap(([content, alike]) =>
    alike
      .toSorted((a, b) => compareText(restOf(a), restOf(b)))
      .map((row, n) => observeReport(row, `${content}#${n + 1}`, day, provenance)),
  );
}

/** What identifies a report of a day, apart from the counter. */
export function contentOf(row: ReportRow, day: ReportDay): string {
  const { time, size, lat, lon, location } = row;
  return [day.name, hhmm(time), size, degrees(lat), degrees(lon), location].join('/');
}

/** True when the report's time lies past the instant the file was asked for: it cannot have been reported by then. */
export function isAhead(row: ReportRow, day: ReportDay, asked_at: number): boolean {
  const began_at = instantOf(row.time, day);
  return began_at !== null && began_at > asked_at + ahead_ms;
}

function observeReport(row: ReportRow, record_key: string, day: ReportDay, provenance: Provenance): Draft {
  const began_at = isAhead(row, day, provenance.retrieved_at) ? null : instantOf(row.time, day);
  const place = placeOf(row);
  return {
    publisher: 'SPC_LSR',
    record_key,
    record_id: record_key,
    slice: day.name,
    began_at,
    ended_at: began_at,
    lat: place?.lat ?? null,
    lon: place?.lon ?? null,
    size_in: sizeOf(row.size),
    status: 'preliminary',
    ...no_county,
    ...countyOf(row),
    evidence: {
      sevprob: null,
      prob: null,
      qualifier: null,
      reporter: officeOf(row.comments),
      station: null,
      cell_id: null,
      time_zone: null,
    },
    provenance,
  };
}

/** `1336` lies on the day's own date, `0258` on the next: a file runs from 12Z to 12Z and names no dates. */
function instantOf(time: string, day: ReportDay): number | null {
  const text = hhmm(time);
  if (!/^([01]\d|2[0-3])[0-5]\d$/.test(text)) return null;
  const since_midnight = Number(text.slice(0, 2)) * hour_ms + Number(text.slice(2)) * minute_ms;
  const midnight = day.from - 12 * hour_ms;
  return midnight + since_midnight + (since_midnight < 12 * hour_ms ? day_ms : 0);
}

function hhmm(time: string): string {
  return /^\d{1,3}$/.test(time) ? time.padStart(4, '0') : time;
}

/** Whole hundredths of an inch; 0, `UNK` and anything else is a size nobody knows. */
function sizeOf(size: string): number | null {
  const size_in = /^\d{1,4}$/.test(size) ? Number(size) / 100 : 0;
  return size_in > 0 && size_in <= max_size_in ? size_in : null;
}

function placeOf({ lat, lon }: ReportRow): { lat: number; lon: number } | null {
  const [north, east] = [decimal(lat), decimal(lon)];
  // 0,0 is a filler, not a place of US hail.
  if (north === null || east === null || !isPlace(north, east) || (north === 0 && east === 0)) return null;
  return { lat: north, lon: east };
}

/** The forecast office that relayed the report: the last parenthesis of the comment, which may be all there is. */
function officeOf(comments: string): string | null {
  return /\(([A-Z]{3,4})\)[^()]*$/.exec(comments)?.[1] ?? null;
}

/** One text for one number, however many zeros it is written with, or the key would change with the writing. */
function degrees(text: string): string {
  const value = decimal(text);
  return value === null ? text : String(value);
}

function decimal(text: string): number | null {
  return /^[-+]?(\d+\.?\d*|\.\d+)$/.test(text) ? Number(text) : null;
}

function restOf({ county, state, comments }: ReportRow): string {
  return [county, state, comments].join(',');
}
