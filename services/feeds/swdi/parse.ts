import { PollFailed } from '../poll-failure.ts';

export const columns = ['ZTIME', 'WSR_ID', 'CELL_ID', 'PROB', 'SEVPROB', 'MAXSIZE', 'LAT', 'LON'] as const;

export type Column = (typeof columns)[number];
export type SignatureRow = Readonly<Record<Column, string>>;

const trailer = /^summary\r?\ncount,[ \t]*(\d+)[ \t]*\r?\ntotalTimeInSeconds,[^\r\n]*\s*$/m;
/** The trailer is about 50 bytes; it is looked for at the end only. */
const trailer_bytes = 512;

/**
 * The rows of a CSV answer: a header, rows, and a trailer of three lines (`summary`, `count,N`, `totalTimeInSeconds,X`) that is no record.
 * Without hail there is only the trailer, with count 0. No trailer means the answer was cut; a count that is not the number of rows means
 * rows are missing; anything else is an error body with whatever status. Rows come one by one, so only the bytes are held; that the count
 * agrees is known after the last.
 */
export function* parseSignatures(bytes: Buffer): Generator<SignatureRow> {
  const head = bytes.toString('utf8', 0, 4_096);
  if (/^\s*error\b/i.test(head) || head.includes('ERROR VALIDATING')) {
    throw new PollFailed('error-body', 'The answer is an error message, not hail signatures.');
  }
  // A page, or one of the publisher's other formats: XML, JSON, GeoJSON.
  if (/^\s*[<{[]/.test(head)) throw new PollFailed('not-the-format', 'The answer is no table.');
  const tail_from = Math.max(0, bytes.length - trailer_bytes);
  const tail = bytes.toString('latin1', tail_from);
  const ending = trailer.exec(tail);
  if (ending === null) throw new PollFailed('truncated', 'The answer ends without its trailer.');
  const count = Number(ending[1]);
  let rows = 0;
  let header: string[] | null = null;
  for (const line of linesOf(bytes.subarray(0, tail_from + ending.index))) {
    const fields = line.split(',').map((field) => field.trim());
    if (header === null) {
      header = fields.map((name) => name.toUpperCase());
      requireColumns(header);
      continue;
    }
    rows += 1;
    yield rowOf(fields, header);
  }
  if (rows !== count) {
    throw new PollFailed('count-mismatch', `The answer says ${count} rows and has ${rows}.`);
  }
}

/** Lines that are not blank, trimmed. */
function* linesOf(bytes: Buffer): Generator<string> {
  for (let from = 0; from < bytes.length;) {
    const end = bytes.indexOf(0x0a, from);
    const until = end < 0 ? bytes.length : end;
    const line = bytes.toString('utf8', from, until).trim();
    if (line !== '') yield line;
    from = until + 1;
  }
}

function requireColumns(header: readonly string[]): void {
  const missing = columns.filter((column) => column !== 'CELL_ID' && !header.includes(column));
  if (missing.length > 0) {
    throw new PollFailed('not-the-format', `The answer has no column ${missing.join(', ')}.`);
  }
}

function rowOf(fields: readonly string[], header: readonly string[]): SignatureRow {
  if (fields.length !== header.length)
    throw new PollFailed('not-the-format', 'A row has another number of fields than the header.');
  return Object.fromEntries(
    columns.map((column) => [column, fields[header.indexOf(column)] ?? '']),
  ) as SignatureRow;
}
