import type { StoredMessage } from '../event-log.ts';
import type { LogDatabase, Statements } from './database.ts';
import { stream_width } from './schema.ts';

/** A page ends past this many bytes of values, whatever number of messages was asked for. */
const page_bytes = 16 * 1024 * 1024;
/** Messages that are read by one statement as one row. */
const piece_messages = 1_000;
/** Larger pieces are read row by row: a concatenation is held twice while it is made. */
const piece_bytes = 4 * 1024 * 1024;

interface Stream {
  topic: string;
  partition: number;
  /** The position of the partition's offset 0. */
  base: number;
}

interface Range {
  from: number;
  until: number;
}

/** One bounded page of a partition, ascending by offset, at least one message where there is one; nothing stays open when it returns. */
export function readPage(
  database: LogDatabase,
  { topic, partition }: { topic: string; partition: number },
  range: Range,
  page_messages: number,
): StoredMessage[] {
  return database.read((sql) => {
    const found = sql('SELECT stream FROM streams WHERE topic = ? AND partition = ?').get(topic, partition);
    if (found === undefined) return [];
    const stream = { topic, partition, base: Number(found['stream']) * stream_width };
    const until = stream.base + Math.min(range.until, stream_width);
    const page: StoredMessage[] = [];
    let from = stream.base + range.from;
    let bytes = 0;
    while (page.length < page_messages && bytes < page_bytes) {
      const most = Math.min(piece_messages, page_messages - page.length);
      const summary = summarise(sql, { from, until }, most);
      if (summary.messages === 0) break;
      const piece = { from: summary.first, until: summary.last + 1 };
      const read =
        summary.bytes > piece_bytes
          ? readRows(sql, stream, piece, page_bytes - bytes)
          : (readPiece(sql, stream, piece, summary) ?? readRows(sql, stream, piece, page_bytes - bytes));
      for (const message of read) page.push(message);
      bytes += summary.bytes;
      from = stream.base + (page.at(-1)?.offset ?? 0) + 1;
    }
    return page;
  });
}

interface Summary {
  messages: number;
  first: number;
  last: number;
  bytes: number;
  headed: number;
}

/** What the next messages come to. SQLite knows the length of a value without reading it. */
function summarise(sql: Statements, { from, until }: Range, most: number): Summary {
  const row = sql(
    `SELECT count(*) AS messages, min(position) AS first, max(position) AS last, total(length(value)) AS bytes, count(headers) AS headed
     FROM (SELECT position, value, headers FROM messages WHERE position >= ? AND position < ? ORDER BY position LIMIT ?)`,
  ).get(from, until, most);
  const number = (name: keyof Summary): number => Number(row?.[name] ?? 0);
  return {
    messages: number('messages'),
    first: number('first'),
    last: number('last'),
    bytes: number('bytes'),
    headed: number('headed'),
  };
}

/**
 * Messages as one row: their values as one blob, the rest as lists. A blob of its own for each message costs more than everything else of
 * reading it (measured: 2.6 µs a message, so 1.1). Null where the lengths do not add up to the blob, which SQLite does not promise.
 */
function readPiece(
  sql: Statements,
  { topic, partition, base }: Stream,
  { from, until }: Range,
  summary: Summary,
): StoredMessage[] | null {
  const row = sql(
    `SELECT json_group_array(position) AS positions, json_group_array(key) AS keys, json_group_array(length(value)) AS lengths,
            json_group_array(appended_at) AS times, json_group_array(headers) FILTER (WHERE ?) AS headers,
            CAST(group_concat(value, '') AS BLOB) AS bytes
     FROM (SELECT * FROM messages WHERE position >= ? AND position < ? ORDER BY position)`,
  ).get(summary.headed > 0 ? 1 : 0, from, until);
  const list = (name: string): unknown[] => JSON.parse(String(row?.[name] ?? '[]')) as unknown[];
  const blob = row?.['bytes'];
  const bytes =
    blob instanceof Uint8Array ? Buffer.from(blob.buffer, blob.byteOffset, blob.byteLength) : empty;
  if (bytes.length !== summary.bytes) return null;
  const positions = list('positions') as number[];
  const keys = list('keys') as string[];
  const lengths = list('lengths') as (number | null)[];
  const times = list('times') as number[];
  const headers = list('headers') as (string | null)[];
  let at = 0;
  return positions.map((position, index) => {
    const length = lengths[index] ?? null;
    const value = length === null ? null : bytes.subarray(at, at + length);
    at += length ?? 0;
    return {
      topic,
      partition,
      offset: position - base,
      key: keys[index] ?? '',
      value,
      headers: headersOf(headers[index] ?? null),
      appended_at: times[index] ?? 0,
    };
  });
}

const empty = Buffer.alloc(0);

type Row = [
  position: number,
  key: string,
  value: Uint8Array<ArrayBuffer> | null,
  headers: string | null,
  appended_at: number,
];

/** Messages row by row, up to the one with which they pass `most_bytes`. */
function readRows(
  sql: Statements,
  { topic, partition, base }: Stream,
  { from, until }: Range,
  most_bytes: number,
): StoredMessage[] {
  const statement = sql(
    `SELECT position, key, value, headers, appended_at FROM messages WHERE position >= ? AND position < ? ORDER BY position`,
  );
  // Rows as arrays are read at nearly twice the speed of rows as objects.
  statement.setReturnArrays(true);
  const rows: Iterable<unknown> = statement.iterate(from, until);
  const page: StoredMessage[] = [];
  let bytes = 0;
  for (const row of rows) {
    const [position, key, blob, headers, appended_at] = row as Row;
    const value = blob === null ? null : Buffer.from(blob.buffer, blob.byteOffset, blob.byteLength);
    const offset = position - base;
    page.push({ topic, partition, offset, key, value, headers: headersOf(headers), appended_at });
    bytes += value?.byteLength ?? 0;
    if (bytes >= most_bytes) break;
  }
  return page;
}

const no_headers: Readonly<Record<string, string>> = Object.freeze({});

function headersOf(text: string | null): Readonly<Record<string, string>> {
  return text === null ? no_headers : (JSON.parse(text) as Record<string, string>);
}

/** The end offset of each partition; empty for an unknown topic. */
export function readEnds(database: LogDatabase, topic: string): number[] {
  return database.read((sql) =>
    sql('SELECT end_offset FROM streams WHERE topic = ? ORDER BY partition')
      .all(topic)
      .map((row) => Number(row['end_offset'])),
  );
}
