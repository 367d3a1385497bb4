import type { GridGeometry } from '../../../hail/grid.ts';
import { readGrid } from './grid.ts';
import { GranuleRefused } from './refused.ts';
import { splitSections } from './sections.ts';

/** How whole numbers become values: value = (reference + X * 2^binary) / 10^decimal. Read from each message, never assumed. */
export interface Packing {
  reference: number;
  binary: number;
  decimal: number;
  /** Bits of X: 8, 16, 24 or 32. Changes from file to file of one product. */
  bits: number;
}

/** One GRIB2 message of the kind the mosaic uses: a regular grid, packed as a PNG picture. */
export interface GribMessage {
  discipline: number;
  category: number;
  number: number;
  /** Epoch milliseconds UTC; the publisher writes seconds. */
  reference_ms: number;
  geometry: GridGeometry;
  packing: Packing;
  /** The picture's bytes, a view of the message. */
  png: Buffer;
}

/** Beyond this a power of ten or two is no scale of a physical quantity, and its products leave the exact numbers. */
const max_scale = 30;

/**
 * Reads the header of a message: edition 2, grid template 3.0, product template 4.0, packing template 5.41, no bit-map. Everything else is
 * refused with its own reason: another layout read by these offsets would give plausible hail at wrong places.
 */
export function readMessage(bytes: Buffer): GribMessage {
  const { discipline, sections } = splitSections(bytes);
  const [identification, grid, product, packing, bit_map, data] = sections;
  const geometry = readGrid(grid);
  if (product.length < 34 || product.readUInt16BE(7) !== 0)
    throw new GranuleRefused('product-template', 'The product is not described by template 4.0.');
  if (bit_map.length !== 6 || bit_map[5] !== 255)
    throw new GranuleRefused('bit-map', 'The message has a bit-map.');
  return {
    discipline,
    category: product.readUInt8(9),
    number: product.readUInt8(10),
    reference_ms: referenceTime(identification),
    geometry,
    packing: readPacking(packing, geometry),
    png: data.subarray(5),
  };
}

function referenceTime(section: Buffer): number {
  if (section.length < 21)
    throw new GranuleRefused('reference-time', 'The message has no whole reference time.');
  const year = section.readUInt16BE(12);
  const fields = Array.from({ length: 5 }, (_, at) => section.readUInt8(14 + at));
  const [month = 0, day = 0, hour = 0, minute = 0, second = 0] = fields;
  const written = [
    String(year).padStart(4, '0'),
    ...fields.map((field) => String(field).padStart(2, '0')),
  ].join('');
  const at = new Date(Date.UTC(year, month - 1, day, hour, minute, second));
  // Date.UTC takes 31 June for 1 July; such a time is a fault of the message.
  if (Number.isNaN(at.getTime()) || at.toISOString().replace(/\D/g, '').slice(0, 14) !== written)
    throw new GranuleRefused('reference-time', 'The reference time is no time of the calendar.');
  return at.getTime();
}

function readPacking(section: Buffer, { rows, columns }: GridGeometry): Packing {
  if (section.length < 21 || section.readUInt16BE(9) !== 41)
    throw new GranuleRefused('packing-template', 'The cells are not packed by template 5.41 (PNG).');
  if (section.readUInt32BE(5) !== rows * columns)
    throw new GranuleRefused('grid', 'The number of packed cells is not rows times columns.');
  const packing = {
    reference: section.readFloatBE(11),
    binary: signAndMagnitude(section.readUInt16BE(15)),
    decimal: signAndMagnitude(section.readUInt16BE(17)),
    bits: section.readUInt8(19),
  };
  if (![8, 16, 24, 32].includes(packing.bits))
    throw new GranuleRefused('packing-bits', `Cells of ${packing.bits} bits are not supported.`);
  const in_reason = [packing.binary, packing.decimal].every((power) => Math.abs(power) <= max_scale);
  if (!Number.isFinite(packing.reference) || !in_reason)
    throw new GranuleRefused('packing-scale', 'The scale of the values is out of all reason.');
  return packing;
}

/** GRIB writes negative numbers as a sign bit and a magnitude, not as two's complement. */
function signAndMagnitude(field: number): number {
  return field & 0x8000 ? -(field & 0x7fff) : field;
}
