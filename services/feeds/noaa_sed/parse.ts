import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { parse } from 'csv-parse';
import { systemCode } from '../../runtime/errors.ts';
import { PollFailed } from '../poll-failure.ts';
import { lenientText } from './lenient-text.ts';

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
  'STATE',
  'STATE_FIPS',
  'CZ_TYPE',
  'CZ_FIPS',
  'CZ_NAME',
] as const;

export type Column = (typeof columns)[number];
export type DetailsRow = Readonly<Record<Column, string>>;

/** More than a year of Storm Events has ever taken, inflated (about 100 MB). */
const max_inflated_bytes = 1024 * 1024 * 1024;
/** No row comes near it; a quote that is never closed would otherwise swallow the rest of the file into memory. */
const max_row_bytes = 4 * 1024 * 1024;
/** Far more than any column that is read has ever held. A longer field means that quotes have got out of step, and rows with them. */
const max_field_characters = 500;
/** Old rows name lists of zones instead of a county, and nobody has said how long one may be. */
const max_list_characters = 4_000;

export interface ParseCounts {
  rows: number;
  /** Bytes that were no UTF-8 and were read as cp1252, as older files have them. */
  cp1252_bytes: number;
}

/**
 * The rows of a details file, streamed: memory does not grow with the file. A file that ends early is `truncated`, anything that is no details
 * file (an error page with status 200) is `not-the-format`; nothing is known to be whole before the last row came.
 */
export async function* parseDetails(bytes: Buffer, counts: ParseCounts): AsyncGenerator<DetailsRow> {
  // Rows of a wrong length are judged here, where it is known whether another row follows.
  const parser = parse({
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: max_row_bytes,
  });
  const zipped = bytes.length > 2 && bytes.readUInt16BE(0) === 0x1f8b;
  const source = Readable.from([bytes]);
  const text = (chunks: AsyncIterable<Buffer>): AsyncIterable<Buffer> => lenientText(bounded(chunks), counts);
  const flowing = zipped ? pipeline(source, createGunzip(), text, parser) : pipeline(source, text, parser);
  // The same error reaches the loop through the parser.
  flowing.catch(() => undefined);

  let header: string[] | null = null;
  let positions: number[] = [];
  let short_row = false;
  try {
    for await (const record of parser as AsyncIterable<string[]>) {
      if (header === null) {
        header = record.map((name) => name.trim());
        positions = positionsOf(header);
        continue;
      }
      if (short_row)
        throw new PollFailed('not-the-format', 'A row has another number of fields than the header.');
      if (record.length !== header.length) {
        short_row = true;
        continue;
      }
      counts.rows += 1;
      yield rowOf(record, positions);
    }
  } catch (error) {
    throw asPollFailure(error);
  }
  if (header === null) throw new PollFailed('truncated', 'The file is empty.');
  if (short_row) throw new PollFailed('truncated', 'The file ends in the middle of a row.');
}

/** The bytes, as long as they stay below the cap. */
async function* bounded(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > max_inflated_bytes) throw new PollFailed('too-large', 'The file inflates past any year.');
    yield chunk;
  }
}

function positionsOf(header: readonly string[]): number[] {
  return columns.map((column) => {
    const position = header.indexOf(column);
    if (position < 0) throw new PollFailed('not-the-format', `The file has no column ${column}.`);
    return position;
  });
}

function rowOf(record: readonly string[], positions: readonly number[]): DetailsRow {
  const fields = columns.map((column, index) => {
    const field = (record[positions[index] ?? -1] ?? '').trim();
    const most = column === 'CZ_NAME' ? max_list_characters : max_field_characters;
    if (field.length > most)
      throw new PollFailed('not-the-format', `A row has more than ${most} characters as ${column}.`);
    return [column, field];
  });
  return Object.fromEntries(fields) as DetailsRow;
}

function asPollFailure(error: unknown): unknown {
  if (error instanceof PollFailed) return error;
  const code = systemCode(error);
  if (code === 'Z_BUF_ERROR' || code === 'CSV_QUOTE_NOT_CLOSED') {
    return new PollFailed('truncated', 'The file ends in the middle of a row or of its compressed data.', {
      cause: error,
    });
  }
  if (code !== undefined && /^(Z_|CSV_|INVALID_)/.test(code)) {
    return new PollFailed('not-the-format', 'The file is not a compressed CSV file.', { cause: error });
  }
  return error;
}
