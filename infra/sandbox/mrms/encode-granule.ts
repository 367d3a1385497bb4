import { crc32, deflateSync, gzipSync } from 'node:zlib';
import type { GridGeometry } from '../../../services/hail/grid.ts';

/** What a made granule says. NOT REAL: for tests and demonstrations, never for data. */
export interface MadeGranule {
  /** 28 is MESH, 30 is MESH_Max_60min. */
  parameter_number: number;
  discipline?: number;
  category?: number;
  /** Epoch milliseconds UTC, whole seconds: the stamp of its key. */
  reference_ms: number;
  geometry: GridGeometry;
  /** Cells that differ from the others, by `row * columns + column`; a cell of -10 has no hail, one of -30 no coverage. */
  cells: readonly { index: number; size_tenths_mm: number }[];
  /** What all other cells say; no hail unless told. */
  default?: 'no_hail' | 'no_coverage';
  /** The fewest that hold the largest cell unless told, 8 or 16, as the publisher chooses them. */
  bits?: 8 | 16 | 24 | 32;
  /** The filter of each row, 0 to 4; 2 unless told, which makes a calm grid a row of zeros. */
  filterOf?: (row: number) => number;
}

/** The five pieces that differ between granules; a test may bend one before `joinGranule` puts them together. */
export interface GranuleParts {
  discipline: number;
  identification: Buffer;
  grid: Buffer;
  product: Buffer;
  packing: Buffer;
  bit_map: Buffer;
  png: Buffer;
}

/** Values are written as the mosaic writes them: tenths of a millimetre over -3. */
const reference = -30;
const codes_tenths_mm = { no_hail: -10, no_coverage: -30 } as const;
/** Bytes of one piece of the picture, as the publisher's encoder cuts them. */
const piece_bytes = 8_192;

/**
 * A granule as the bucket serves it, gzipped: a whole GRIB2 message laid out byte for byte as the mosaic's own (templates 3.0, 4.0, 5.41).
 * NOT REAL: nobody measured what it holds. The whole country takes about half a second and 50 MB while it is made.
 */
export function encodeGranule(granule: MadeGranule): Buffer {
  return gzipSync(joinGranule(granuleParts(granule)));
}

/** The pieces of a granule, for those who bend one before joining them. */
export function granuleParts(granule: MadeGranule): GranuleParts {
  const { geometry, cells, parameter_number, category = 3, discipline = 209 } = granule;
  const largest = cells.reduce((most, { size_tenths_mm }) => Math.max(most, size_tenths_mm), 0);
  const bits = granule.bits ?? (largest - reference > 255 ? 16 : 8);
  return {
    discipline,
    identification: identification(granule.reference_ms),
    grid: gridSection(geometry),
    product: productSection(category, parameter_number),
    packing: packingSection(geometry.rows * geometry.columns, bits),
    bit_map: section(6, Buffer.from([255])),
    png: encodePicture(geometry.columns, geometry.rows, bits / 8, filteredRows(granule, bits / 8)),
  };
}

export function joinGranule(parts: GranuleParts): Buffer {
  const { identification, grid, product, packing, bit_map, png } = parts;
  const body = [identification, grid, product, packing, bit_map, section(7, png), Buffer.from('7777')];
  const head = Buffer.alloc(16);
  head.write('GRIB', 'latin1');
  head.writeUInt8(parts.discipline, 6);
  head.writeUInt8(2, 7);
  head.writeBigUInt64BE(BigInt(body.reduce((sum, { length }) => sum + length, head.length)), 8);
  return Buffer.concat([head, ...body]);
}

export function section(number: number, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(body.length + 5);
  head.writeUInt8(number, 4);
  return Buffer.concat([head, body]);
}

/** A PNG of rows that are filtered already, each with its filter's byte in front. */
export function encodePicture(columns: number, rows: number, cell_bytes: number, filtered: Buffer): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(columns);
  header.writeUInt32BE(rows, 4);
  header.writeUInt8(cell_bytes === 2 ? 16 : 8, 8);
  header.writeUInt8(cell_bytes === 3 ? 2 : cell_bytes === 4 ? 6 : 0, 9);
  return joinPicture(header, deflateSync(filtered));
}

export function joinPicture(header: Buffer, deflated: Buffer): Buffer {
  const pieces = Array.from({ length: Math.ceil(deflated.length / piece_bytes) }, (_, at) =>
    chunk('IDAT', deflated.subarray(at * piece_bytes, (at + 1) * piece_bytes)),
  );
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  return Buffer.concat([signature, chunk('IHDR', header), ...pieces, chunk('IEND', Buffer.alloc(0))]);
}

export function chunk(type: string, body: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), body]);
  const whole = Buffer.alloc(named.length + 8);
  whole.writeUInt32BE(body.length);
  named.copy(whole, 4);
  whole.writeUInt32BE(crc32(named), named.length + 4);
  return whole;
}

