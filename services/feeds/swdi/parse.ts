import { PollFailed } from '../poll-failure.ts';

export const columns = ['ZTIME', 'WSR_ID', 'CELL_ID', 'PROB', 'SEVPROB', 'MAXSIZE', 'LAT', 'LON'] as const;

export type Column = (typeof columns)[number];
export type SignatureRow = Readonly<Record<Column, string>>;

/**
 * The rows of a CSV answer: a header, rows, and a trailer of three lines (`summary`, `count,N`, `totalTimeInSeconds,X`) that is no record.
 * Without hail there is only the trailer, with count 0. No trailer means the answer was cut; a count that is not the number of rows means
 * rows are missing; anything else is an error body with whatever status.
 */
export function parseSignatures(text: string): SignatureRow[] {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const summary = lines.indexOf('summary');
  const body = lines.slice(0, summary < 0 ? undefined : summary).filter((line) => line !== '');
  if (/^\s*(error\b|<)/i.test(text) || text.includes('ERROR VALIDATING')) {
    throw new PollFailed('error-body', 'The answer is an error message, not hail signatures.');
  }
  const header = body[0]?.split(',').map((name) => name.trim().toUpperCase());
  if (header !== undefined && !columns.every((column) => column === 'CELL_ID' || header.includes(column))) {
    throw new PollFailed('not-the-format', 'The answer is no table of hail signatures.');
  }
  const count = summary < 0 ? undefined : /^count,\s*(\d+)$/.exec(lines[summary + 1] ?? '')?.[1];
  if (count === undefined) throw new PollFailed('truncated', 'The answer ends without its trailer.');
  const rows = header === undefined ? [] : body.slice(1).map((line) => rowOf(line, header));
  if (rows.length !== Number(count)) {
    throw new PollFailed('count-mismatch', `The answer says ${count} rows and has ${rows.length}.`);
  }
  return rows;
}

function rowOf(line: string, header: readonly string[]): SignatureRow {
  const fields = line.split(',');
  if (fields.length !== header.length)
    throw new PollFailed('not-the-format', 'A row has another number of fields than the header.');
  return Object.fromEntries(
    columns.map((column) => [column, fields[header.indexOf(column)]?.trim() ?? '']),
  ) as SignatureRow;
}
