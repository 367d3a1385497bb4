import { deflateSync, gunzipSync, gzipSync } from 'node:zlib';
import { joinGranule, joinPicture } from './encode-granule.ts';

/** A cell of the grid, numbered `row * columns + column`, and its size in tenths of a millimetre. */
export type Cell = readonly [index: number, size_tenths_mm: number];

/** What a derived granule says: the GRIB parameter's number, its reference time in epoch milliseconds UTC, and its hail. NOT REAL. */
export interface DerivedGranule {
  number: number;
  reference_ms: number;
  cells: readonly Cell[];
}

/** "No hail" as the mosaic writes it: -1.0 mm over its reference of -3.0 mm. */
const no_hail_tenths_mm = -10;
const reference_tenths_mm = -30;

/**
 * Makes granules out of a recorded one, gzipped: its own sections with another parameter, time and picture. A cell that is not named holds
 * "no hail", also where the recorded grid has no coverage. As at the publisher, a cell takes 8 bits unless a size needs 16. A list of cells
 * is packed once, however many granules hold it.
 */
export function createGranuleMaker(recorded: Buffer): (granule: DerivedGranule) => Buffer {
  const message = gunzipSync(recorded);
  const sections = sectionsOf(message);
  const columns = section(sections, 3).readUInt32BE(30);
  const rows = section(sections, 3).readUInt32BE(34);
  const pictures = new WeakMap<readonly Cell[], Buffer>();

  return ({ number, reference_ms, cells }) => {
    const largest = cells.reduce((most, [, size]) => Math.max(most, size), no_hail_tenths_mm);
    const bits = largest - reference_tenths_mm > 255 ? 16 : 8;
    const png = pictures.get(cells) ?? picture(columns, rows, bits, cells);
    pictures.set(cells, png);

    const identification = Buffer.from(section(sections, 1));
    const at = new Date(reference_ms);
    identification.writeUInt16BE(at.getUTCFullYear(), 12);
    identification.set([at.getUTCMonth() + 1, at.getUTCDate(), at.getUTCHours()], 14);
    identification.set([at.getUTCMinutes(), at.getUTCSeconds()], 17);
    const product = Buffer.from(section(sections, 4));
    product.writeUInt8(number, 10);
    const packing = Buffer.from(section(sections, 5));
    packing.writeUInt8(bits, 19);
    const granule = joinGranule({
      discipline: message.readUInt8(6),
      identification,
      grid: section(sections, 3),
      product,
      packing,
      bit_map: section(sections, 6),
      png,
    });
    return gzipSync(granule, { level: 1 });
  };
}

function sectionsOf(message: Buffer): Map<number, Buffer> {
  const sections = new Map<number, Buffer>();
  for (let at = 16; at < message.length - 4;) {
    const length = message.readUInt32BE(at);
    sections.set(message.readUInt8(at + 4), message.subarray(at, at + length));
    at += length;
  }
  return sections;
}

function section(sections: ReadonlyMap<number, Buffer>, number: number): Buffer {
  const found = sections.get(number);
  if (found === undefined) throw new RangeError(`the recorded granule has no section ${number}`);
  return found;
}

/**
 * The cells as a grey PNG. Of 24.5 million cells only the named ones cost anything: the first row says its value once and then "as to the
 * left", every other row "as above", so that all bytes are 0 but those where hail begins and ends.
 */
function picture(columns: number, rows: number, bits: 8 | 16, cells: readonly Cell[]): Buffer {
  const cell_bytes = bits / 8;
  const row_bytes = columns * cell_bytes + 1;
  const filtered = Buffer.alloc(rows * row_bytes);
  /** A filter works on each byte by itself: the bytes of the difference, without a carry from one to the next. */
  const add = (row: number, column: number, from_tenths_mm: number, to_tenths_mm: number): void => {
    if (row >= rows) return;
    const place = row * row_bytes + 1 + column * cell_bytes;
    const from = bytesOf(from_tenths_mm, cell_bytes);
    bytesOf(to_tenths_mm, cell_bytes).forEach((byte, each) => {
      filtered[place + each] = (filtered[place + each] ?? 0) + byte - (from[each] ?? 0);
    });
  };
  filtered.set([1, ...bytesOf(no_hail_tenths_mm, cell_bytes)]);
  for (let row = 1; row < rows; row += 1) filtered[row * row_bytes] = 2;
  for (const [index, size] of cells) {
    const row = Math.floor(index / columns);
    if (row === 0) throw new RangeError('the first row of the grid is kept free of hail');
    add(row, index % columns, no_hail_tenths_mm, size);
    add(row + 1, index % columns, size, no_hail_tenths_mm);
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(columns);
  header.writeUInt32BE(rows, 4);
  header.writeUInt8(bits, 8);
  return joinPicture(header, deflateSync(filtered, { level: 1 }));
}

function bytesOf(tenths_mm: number, cell_bytes: number): number[] {
  const packed = tenths_mm - reference_tenths_mm;
  return cell_bytes === 2 ? [packed >> 8, packed & 255] : [packed];
}
