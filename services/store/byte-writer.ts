/** Little-endian numbers and texts, one after another, in memory that grows. */
export interface ByteWriter {
  uint8: (value: number) => void;
  uint16: (value: number) => void;
  /** Takes negative numbers too, as 32 bits of two's complement. */
  uint32: (value: number) => void;
  /** A safe integer as 64 bits of two's complement. */
  int64: (value: number) => void;
  float64: (value: number) => void;
  /** A length of 7 bits a byte, the lowest first. */
  count: (value: number) => void;
  /** Its length in bytes, then UTF-8. */
  text: (value: string) => void;
  /** What was written, until something else is. */
  bytes: () => Buffer;
  /** Forgets what was written and keeps the memory. */
  clear: () => void;
}

const first_bytes = 256;

export function createByteWriter(): ByteWriter {
  let memory = Buffer.allocUnsafeSlow(first_bytes);
  let view = new DataView(memory.buffer);
  let at = 0;

  const reserve = (bytes: number): void => {
    if (at + bytes <= memory.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(memory.length * 2, at + bytes));
    memory.copy(larger, 0, 0, at);
    memory = larger;
    view = new DataView(memory.buffer);
  };
  const count = (value: number): void => {
    reserve(5);
    let rest = value;
    for (; rest >= 0x80; rest >>>= 7) memory[at++] = (rest & 0x7f) | 0x80;
    memory[at++] = rest;
  };

  return {
    uint8: (value) => {
      reserve(1);
      memory[at++] = value;
    },
    uint16: (value) => {
      reserve(2);
      view.setUint16(at, value, true);
      at += 2;
    },
    uint32: (value) => {
      reserve(4);
      view.setUint32(at, value, true);
      at += 4;
    },
    int64: (value) => {
      reserve(8);
      // The view takes numbers modulo 2^32, and the division rounds down, also below zero.
      view.setUint32(at, value, true);
      view.setInt32(at + 4, Math.floor(value / 0x100000000), true);
      at += 8;
    },
    float64: (value) => {
      reserve(8);
      view.setFloat64(at, value, true);
      at += 8;
    },
    count,
    text: (value) => {
      const { length } = value;
      reserve(length + 5);
      const began = at;
      count(length);
      // Nearly all texts are short and ASCII, for which a call into the engine costs more than the letters.
      for (let index = 0; index < length; index += 1) {
        const code = value.charCodeAt(index);
        if (code >= 0x80) {
          at = began;
          const bytes = Buffer.byteLength(value);
          count(bytes);
          reserve(bytes);
          memory.write(value, at, 'utf8');
          at += bytes;
          return;
        }
        memory[at++] = code;
      }
    },
    bytes: () => memory.subarray(0, at),
    clear: () => {
      at = 0;
    },
  };
}
