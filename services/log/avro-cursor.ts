/** Bytes of Avro's encoding and the place in them that is read next. */
export interface Cursor {
  bytes: Buffer;
  at: number;
}

export function createCursor(bytes: Buffer = Buffer.alloc(0)): Cursor {
  return { bytes, at: 0 };
}

/** Passes over `length` bytes and returns where they began. */
export function take(cursor: Cursor, length: number): number {
  const from = cursor.at;
  if (length < 0 || length > cursor.bytes.length - from) throw new Error('the bytes end in the middle');
  cursor.at = from + length;
  return from;
}

/** A zigzag number of at most ten bytes. */
export function long(cursor: Cursor): number {
  const { bytes } = cursor;
  // Lengths and branches are nearly all of the numbers there are, and have one byte.
  const first = bytes[cursor.at];
  if (first !== undefined && first < 0x80) {
    cursor.at += 1;
    return (first >>> 1) ^ -(first & 1);
  }
  let value = 0;
  let scale = 1;
  for (let count = 0; count < 10; count += 1) {
    const byte = bytes[take(cursor, 1)] ?? 0;
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

/**
 * How many items the next block of a list has, 0 at its end. Arrays and maps come in counted blocks; a negative count is followed by the
 * block's size in bytes. An item of a schema's takes a byte or nothing, so more of them than bytes are left is damage, found before one is made.
 */
export function itemsOf(cursor: Cursor): number {
  const count = long(cursor);
  if (count < 0) long(cursor);
  const items = Math.abs(count);
  if (items > cursor.bytes.length - cursor.at) throw new Error('a list has more items than there are bytes');
  return items;
}
