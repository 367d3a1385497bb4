import { createByteWriter, type ByteWriter } from './byte-writer.ts';

/** Rows as bytes of ClickHouse's Native format: columns one after another, as the engine holds them, so that it parses nothing. */
export interface Block {
  columns: readonly string[];
  rows: number;
  bytes: Buffer;
}

/** Takes rows one by one, so that none of them needs to live longer than its turn. */
export interface BlockWriter<Row> {
  add: (row: Row) => void;
  /** The block of the rows since the last one; the writer is as new then, but for the memory that it keeps. */
  finish: () => Block;
}

/** One column of a block, by its name and type in the table. */
export interface NativeColumn<Row> {
  name: string;
  type: string;
  open: () => ColumnWriter<Row>;
}

interface ColumnWriter<Row> {
  add: (row: Row) => void;
  /** The values of `rows` rows as the format wants them; they stand until the next row is added. */
  finish: (rows: number) => Buffer[];
  clear: () => void;
}

/**
 * A block's layout: number of columns, number of rows, then each column's name, type and values. Source: ClickHouse's documentation of the
 * Native format and its `NativeReader`, without the block's info, which HTTP does not send.
 */
export function createBlockWriter<Row>(columns: readonly NativeColumn<Row>[]): BlockWriter<Row> {
  const writers = columns.map(({ open }) => open());
  let rows = 0;
  return {
    add: (row) => {
      rows += 1;
      for (const writer of writers) writer.add(row);
    },
    finish: () => {
      const parts = [bytesOf((out) => out.count(columns.length)), bytesOf((out) => out.count(rows))];
      for (const [index, { name, type }] of columns.entries()) {
        parts.push(
          bytesOf((out) => out.text(name)),
          bytesOf((out) => out.text(type)),
        );
        parts.push(...(writers[index]?.finish(rows) ?? []));
      }
      const block = { columns: columns.map(({ name }) => name), rows, bytes: Buffer.concat(parts) };
      for (const writer of writers) writer.clear();
      rows = 0;
      return block;
    },
  };
}

export function encodeBlock<Row>(columns: readonly NativeColumn<Row>[], rows: readonly Row[]): Block {
  const writer = createBlockWriter(columns);
  for (const row of rows) writer.add(row);
  return writer.finish();
}

type Column<Value> = <Row>(name: string, of: (row: Row) => Value) => NativeColumn<Row>;

/** Columns by the type of their values in the table. */
export const native = {
  uint8: plain<number>('UInt8', (out, value) => out.uint8(value)),
  uint16: plain<number>('UInt16', (out, value) => out.uint16(value)),
  uint32: plain<number>('UInt32', (out, value) => out.uint32(value)),
  int32: plain<number>('Int32', (out, value) => out.uint32(value)),
  /** Safe integers only. */
  uint64: plain<number>('UInt64', (out, value) => out.int64(value)),
  float64: plain<number>('Float64', (out, value) => out.float64(value)),
  /** Epoch milliseconds, also before 1970. */
  instant: plain<number>("DateTime64(3, 'UTC')", (out, value) => out.int64(value)),
  text: plain<string>('String', (out, value) => out.text(value)),
  nullableUint8: nullable('Nullable(UInt8)', (out, value) => out.uint8(value)),
  uint32s: ((name, of) => ({
    name,
    type: 'Array(UInt32)',
    open: () => openLists(of),
  })) satisfies Column<readonly number[]> as Column<readonly number[]>,
  /** Few different texts: each goes once, the rows are numbers of them. */
  label: ((name, of) => ({
    name,
    type: 'LowCardinality(String)',
    open: () => openLabels(of),
  })) satisfies Column<string> as Column<string>,
} as const;

function plain<Value>(type: string, write: (out: ByteWriter, value: Value) => void): Column<Value> {
  return (name, of) => ({
    name,
    type,
    open: () => {
      const out = createByteWriter();
      return { add: (row) => write(out, of(row)), finish: () => [out.bytes()], clear: out.clear };
    },
  });
}

/** First which rows are null, then the values, of which those of nulls mean nothing. */
function nullable(type: string, write: (out: ByteWriter, value: number) => void): Column<number | null> {
  return (name, of) => ({
    name,
    type,
    open: () => {
      const [nulls, values] = [createByteWriter(), createByteWriter()];
      return {
        add: (row) => {
          const value = of(row);
          nulls.uint8(value === null ? 1 : 0);
          write(values, value ?? 0);
        },
        finish: () => [nulls.bytes(), values.bytes()],
        clear: () => {
          nulls.clear();
          values.clear();
        },
      };
    },
  });
}

/** Where each row's list ends among the values of all rows, then those values. */
function openLists<Row>(of: (row: Row) => readonly number[]): ColumnWriter<Row> {
  const [ends, values] = [createByteWriter(), createByteWriter()];
  let end = 0;
  return {
    add: (row) => {
      for (const value of of(row)) {
        values.uint32(value);
        end += 1;
      }
      ends.int64(end);
    },
    finish: () => [ends.bytes(), values.bytes()],
    clear: () => {
      end = 0;
      ends.clear();
      values.clear();
    },
  };
}

/** Kind of the dictionaries, as the engine's `SerializationLowCardinality` numbers it. */
const shared_dictionary = 1;
/** The block brings keys of its own, and they replace those before. */
const own_keys = 0x600;

function openLabels<Row>(of: (row: Row) => string): ColumnWriter<Row> {
  const keys = new Map<string, number>();
  const places = createByteWriter();
  let before: string | null = null;
  let place = 0;
  return {
    add: (row) => {
      const label = of(row);
      if (label !== before) {
        before = label;
        const known = keys.get(label);
        place = known ?? keys.size;
        if (known === undefined) keys.set(label, place);
      }
      places.uint32(place);
    },
    finish: (rows) => {
      const head = bytesOf((out) => out.int64(shared_dictionary));
      // A block without rows has no dictionary either.
      if (rows === 0) return [head];
      const width = keys.size <= 0x100 ? 0 : keys.size <= 0x10000 ? 1 : 2;
      const dictionary = bytesOf((out) => {
        out.int64(own_keys | width);
        out.int64(keys.size);
        for (const key of keys.keys()) out.text(key);
        out.int64(rows);
      });
      return [head, dictionary, narrowed(places.bytes(), width)];
    },
    clear: () => {
      keys.clear();
      places.clear();
      [before, place] = [null, 0];
    },
  };
}

/** Numbers of 32 bits as such of 8, 16 or 32, which is how the format numbers its widths. */
function narrowed(bytes: Buffer, width: 0 | 1 | 2): Buffer {
  if (width === 2) return bytes;
  const out = Buffer.allocUnsafe(bytes.length >>> (2 - width));
  for (let from = 0, at = 0; from < bytes.length; from += 4, at += 1 << width) {
    out[at] = bytes[from] ?? 0;
    if (width === 1) out[at + 1] = bytes[from + 1] ?? 0;
  }
  return out;
}

function bytesOf(write: (out: ByteWriter) => void): Buffer {
  const out = createByteWriter();
  write(out);
  return out.bytes();
}
