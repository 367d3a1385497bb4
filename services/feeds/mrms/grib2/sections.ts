import { GranuleRefused } from './refused.ts';

const section_0_bytes = 16;
const end_marker = '7777';
/** Sections of a message with one grid, in order. Section 2, for local use, may stand between 1 and 3 and is passed over. */
const numbers = [1, 3, 4, 5, 6, 7] as const;

/** Each section with its header of five bytes: identification, grid, product, packing, bit-map, data. */
export type Sections = readonly [Buffer, Buffer, Buffer, Buffer, Buffer, Buffer];

/**
 * Cuts a message into its sections. The object must be exactly one message with one grid: what follows the first would be passed over in
 * silence otherwise.
 */
export function splitSections(bytes: Buffer): { discipline: number; sections: Sections } {
  if (bytes.toString('latin1', 0, 4) !== 'GRIB')
    throw new GranuleRefused('not-grib', 'The object does not begin as a GRIB message.');
  if (bytes.length < section_0_bytes + 4)
    throw new GranuleRefused('length', 'The object ends within the first section.');
  if (bytes.readUInt8(7) !== 2) throw new GranuleRefused('edition', 'The message is not of edition 2.');
  if (bytes.readBigUInt64BE(8) !== BigInt(bytes.length))
    throw new GranuleRefused('length', 'The message is not as long as it says.');
  const end = bytes.length - 4;
  if (bytes.toString('latin1', end) !== end_marker)
    throw new GranuleRefused('no-end-marker', 'The message does not end with 7777.');

  let at = section_0_bytes;
  const next = (): Buffer => {
    if (end - at < 5) throw new GranuleRefused('sections', 'The message ends before its last section.');
    const length = bytes.readUInt32BE(at);
    if (length < 5 || length > end - at)
      throw new GranuleRefused('sections', 'A section reaches beyond the message.');
    at += length;
    return bytes.subarray(at - length, at);
  };
  const sections = numbers.map((number): Buffer => {
    let section = next();
    if (number === 3 && section[4] === 2) section = next();
    if (section[4] === number) return section;
    throw new GranuleRefused('sections', `Section ${number} is not where it belongs.`);
  });
  if (at !== end)
    throw new GranuleRefused('sections', 'More follows the data section: only one grid is read.');
  return { discipline: bytes.readUInt8(6), sections: sections as unknown as Sections };
}
