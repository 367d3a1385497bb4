import { createByteWriter, type ByteWriter } from './byte-writer.ts';

/** Rows as bytes of ClickHouse's Native format: columns one after another, as the engine holds them, so that it parses nothing. */
export interface Block {
  columns: readonly string[];
  rows: number;
  bytes: Buffer;
}

/** One column of a block: its name and type in the table, and its values of `rows`. */
export interface NativeColumn<Row> {
  name: string;
  type: string;
  write: (out: ByteWriter, rows: readonly Row[]) => void;
}

/**
 * A block's layout: number of columns, number of rows, then each column's name, type and values. Source: ClickHouse's documentation of the
 * Native format and its `NativeReader`, without the block's info, which HTTP does not send.
 */
export function encodeBlock<Row>(columns: readonly NativeColumn<Row>[], rows: readonly Row[]): Block {
  const out = createByteWriter(rows.length * 128 + 4_096);
  out.count(columns.length);
  out.count(rows.length);
  for (const { name, type, write } of columns) {
    out.text(name);
    out.text(type);
    write(out, rows);
  }
  return { columns: columns.map(({ name }) => name), rows: rows.length, bytes: out.bytes() };
}

export const native = {
  uint8: <Row>(name: string, of: (row: Row) => number): NativeColumn<Row> => ({
    name,
    type: 'UInt8',
    write: (out, rows) => {
      for (const row of rows) out.uint8(of(row));
    },
  }),
  uint16: <Row>(name: string, of: (row: Row) => number): NativeColumn<Row> => ({
    name,
    type: 'UInt16',
    write: (out, rows) => {
      for (const row of rows) out.uint16(of(row));
    },
  }),
  uint32: <Row>(name: string, of: (row: Row) => number): NativeColumn<Row> => ({
    name,
    type: 'UInt32',
    write: (out, rows) => {
      for (const row of rows) out.uint32(of(row));
    },
  }),
  int32: <Row>(name: string, of: (row: Row) => number): NativeColumn<Row> => ({
    name,
    type: 'Int32',
    write: (out, rows) => {
      for (const row of rows) out.uint32(of(row));
    },
  }),
  /** Safe integers only. */
  uint64: <Row>(name: string, of: (row: Row) => number): NativeColumn<Row> => ({
    name,
    type: 'UInt64',
    write: (out, rows) => {
      for (const row of rows) out.int64(of(row));
    },
  }),
  float64: <Row>(name: string, of: (row: Row) => number): NativeColumn<Row> => ({
    name,
    type: 'Float64',
    write: (out, rows) => {
      for (const row of rows) out.float64(of(row));
    },
  }),
  /** Epoch milliseconds, also before 1970. */
  instant: <Row>(name: string, of: (row: Row) => number): NativeColumn<Row> => ({
    name,
    type: "DateTime64(3, 'UTC')",
    write: (out, rows) => {
      for (const row of rows) out.int64(of(row));
    },
  }),
  text: <Row>(name: string, of: (row: Row) => string): NativeColumn<Row> => ({
    name,
    type: 'String',
    write: (out, rows) => {
      for (const row of rows) out.text(of(row));
    },
  }),
  /** Few different texts: each goes once, the rows are numbers of them. */
  label: <Row>(name: string, of: (row: Row) => string): NativeColumn<Row> => ({
    name,
    type: 'LowCardinality(String)',
    write: (out, rows) => writeLabels(out, rows, of),
  }),
  nullableUint8: <Row>(name: string, of: (row: Row) => number | null): NativeColumn<Row> => ({
    name,
    type: 'Nullable(UInt8)',
    write: (out, rows) => {
      for (const row of rows) out.uint8(of(row) === null ? 1 : 0);
      for (const row of rows) out.uint8(of(row) ?? 0);
    },
  }),
} as const;

/** Kind of the dictionaries, as the engine's `SerializationLowCardinality` numbers it. */
const shared_dictionary = 1;
/** The block brings keys of its own, and they replace those before. */
const own_keys = 0x600;

function writeLabels<Row>(out: ByteWriter, rows: readonly Row[], of: (row: Row) => string): void {
  out.int64(shared_dictionary);
  // A block without rows has no dictionary either.
  if (rows.length === 0) return;
  const keys = new Map<string, number>();
  const places = new Uint32Array(rows.length);
  let [before, place] = [of(rows[0] as Row), 0];
  keys.set(before, 0);
  for (let index = 1; index < rows.length; index += 1) {
    const label = of(rows[index] as Row);
    if (label !== before) {
      before = label;
      const known = keys.get(label);
      place = known ?? keys.size;
      if (known === undefined) keys.set(label, place);
    }
    places[index] = place;
  }
  const width = keys.size <= 0x100 ? 0 : keys.size <= 0x10000 ? 1 : 2;
  out.int64(own_keys | width);
  out.int64(keys.size);
  for (const key of keys.keys()) out.text(key);
  out.int64(rows.length);
  if (width === 0) for (const each of places) out.uint8(each);
  else if (width === 1) for (const each of places) out.uint16(each);
  else for (const each of places) out.uint32(each);
}
