import type { StoredMessage } from '../event-log.ts';
import type { LogDatabase, Statements } from './database.ts';
import { stream_width } from './schema.ts';

/** A page ends past this many bytes of values, whatever number of messages was asked for. */
const page_bytes = 16 * 1024 * 1024;
/** Messages that are read by one statement as one row. */
const piece_messages = 1_000;
/** A piece with a longer value is read row by row: a concatenation is held twice while it is made, so that a piece's stays below 4 MiB. */
const most_joined_bytes = 4 * 1024;

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
      const piece = readPiece(sql, stream, { from, until }, most);
      if (piece === null) break;
      const read =
        piece.messages ?? readRows(sql, stream, { from, until: piece.last + 1 }, page_bytes - bytes);
      for (const message of read) page.push(message);
      bytes += piece.bytes;
      from = stream.base + (page.at(-1)?.offset ?? 0) + 1;
    }
    return page;
  });
}

interface Piece {
  /** The position of its last message. */
  last: number;
  /** Bytes of all values. */
  bytes: number;
  /** Null where they are to be read row by row. */
  messages: StoredMessage[] | null;
}

/**
 * The next messages as one row: their values as one blob, the rest as lists. A blob of its own for each message costs more than everything
 * else of reading it (measured: 2.6 µs a message, so 1.1). SQLite knows the length of a value without reading it, but in the inner statement
 * alone: what that one hands out has been read whole. Null where there are no messages.
 */
function readPiece(
  sql: Statements,
  { topic, partition, base }: Stream,
  { from, until }: Range,
  most: number,
): Piece | null {
  const row = sql(
    `SELECT json_group_array(position) AS positions, json_group_array(key) AS keys, json_group_array(length) AS lengths,
            json_group_array(appended_at) AS times, total(length) AS bytes, max(length) AS longest, count(headers) AS headed,
            CAST(group_concat(joined, '') AS BLOB) AS joined
     FROM (SELECT position, key, headers, appended_at, length(value) AS length,
                  CASE WHEN length(value) <= ${most_joined_bytes} THEN value END AS joined
           FROM messages WHERE position >= ? AND position < ? ORDER BY position LIMIT ?)`,
  ).get(from, until, most);
  const list = (name: string): unknown[] => JSON.parse(String(row?.[name] ?? '[]')) as unknown[];
  const positions = list('positions') as number[];
  const last = positions.at(-1);
  if (last === undefined) return null;
  const bytes = Number(row?.['bytes']);
  const blob = row?.['joined'];
  const joined =
    blob instanceof Uint8Array ? Buffer.from(blob.buffer, blob.byteOffset, blob.byteLength) : empty;
  // That a concatenation of blobs keeps every byte is nothing that SQLite promises. Headers are rare, and read with their rows.
  const is_joined = joined.length === bytes && Number(row?.['headed']) === 0;
  if (!is_joined || Number(row?.['longest']) > most_joined_bytes) return { last, bytes, messages: null };
  const keys = list('keys') as string[];
  const lengths = list('lengths') as (number | null)[];
  const times = list('times') as number[];
  let at = 0;
  const messages = positions.map((position, index) => {
    const length = lengths[index] ?? null;
    const value = length === null ? null : joined.subarray(at, at + length);
    at += length ?? 0;
    return {
      topic,
      partition,
      offset: position - base,
      key: keys[index] ?? '',
      value,
      headers: no_headers,
      appended_at: times[index] ?? 0,
    };
  });
  return { last, bytes, messages };
}

const empty = Buffer.alloc(0);
const no_headers: Readonly<Record<string, string>> = Object.freeze({});

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
