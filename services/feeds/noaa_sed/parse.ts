import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { parse } from 'csv-parse';
import { systemCode } from '../../runtime/errors.ts';
import { PollFailed } from '../poll-failure.ts';

/** The columns that are read, of the 51 a details file has. */
export const columns = [
  'EVENT_ID',
  'EVENT_TYPE',
  'BEGIN_YEARMONTH',
  'BEGIN_DAY',
  'BEGIN_TIME',
  'END_YEARMONTH',
  'END_DAY',
  'END_TIME',
  'CZ_TIMEZONE',
  'MAGNITUDE',
  'SOURCE',
  'BEGIN_LAT',
  'BEGIN_LON',
] as const;

export type Column = (typeof columns)[number];
export type DetailsRow = Readonly<Record<Column, string>>;

/** More than a year of Storm Events has ever taken, inflated (about 100 MB). */
const max_inflated_bytes = 1024 * 1024 * 1024;

const utf8 = new TextDecoder('utf-8', { fatal: true });
const cp1252 = new TextDecoder('windows-1252');

export interface ParseCounts {
  rows: number;
  /** Fields that were no UTF-8 and were read as cp1252, as older files have them. */
  cp1252_fields: number;
}

/**
 * The rows of a details file, streamed: memory does not grow with the file. Fields are cut out as bytes and decoded one by one, because old
 * files hold bare cp1252 bytes and one of them must not cost the file. A file that ends early is `truncated`, anything that is no details
 * file (an error page with status 200) is `not-the-format`.
 */
export async function* parseDetails(bytes: Buffer, counts: ParseCounts): AsyncGenerator<DetailsRow> {
  const zipped = bytes.length > 2 && bytes.readUInt16BE(0) === 0x1f8b;
  const parser = parse({ encoding: null, bom: true, relax_column_count: false, skip_empty_lines: true });
  const source = Readable.from([bytes]);
  const inflating = zipped ? createGunzip() : null;
  let inflated_bytes = 0;
  inflating?.on('data', (chunk: Buffer) => {
    inflated_bytes += chunk.length;
    if (inflated_bytes > max_inflated_bytes)
      inflating.destroy(new PollFailed('too-large', 'The file inflates past any year.'));
  });
  inflating?.on('error', (error) => parser.destroy(error));
  (inflating === null ? source : source.pipe(inflating)).pipe(parser);

  let positions: number[] | null = null;
  try {
    for await (const record of parser as AsyncIterable<Buffer[]>) {
      if (positions === null) {
        positions = positionsOf(record.map((name) => name.toString('latin1').trim()));
        continue;
      }
      counts.rows += 1;
      yield rowOf(record, positions, counts);
    }
  } catch (error) {
    throw asPollFailure(error);
  }
  if (positions === null) throw new PollFailed('truncated', 'The file is empty.');
}

function positionsOf(header: readonly string[]): number[] {
  return columns.map((column) => {
    const position = header.indexOf(column);
    if (position < 0) throw new PollFailed('not-the-format', `The file has no column ${column}.`);
    return position;
  });
}

function rowOf(record: readonly Buffer[], positions: readonly number[], counts: ParseCounts): DetailsRow {
  const fields = columns.map((column, index) => [column, decoded(record[positions[index] ?? -1], counts)]);
  return Object.fromEntries(fields) as DetailsRow;
}

function decoded(field: Buffer | undefined, counts: ParseCounts): string {
  if (field === undefined) return '';
  try {
    return utf8.decode(field).trim();
  } catch {
    counts.cp1252_fields += 1;
    return cp1252.decode(field).trim();
  }
}

function asPollFailure(error: unknown): unknown {
  if (error instanceof PollFailed) return error;
  switch (systemCode(error)) {
    case 'Z_BUF_ERROR':
    case 'CSV_QUOTE_NOT_CLOSED':
    case 'CSV_RECORD_INCONSISTENT_FIELDS_LENGTH':
      return new PollFailed('truncated', 'The file ends in the middle of a row or of its compressed data.', {
        cause: error,
      });
    case 'Z_DATA_ERROR':
    case 'CSV_INVALID_CLOSING_QUOTE':
    case 'INVALID_OPENING_QUOTE':
    case 'CSV_NON_TRIMABLE_CHAR_AFTER_CLOSING_QUOTE':
      return new PollFailed('not-the-format', 'The file is not a compressed CSV file.', { cause: error });
    default:
      return error;
  }
}
