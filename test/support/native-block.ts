import { storedInstant } from '../../services/store/projections.ts';
import type { Value } from '../../services/store/store.ts';

/** A block of ClickHouse's Native format read back, for tests that stand in for the engine: rows in the order of the block's columns. */
export function decodeBlock(bytes: Buffer): { columns: string[]; rows: Value[][] } {
  const cursor: Cursor = { bytes, at: 0 };
  const count = varint(cursor);
  const rows = varint(cursor);
  const columns: string[] = [];
  const values: Value[][] = [];
  for (let column = 0; column < count; column += 1) {
    columns.push(text(cursor));
    values.push(readColumn(cursor, text(cursor), rows));
  }
  if (cursor.at !== bytes.length)
    throw new Error(`${bytes.length - cursor.at} bytes of the block are left over`);
  return { columns, rows: Array.from({ length: rows }, (_, row) => values.map((each) => each[row] ?? null)) };
}

interface Cursor {
  bytes: Buffer;
  at: number;
}

function readColumn(cursor: Cursor, type: string, rows: number): Value[] {
  const nullable = /^Nullable\((.+)\)$/.exec(type)?.[1];
  if (nullable !== undefined) {
    const nulls = many(rows, () => uint(cursor, 1));
    return readColumn(cursor, nullable, rows).map((value, row) => (nulls[row] === 1 ? null : value));
  }
  const inner = /^Array\((.+)\)$/.exec(type)?.[1];
  if (inner !== undefined) {
    const ends = many(rows, () => int64(cursor));
    const values = readColumn(cursor, inner, ends.at(-1) ?? 0);
    return ends.map((end, row) => values.slice(ends[row - 1] ?? 0, end));
  }
  if (type === 'LowCardinality(String)') return readLabels(cursor, rows);
  const read = readers[type.replace(/\(.*/, '')];
  if (read === undefined) throw new Error(`a column of type ${type} is not read here`);
  return many(rows, () => read(cursor));
}

const readers: Record<string, ((cursor: Cursor) => Value) | undefined> = {
  UInt8: (cursor) => uint(cursor, 1),
  UInt16: (cursor) => uint(cursor, 2),
  UInt32: (cursor) => uint(cursor, 4),
  Int32: (cursor) => cursor.bytes.readInt32LE((cursor.at += 4) - 4),
  UInt64: int64,
  // As the engine writes them.
  DateTime64: (cursor) => storedInstant(int64(cursor)),
  Float64: (cursor) => cursor.bytes.readDoubleLE((cursor.at += 8) - 8),
  String: text,
};

/** Few different texts once, then each row's number among them, in 1, 2 or 4 bytes. */
function readLabels(cursor: Cursor, rows: number): Value[] {
  int64(cursor);
  if (rows === 0) return [];
  const width = 1 << (int64(cursor) & 0xff);
  const keys = many(int64(cursor), () => text(cursor));
  int64(cursor);
  return many(rows, () => keys[uint(cursor, width)] ?? null);
}

function many<T>(count: number, read: () => T): T[] {
  return Array.from({ length: count }, read);
}

function uint(cursor: Cursor, width: number): number {
  return cursor.bytes.readUIntLE((cursor.at += width) - width, width);
}

function int64(cursor: Cursor): number {
  return Number(cursor.bytes.readBigInt64LE((cursor.at += 8) - 8));
}

function text(cursor: Cursor): string {
  const length = varint(cursor);
  return cursor.bytes.toString('utf8', cursor.at, (cursor.at += length));
}

function varint(cursor: Cursor): number {
  let value = 0;
  for (let scale = 1; ; scale *= 128) {
    const byte = uint(cursor, 1);
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) return value;
  }
}
