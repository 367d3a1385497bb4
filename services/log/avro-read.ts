import { isUtf8 } from 'node:buffer';
import avro from 'avsc';
import { createCursor, itemsOf, long, take, type Cursor } from './avro-cursor.ts';

type Step = (cursor: Cursor) => unknown;

/** Reads a body that begins at `from`; throws a sentence where the bytes have not the shape of their schema, up to the last one. */
export type Read = (bytes: Buffer, from: number) => unknown;

/**
 * Makes a reader that checks the shape of the bytes as it makes the value: what `createShapeCheck` and avsc do in two passes, in one. Takes
 * what a released schema may differ by, fields with defaults that came or went; null for anything else (promotions, aliases, enums, logical
 * types, records that hold themselves), which is avsc's to resolve.
 */
export function createRead(writer: avro.Type, reader: avro.Type): Read | null {
  const step = stepOf(writer, reader, []);
  if (step === null) return null;
  const cursor = createCursor();
  return (bytes, from) => {
    cursor.bytes = bytes;
    cursor.at = from;
    const value = step(cursor);
    if (cursor.at < bytes.length) throw new Error(`${bytes.length - cursor.at} bytes are left over`);
    return value;
  };
}

/** `around` are the records that hold this type. */
function stepOf(writer: avro.Type, reader: avro.Type, around: readonly avro.Type[]): Step | null {
  const { types } = avro;
  if (writer instanceof types.RecordType && reader instanceof types.RecordType)
    return around.includes(writer) ? null : recordStep(writer, reader, [...around, writer]);
  if (writer instanceof types.UnwrappedUnionType && reader instanceof types.UnwrappedUnionType) {
    const branches = writer.types.map((branch) => {
      const own = reader.types.find((each) => each.branchName === branch.branchName);
      return own === undefined ? null : stepOf(branch, own, around);
    });
    return branches.every((branch) => branch !== null) ? unionStep(branches) : null;
  }
  if (writer instanceof types.ArrayType && reader instanceof types.ArrayType) {
    const item = stepOf(writer.itemsType, reader.itemsType, around);
    return item === null ? null : arrayStep(item);
  }
  if (writer instanceof types.MapType && reader instanceof types.MapType) {
    const value = stepOf(writer.valuesType as avro.Type, reader.valuesType as avro.Type, around);
    return value === null ? null : mapStep(value);
  }
  return writer.typeName === reader.typeName ? (primitives[writer.typeName]?.() ?? null) : null;
}

function recordStep(
  writer: avro.types.RecordType,
  reader: avro.types.RecordType,
  around: readonly avro.Type[],
): Step | null {
  if (writer.name !== reader.name || hasAliases(reader)) return null;
  const steps: Step[] = [];
  const places: number[] = [];
  for (const field of writer.fields) {
    const place = reader.fields.findIndex(({ name }) => name === field.name);
    // A field that the reader has no more is read like the others, and dropped.
    const step = stepOf(field.type, reader.fields[place]?.type ?? field.type, around);
    if (step === null) return null;
    steps.push(step);
    places.push(place);
  }
  const missing = reader.fields.filter((_, place) => !places.includes(place));
  // Without a default there is no way from the one to the other, which avsc says in words.
  if (missing.some((field) => field.defaultValue() === undefined)) return null;
  const make = reader.recordConstructor as new (...values: unknown[]) => unknown;
  if (places.every((place, index) => place === index)) {
    return (cursor) => {
      const values: unknown[] = [];
      for (const step of steps) values.push(step(cursor));
      return new make(...values);
    };
  }
  return (cursor) => {
    const values = new Array<unknown>(reader.fields.length).fill(undefined);
    for (const [index, step] of steps.entries()) {
      const value = step(cursor);
      const place = places[index] ?? -1;
      if (place >= 0) values[place] = value;
    }
    // The constructor puts the default where there is no value.
    return new make(...values);
  };
}

function hasAliases({ aliases, fields }: avro.types.RecordType): boolean {
  return (aliases?.length ?? 0) > 0 || fields.some((field) => field.aliases.length > 0);
}

function unionStep(branches: readonly Step[]): Step {
  return (cursor) => {
    const step = branches[long(cursor)];
    if (step === undefined) throw new Error('a union has no such branch');
    return step(cursor);
  };
}

function arrayStep(item: Step): Step {
  return (cursor) => {
    const values: unknown[] = [];
    for (let count = itemsOf(cursor); count > 0; count = itemsOf(cursor)) {
      for (let index = 0; index < count; index += 1) values.push(item(cursor));
    }
    return values;
  };
}

function mapStep(value: Step): Step {
  const key = textStep();
  return (cursor) => {
    const values: Record<string, unknown> = {};
    for (let count = itemsOf(cursor); count > 0; count = itemsOf(cursor)) {
      for (let index = 0; index < count; index += 1) {
        const name = key(cursor) as string;
        values[name] = value(cursor);
      }
    }
    return values;
  };
}

const primitives: Record<string, (() => Step) | undefined> = {
  null: () => () => null,
  boolean: () => (cursor) => {
    const byte = cursor.bytes[take(cursor, 1)] ?? 2;
    if (byte > 1) throw new Error('a boolean is neither 0 nor 1');
    return byte === 1;
  },
  int: () => (cursor) => {
    const value = long(cursor);
    if (value !== (value | 0)) throw new Error('an int is beyond 32 bits');
    return value;
  },
  long: () => long,
  float: () => (cursor) => cursor.bytes.readFloatLE(take(cursor, 4)),
  double: () => (cursor) => cursor.bytes.readDoubleLE(take(cursor, 8)),
  bytes: () => (cursor) => {
    const length = long(cursor);
    const from = take(cursor, length);
    return Buffer.from(cursor.bytes.subarray(from, from + length));
  },
  string: textStep,
};

/** Longer texts are not remembered. */
const most_known_bytes = 256;

/**
 * A text that is the one this field had in the message before is given again: most fields of neighbours are equal (publisher, document, slice),
 * and a text made once is compared, hashed and collected once. Only ASCII is remembered, whose letters are its bytes.
 */
function textStep(): Step {
  const known = new Uint8Array(most_known_bytes);
  let known_text = '';
  return (cursor) => {
    const { bytes } = cursor;
    const length = long(cursor);
    const from = take(cursor, length);
    const until = from + length;
    if (length <= most_known_bytes) {
      let at = 0;
      if (length === known_text.length) while (at < length && known[at] === bytes[from + at]) at += 1;
      if (at === length && length === known_text.length) return known_text;
      for (; at < length; at += 1) {
        const byte = bytes[from + at] ?? 0;
        if (byte >= 0x80) break;
        known[at] = byte;
      }
      if (at === length) {
        known_text = bytes.toString('latin1', from, until);
        return known_text;
      }
      known_text = '';
    }
    if (!isUtf8(bytes.subarray(from, until))) throw new Error('a text is not UTF-8');
    return bytes.toString('utf8', from, until);
  };
}
