import { isUtf8 } from 'node:buffer';
import { PollFailed } from '../poll-failure.ts';

/** The fields of a hail report as the file has them, trimmed. */
export interface ReportRow {
  /** `HHMM` UTC; which calendar date it belongs to only the file's day says. */
  time: string;
  /** Hundredths of an inch. */
  size: string;
  location: string;
  county: string;
  state: string;
  lat: string;
  lon: string;
  /** Free text, unquoted, commas and all; ends with the forecast office in parentheses. */
  comments: string;
}

/** The second column of a section's header tells what its rows are. */
const sections: Readonly<Record<string, 'hail' | 'other'>> = {
  SIZE: 'hail',
  SPEED: 'other',
  F_SCALE: 'other',
  'F-SCALE': 'other',
};
const columns_around_second = 'TIME,LOCATION,COUNTY,STATE,LAT,LON,COMMENTS';
const fields_of_row = 8;
/** No place, county or number is as long; a field that is comes of a broken file, and would become a record's key. */
const most_characters = 100;

/**
 * The hail reports of a daily file, in the file's order. A file is one section or several, one after another, each with a header of its own;
 * rows of tornado and wind sections are passed over. A header alone is a day without reports. A page with status 200, a file without a hail
 * section and a row of another shape are `not-the-format`; an empty or cut file is `truncated`.
 */
export function parseReports(bytes: Buffer): ReportRow[] {
  const text = textOf(bytes);
  if (text.trim() === '') throw new PollFailed('truncated', 'The file is empty.');
  const lines = text.split(/\r\n|\r|\n/);
  const is_ended = lines.at(-1) === '';
  const rows: ReportRow[] = [];
  let section: 'hail' | 'other' | null = null;
  let hail_sections = 0;
  for (const [n, line] of lines.entries()) {
    if (line.trim() === '') continue;
    if (/^\s*time\s*,/i.test(line)) {
      section = sectionOf(line);
      if (section === 'hail') hail_sections += 1;
      continue;
    }
    if (section === null) throw new PollFailed('not-the-format', 'The file does not begin with a header.');
    const fields = splitRow(line);
    const is_cut = n === lines.length - 1 && !is_ended && (fields === null || !/\)\s*$/.test(line));
    if (is_cut) throw new PollFailed('truncated', 'The file ends in the middle of a row.');
    if (fields === null) throw new PollFailed('not-the-format', 'A row is no storm report.');
    if (section === 'hail') rows.push(fields);
  }
  if (hail_sections === 0) throw new PollFailed('not-the-format', 'The file has no hail section.');
  return rows;
}

/** The reports are ASCII; a byte that is no UTF-8 comes from the time before it and must not cost the day. */
function textOf(bytes: Buffer): string {
  return new TextDecoder(isUtf8(bytes) ? 'utf-8' : 'windows-1252').decode(bytes);
}

function sectionOf(line: string): 'hail' | 'other' {
  const [first = '', second = '', ...more] = line.split(',').map((name) => name.trim().toUpperCase());
  const section = sections[second];
  if (section === undefined || [first, ...more].join(',') !== columns_around_second) {
    throw new PollFailed('not-the-format', 'The file has other columns than storm reports.');
  }
  return section;
}

/** Splits at the first seven commas only: what follows is the comment. Null for a row with fewer, or with a field of no report. */
function splitRow(line: string): ReportRow | null {
  // Control characters say nothing, and fields become part of a record's key.
  const parts = line.replace(/\p{Cc}+/gu, ' ').split(',');
  if (parts.length < fields_of_row) return null;
  const fields = parts.slice(0, fields_of_row - 1).map((part) => part.trim());
  if (fields.some((field) => field.length > most_characters)) return null;
  const [time = '', size = '', location = '', county = '', state = '', lat = '', lon = ''] = fields;
  const comments = parts
    .slice(fields_of_row - 1)
    .join(',')
    .trim();
  return { time, size, location, county, state, lat, lon, comments };
}
