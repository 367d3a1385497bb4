import { isUtf8 } from 'node:buffer';
import avro from 'avsc';

interface Cursor {
  bytes: Buffer;
  at: number;
}

type Step = (cursor: Cursor) => void;

/**
 * Makes a check that bytes have the shape their writer's schema says, up to the last one; it throws a sentence where they have not. avsc
 * looks for the end of the bytes only when it has read everything, so a damaged count of an array would have it make items of nothing until
 * the process is out of memory, and it takes damaged text and integers beyond 32 bits as they come. One bad message must cost only itself.
 */
export function createShapeCheck(type: avro.Type): (bytes: Buffer) => void {
  const step = stepOf(type, new Map());
  return (bytes) => {
    const cursor = { bytes, at: 0 };
    step(cursor);
    if (cursor.at < bytes.length) throw new Error(`${bytes.length - cursor.at} bytes are left over`);
  };
}

/** The fields of a record that bytes hold whole, with where each begins and ends, and what is wrong after them; null where nothing is. */
export interface WholeFields {
  fields: { field: avro.types.Field; from: number; until: number }[];
  problem: string | null;
}

/** How far bytes have the shape of a record: for people who look at damaged ones. */
export function wholeFields(type: avro.types.RecordType, bytes: Buffer): WholeFields {
  const cursor = { bytes, at: 0 };
  const known = new Map<avro.Type, Step>();
  const fields: WholeFields['fields'] = [];
  try {
    for (const field of type.fields) {
      const from = cursor.at;
      stepOf(field.type, known)(cursor);
      fields.push({ field, from, until: cursor.at });
    }
  } catch (error) {
    return { fields, problem: error instanceof Error ? error.message : String(error) };
  }
  const left = bytes.length - cursor.at;
  return { fields, problem: left > 0 ? `${left} bytes are left over` : null };
}

function stepOf(type: avro.Type, known: Map<avro.Type, Step>): Step {
  const found = known.get(type);
  if (found !== undefined) return found;
  // A record can hold itself, so its step exists before those of its fields.
  let made: Step = () => undefined;
  known.set(type, (cursor) => made(cursor));
  made = makeStep(type, (inner) => stepOf(inner, known));
  known.set(type, made);
  return made;
}

function makeStep(type: avro.Type, inner: (type: avro.Type) => Step): Step {
  const { types } = avro;
  if (type instanceof types.RecordType) {
    const steps = type.fields.map((field) => inner(field.type));
    return (cursor) => {
      for (const step of steps) step(cursor);
    };
  }
  if (type instanceof types.UnwrappedUnionType || type instanceof types.WrappedUnionType) {
    const steps = type.types.map(inner);
    return (cursor) => {
      const step = steps[long(cursor)];
      if (step === undefined) throw new Error('a union has no such branch');
      step(cursor);
    };
  }
  if (type instanceof types.ArrayType) {
    const item = inner(type.itemsType);
    return (cursor) => blocks(cursor, item);
  }
  if (type instanceof types.MapType) {
    const value = inner(type.valuesType as avro.Type);
    return (cursor) =>
      blocks(cursor, (at) => {
        text(at);
        value(at);
      });
  }
  if (type instanceof types.EnumType) {
    const { length } = type.symbols;
    return (cursor) => {
      const index = long(cursor);
      if (index < 0 || index >= length) throw new Error('an enum has no such symbol');
    };
  }
  if (type instanceof types.LogicalType) return inner(type.underlyingType);
  if (type instanceof types.FixedType) return bytesOf(type.size);
  const primitive = primitives[type.typeName];
  if (primitive === undefined) throw new Error(`a schema of type ${type.typeName} is not read here`);
  return primitive;
}

const primitives: Record<string, Step | undefined> = {
  null: () => undefined,
  boolean: (cursor) => {
    if ((cursor.bytes[take(cursor, 1)] ?? 2) > 1) throw new Error('a boolean is neither 0 nor 1');
  },
  int: (cursor) => {
    const value = long(cursor);
    if (value !== (value | 0)) throw new Error('an int is beyond 32 bits');
  },
  long,
  float: bytesOf(4),
  double: bytesOf(8),
  bytes: (cursor) => void take(cursor, long(cursor)),
  string: text,
};

/** Arrays and maps come in counted blocks and end with a count of 0; a negative count is followed by the block's size in bytes. */
function blocks(cursor: Cursor, item: Step): void {
  for (;;) {
    const count = long(cursor);
    if (count === 0) return;
    if (count < 0) long(cursor);
    const items = Math.abs(count);
    if (items > cursor.bytes.length - cursor.at)
      throw new Error('a list has more items than there are bytes');
    for (let index = 0; index < items; index += 1) item(cursor);
  }
}

function text(cursor: Cursor): void {
  const length = long(cursor);
  const from = take(cursor, length);
  if (!isUtf8(cursor.bytes.subarray(from, from + length))) throw new Error('a text is not UTF-8');
}

function bytesOf(length: number): Step {
  return (cursor) => void take(cursor, length);
}

/** Passes over `length` bytes and returns where they began. */
function take(cursor: Cursor, length: number): number {
  const from = cursor.at;
  if (length < 0 || length > cursor.bytes.length - from) throw new Error('the bytes end in the middle');
  cursor.at = from + length;
  return from;
}

/** A zigzag number of at most ten bytes. */
function long(cursor: Cursor): number {
  let value = 0;
  let scale = 1;
  for (let count = 0; count < 10; count += 1) {
    const byte = cursor.bytes[take(cursor, 1)] ?? 0;
    value += (byte & 0x7f) * scale;
    scale *= 128;
    if (byte >= 0x80) continue;
    const signed = value % 2 === 0 ? value / 2 : -(value + 1) / 2;
    if (value > Number.MAX_SAFE_INTEGER || !Number.isSafeInteger(signed)) {
      throw new Error('a number is beyond what can be held exactly');
    }
    return signed;
  }
  throw new Error('a number does not end');
}
