import { inflatePieces } from './inflate.ts';
import type { GribMessage } from './message.ts';
import { readPicture } from './png.ts';
import { GranuleRefused } from './refused.ts';
import { unfilterRow } from './unfilter.ts';

/** The packed numbers X of one row, west to east, valid during the call only; rows come from north to south. */
export type OnRow = (row: number, packed: PackedRow) => void;
export type PackedRow = Uint8Array | Uint16Array | Uint32Array;

/**
 * Streams the cells of a message row by row. Two rows are held and never the grid, so that a granule of 24.5 million cells costs no
 * memory. A row that was handed out may belong to a message that is refused in the end: nothing may be kept before this resolves.
 */
export async function readRows(message: GribMessage, onRow: OnRow): Promise<void> {
  const { geometry, packing, png } = message;
  const { columns, rows, cell_bytes, pieces } = readPicture(png);
  if (columns !== geometry.columns || rows !== geometry.rows)
    throw new GranuleRefused('png-size', 'The picture is not as large as the grid.');
  if (cell_bytes * 8 !== packing.bits)
    throw new GranuleRefused(
      'png-depth',
      'The cells of the picture do not have the bits that the message says.',
    );

  const row_bytes = columns * cell_bytes;
  // Each holds the filter's byte and a row; they change places after each row.
  let current = Buffer.alloc(row_bytes + 1);
  let above = Buffer.alloc(row_bytes + 1);
  const unpack = createUnpacker(columns, cell_bytes);
  let filled = 0;
  let row = 0;
  await inflatePieces(pieces, (chunk) => {
    for (let from = 0; from < chunk.length;) {
      if (row === rows) throw new GranuleRefused('inflated-length', 'The picture holds more than its rows.');
      const until = Math.min(chunk.length, from + current.length - filled);
      filled += chunk.copy(current, filled, from, until);
      from = until;
      if (filled < current.length) continue;
      unfilterRow(current.readUInt8(0), current.subarray(1), above.subarray(1), cell_bytes);
      onRow(row, unpack(current.subarray(1)));
      [current, above] = [above, current];
      filled = 0;
      row += 1;
    }
  });
  if (row !== rows || filled !== 0)
    throw new GranuleRefused('inflated-length', 'The picture holds less than its rows.');
}

const is_little_endian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

/** Cells are written with the most significant byte first; RGB and RGBA are numbers of 24 and 32 bits cut into samples. */
function createUnpacker(columns: number, cell_bytes: number): (row: Buffer) => PackedRow {
  if (cell_bytes === 1) return (row) => row;
  if (cell_bytes === 2) {
    const packed = new Uint16Array(columns);
    const bytes = Buffer.from(packed.buffer);
    return (row) => {
      row.copy(bytes);
      if (is_little_endian) bytes.swap16();
      return packed;
    };
  }
  const packed = new Uint32Array(columns);
  return (row) => {
    for (let column = 0; column < columns; column += 1) {
      packed[column] = row.readUIntBE(column * cell_bytes, cell_bytes);
    }
    return packed;
  };
}
