// An independent reading of a GRIB2 message for tests: it shares nothing with the decoder of the service or the encoder of the sandbox.
import { gunzipSync, inflateSync } from 'node:zlib';

export interface ReadGranule {
  discipline: number;
  category: number;
  number: number;
  /** Year, month, day, hour, minute, second of section 1. */
  reference: number[];
  columns: number;
  rows: number;
  bits: number;
  /** The packed value of every cell, from the north-west. */
  packed: Uint16Array;
}

/** Reads a granule of 8 or 16 bits in grey; the sections 1 and 3 to 7 once each, as the mosaic writes them. */
export function readGranule(gzipped: Buffer): ReadGranule {
  const message = gunzipSync(gzipped);
  const at = new Map<number, number>();
  for (let place = 16; place < message.length - 4; place += message.readUInt32BE(place)) {
    at.set(message.readUInt8(place + 4), place);
  }
  const place = (section: number, octet: number): number => (at.get(section) ?? NaN) + octet - 1;
  const columns = message.readUInt32BE(place(3, 31));
  const rows = message.readUInt32BE(place(3, 35));
  const bits = message.readUInt8(place(5, 20));
  return {
    discipline: message.readUInt8(6),
    category: message.readUInt8(place(4, 10)),
    number: message.readUInt8(place(4, 11)),
    reference: [
      message.readUInt16BE(place(1, 13)),
      ...[15, 16, 17, 18, 19].map((octet) => message.readUInt8(place(1, octet))),
    ],
    columns,
    rows,
    bits,
    packed: pixels(message.subarray(place(7, 6), message.length - 4), { columns, rows, bits }),
  };
}

function pixels(
  png: Buffer,
  { columns, rows, bits }: { columns: number; rows: number; bits: number },
): Uint16Array {
  const pieces: Buffer[] = [];
  for (let place = 8; place < png.length; place += png.readUInt32BE(place) + 12) {
    if (png.toString('latin1', place + 4, place + 8) === 'IDAT') {
      pieces.push(png.subarray(place + 8, place + 8 + png.readUInt32BE(place)));
    }
  }
  const bytes = inflateSync(Buffer.concat(pieces));
  const step = bits / 8;
  const length = columns * step;
  const found = new Uint16Array(columns * rows);
  let above = new Uint8Array(length);
  for (let row = 0; row < rows; row += 1) {
    const begin = row * (length + 1);
    const line = new Uint8Array(bytes.buffer, bytes.byteOffset + begin + 1, length);
    unfilter(bytes[begin] ?? 0, line, above, step);
    for (let column = 0; column < columns; column += 1) {
      const value = line[column * step] ?? 0;
      found[row * columns + column] = step === 2 ? value * 256 + (line[column * 2 + 1] ?? 0) : value;
    }
    above = line;
  }
  return found;
}

function unfilter(filter: number, line: Uint8Array, above: Uint8Array, step: number): void {
  if (filter === 0) return;
  for (let at = 0; at < line.length; at += 1) {
    const left = at < step ? 0 : (line[at - step] ?? 0);
    const up = above[at] ?? 0;
    let guess = filter === 1 ? left : filter === 2 ? up : (left + up) >> 1;
    if (filter === 4) {
      const corner = at < step ? 0 : (above[at - step] ?? 0);
      const [to_left, to_up, to_corner] = [
        Math.abs(up - corner),
        Math.abs(left - corner),
        Math.abs(left + up - 2 * corner),
      ];
      guess = to_left <= to_up && to_left <= to_corner ? left : to_up <= to_corner ? up : corner;
    }
    line[at] = (line[at] ?? 0) + guess;
  }
}