function identification(reference_ms: number): Buffer {
  const at = new Date(reference_ms);
  const body = Buffer.from('00a10000ff0103000000000000000207', 'hex');
  body.writeUInt16BE(at.getUTCFullYear(), 7);
  const fields = [
    at.getUTCMonth() + 1,
    at.getUTCDate(),
    at.getUTCHours(),
    at.getUTCMinutes(),
    at.getUTCSeconds(),
  ];
  fields.forEach((field, index) => body.writeUInt8(field, 9 + index));
  return section(1, body);
}

function gridSection({ rows, columns, first_lat, first_lon, step_deg }: GridGeometry): Buffer {
  const body = Buffer.alloc(67);
  const micro = (degrees: number): number => Math.round(degrees * 1e6);
  const east = (degrees: number): number => micro(degrees < 0 ? degrees + 360 : degrees);
  const signed = (degrees: number): number => (degrees < 0 ? micro(-degrees) + 0x80000000 : micro(degrees));
  body.writeUInt32BE(rows * columns, 1);
  // Section 3 counts its octets from the section's head; these are five less.
  Buffer.from('0201006128ee01006152b0010060ff27', 'hex').copy(body, 9);
  body.writeUInt32BE(columns, 25);
  body.writeUInt32BE(rows, 29);
  body.writeUInt32BE(1, 33);
  body.writeUInt32BE(1_000_000, 37);
  body.writeUInt32BE(signed(first_lat), 41);
  body.writeUInt32BE(east(first_lon), 45);
  body.writeUInt8(0x30, 49);
  body.writeUInt32BE(signed(first_lat - (rows - 1) * step_deg), 50);
  body.writeUInt32BE(east(first_lon + (columns - 1) * step_deg), 54);
  body.writeUInt32BE(micro(step_deg), 58);
  body.writeUInt32BE(micro(step_deg), 62);
  return section(3, body);
}

function productSection(category: number, number: number): Buffer {
  const body = Buffer.from('00000000000008006100000000000000006600000001f4ff0100000000', 'hex');
  body.writeUInt8(category, 4);
  body.writeUInt8(number, 5);
  return section(4, body);
}

function packingSection(cells: number, bits: number): Buffer {
  const body = Buffer.alloc(16);
  body.writeUInt32BE(cells);
  body.writeUInt16BE(41, 4);
  body.writeFloatBE(reference, 6);
  body.writeUInt16BE(0, 10);
  body.writeUInt16BE(1, 12);
  body.writeUInt8(bits, 14);
  return section(5, body);
}

/** The cells as rows of a picture, each filtered by its filter. */
function filteredRows(granule: MadeGranule, cell_bytes: number): Buffer {
  const { rows, columns } = granule.geometry;
  const { cells, default: background = 'no_hail', filterOf = () => 2 } = granule;
  const row_bytes = columns * cell_bytes;
  const write = (row: Buffer, column: number, tenths: number): void => {
    // A value that the bits cannot hold throws here.
    row.writeUIntBE(tenths - reference, column * cell_bytes, cell_bytes);
  };
  const calm = Buffer.alloc(row_bytes);
  for (let column = 0; column < columns; column += 1) write(calm, column, codes_tenths_mm[background]);
  const by_row = Map.groupBy(cells, ({ index }) => Math.floor(index / columns));

  let above: Buffer = Buffer.alloc(row_bytes);
  const filtered = Buffer.alloc(rows * (row_bytes + 1));
  for (let row = 0; row < rows; row += 1) {
    const here = by_row.get(row) ?? [];
    const plain = here.length === 0 ? calm : Buffer.from(calm);
    for (const { index, size_tenths_mm } of here) write(plain, index % columns, size_tenths_mm);
    const filter = filterOf(row);
    const first = row * (row_bytes + 1);
    filtered.writeUInt8(filter, first);
    // A row like the one above it is nothing but zeros, which are there already.
    if (filter !== 2 || plain !== above) filterInto(filtered, first + 1, filter, plain, above, cell_bytes);
    above = plain;
  }
  return filtered;
}

function filterInto(
  target: Buffer,
  from: number,
  filter: number,
  plain: Buffer,
  above: Buffer,
  cell_bytes: number,
): void {
  for (let at = 0; at < plain.length; at += 1) {
    const left = at < cell_bytes ? 0 : (plain[at - cell_bytes] ?? 0);
    const corner = at < cell_bytes ? 0 : (above[at - cell_bytes] ?? 0);
    target[from + at] = (plain[at] ?? 0) - predict(filter, left, above[at] ?? 0, corner);
  }
}

function predict(filter: number, left: number, up: number, corner: number): number {
  if (filter === 1) return left;
  if (filter === 2) return up;
  if (filter === 3) return Math.floor((left + up) / 2);
  if (filter !== 4) return 0;
  const nearness = (value: number): number => Math.abs(left + up - corner - value);
  return [left, up, corner].reduce((best, each) => (nearness(each) < nearness(best) ? each : best));
}
