import { isUtf8 } from 'node:buffer';
import { PollFailed } from '../poll-failure.ts';

/** What is read of a row, trimmed; empty where the export says `NA` or nothing. The station's name is not kept: it is somebody's home. */
export interface HailRow {
  observation_date: string;
  observation_time: string;
  entry_date_time: string;
  station_number: string;
  latitude: string;
  longitude: string;
  largest_size: string;
  date_time_stamp: string;
}

/** The export's columns in order. One name stands twice, so that rows are read by position and never by name. */
const columns = [
  'ObservationDate',
  'ObservationTime',
  'EntryDateTime',
  'StationNumber',
  'StationName',
  'Latitude',
  'Longitude',
  'SmallestSize',
  'AverageSize',
  'LargestSize',
  'DurationMinutes',
  'DurationAccuracy',
  'Timing',
  'StoneConsistency',
  'MoreRainThanHail',
  'HailStarted',
  'LargestHailStarted',
  'MoreRainThanHail',
  'Damage',
  'AngleOfImpact',
  'NumberOfStonesOnPad',
  'DistanceBtwnStonesOnPad',
  'DepthOnGround',
  'DateTimeStamp',
];

/**
 * The rows of an export of hail reports. Columns 1 to 18 are read from the left and the last five from the right, because the damage between
 * them is free text that is not quoted and may hold commas. A header alone is no reports. Anything else than these columns is
 * `not-the-format`; an empty or cut answer is `truncated`.
 */
export function parseExport(bytes: Buffer): HailRow[] {
  const text = new TextDecoder(isUtf8(bytes) ? 'utf-8' : 'windows-1252').decode(bytes);
  if (text.trim() === '') throw new PollFailed('truncated', 'The answer is empty.');
  const lines = text.split(/\r\n|\r|\n/);
  const is_ended = lines.at(-1) === '';
  const last = lines.length - 1;
  const rows: HailRow[] = [];
  let has_header = false;
  for (const [n, line] of lines.entries()) {
    if (line.trim() === '') continue;
    const fields = line.split(',').map(fieldOf);
    if (!has_header) {
      requireColumns(fields);
      has_header = true;
      continue;
    }
    const is_whole = fields.length >= columns.length && (n < last || is_ended || isStamp(fields.at(-1)));
    if (!is_whole && n === last) {
      throw new PollFailed('truncated', 'The answer ends in the middle of a row.');
    }
    if (!is_whole) throw new PollFailed('not-the-format', 'A row has fewer fields than the header.');
    rows.push(rowOf(fields));
  }
  return rows;
}

/** A space follows every comma; `NA` and nothing both mean that nothing was said. Control characters would become part of a key. */
function fieldOf(text: string): string {
  const field = text.replace(/\p{Cc}+/gu, ' ').trim();
  return field === 'NA' ? '' : field;
}

function requireColumns(header: readonly string[]): void {
  const found = header.map((name) => name.replace(/^\ufeff/, '').toLowerCase());
  const expected = columns.map((name) => name.toLowerCase());
  if (found.length !== expected.length || expected.some((name, n) => found[n] !== name)) {
    throw new PollFailed('not-the-format', 'The answer has other columns than an export of hail reports.');
  }
}

function rowOf(fields: readonly string[]): HailRow {
  const [observation_date = '', observation_time = '', entry_date_time = '', station_number = ''] = fields;
  const [latitude = '', longitude = '', , , largest_size = ''] = fields.slice(5);
  return {
    observation_date,
    observation_time,
    entry_date_time,
    station_number,
    latitude,
    longitude,
    largest_size,
    date_time_stamp: fields.at(-1) ?? '',
  };
}

/** The last field of a whole row: a time, or nothing. A cut one lacks at least its last letter. */
function isStamp(field: string | undefined): boolean {
  return field !== undefined && (field === '' || /[AP]M$/i.test(field));
}
