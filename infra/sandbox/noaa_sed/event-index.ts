import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

const quote = 0x22;
const comma = 0x2c;
const line_feed = 0x0a;
const digit_0 = 0x30;
/** The column of EVENT_ID, counted from 0. */
const id_column = 7;

/** One event as its row gives it: the columns in their order with their values. */
export type EventRow = readonly (readonly [column: string, value: string])[];

/**
 * Finds an event of the recorded details files by its EVENT_ID, in the newest revision of its year. The files are read through once, when
 * the first event is asked for; kept is which file holds which id.
 */
export function createEventIndex(folder: string): (event_id: string) => EventRow | null {
  let file_of_event: Map<number, string> | undefined;
  return (event_id) => {
    if (!/^[1-9]\d{0,11}$/.test(event_id)) return null;
    file_of_event ??= indexed(folder);
    const file = file_of_event.get(Number(event_id));
    if (file === undefined) return null;
    const bytes = readDetails(folder, file);
    let columns: string[] | undefined;
    let row: EventRow | null = null;
    eachRecord(bytes, (id, begin, end) => {
      columns ??= fieldsOf(bytes.subarray(begin, end));
      if (id !== Number(event_id)) return;
      const values = fieldsOf(bytes.subarray(begin, end));
      row = columns.map((column, at) => [column, values[at] ?? '']);
    });
    return row;
  };
}

function indexed(folder: string): Map<number, string> {
  const newest = new Map<string, string>();
  for (const file of readdirSync(folder).sort()) {
    const year = /_details-.*_d(\d{4})_c\d{8}\.csv\.gz$/.exec(file)?.[1];
    // Of two revisions of a year the later name is the newer file.
    if (year !== undefined) newest.set(year, file);
  }
  const file_of_event = new Map<number, string>();
  for (const file of newest.values()) {
    eachRecord(readDetails(folder, file), (id) => id > 0 && file_of_event.set(id, file));
  }
  return file_of_event;
}

function readDetails(folder: string, file: string): Buffer {
  return gunzipSync(readFileSync(join(folder, file)));
}

/**
 * Visits the records of a CSV text with the number in their id column (0 where that is none, as in the header) and their bytes. A quoted
 * field may hold commas and line ends. Byte by byte and without a string, because the sandbox answers nothing else meanwhile.
 */
function eachRecord(bytes: Buffer, visit: (id: number, begin: number, end: number) => void): void {
  let begin = 0;
  let column = 0;
  let id = 0;
  let quoted = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === quote) quoted = !quoted;
    else if (quoted) continue;
    else if (byte === comma) column += 1;
    else if (byte === line_feed) {
      visit(id, begin, at);
      begin = at + 1;
      column = 0;
      id = 0;
    } else if (column === id_column && byte >= digit_0 && byte <= digit_0 + 9) {
      id = id * 10 + byte - digit_0;
    }
  }
  if (begin < bytes.length) visit(id, begin, bytes.length);
}

/** A record's fields without their quotes. Old files hold single bytes of cp1252 in UTF-8; such a byte becomes a replacement sign. */
function fieldsOf(record: Buffer): string[] {
  const fields = record.toString('utf8').match(/(?<=^|,)(?:"(?:[^"]|"")*"|[^,]*)(?=,|$)/g) ?? [];
  return fields.map((field) => {
    const text = field.trim();
    return text.startsWith('"') ? text.slice(1, -1).replaceAll('""', '"') : text;
  });
}
