import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deflateSync, gzipSync, inflateSync } from 'node:zlib';
import {
  chunk,
  encodeGranule,
  granuleParts,
  joinGranule,
  joinPicture,
  section,
  type GranuleParts,
  type MadeGranule,
} from '../../../../infra/sandbox/mrms/encode-granule.ts';
import { decodeGranule, max_message_bytes } from '../../../../services/feeds/mrms/decode.ts';
import {
  GranuleRefused,
  refusals,
  type GranuleRefusal,
} from '../../../../services/feeds/mrms/grib2/refused.ts';
import { most_hail_cells } from '../../../../services/feeds/mrms/mesh-cells.ts';
import { made_hour, made_stamp } from '../../../support/granules.ts';

const expected = { product: 'MESH_Max_60min', stamp: made_stamp } as const;
const parts = granuleParts(made_hour);
const whole = joinGranule(parts);
const { png } = parts;

/** A copy with bytes written over it. */
function bent(bytes: Buffer, at: number, ...values: number[]): Buffer {
  const copy = Buffer.from(bytes);
  values.forEach((value, index) => (copy[at + index] = value));
  return copy;
}

const having = (change: Partial<GranuleParts>): Buffer => joinGranule({ ...parts, ...change });
const made = (change: Partial<MadeGranule>): Buffer => encodeGranule({ ...made_hour, ...change });
const cut = (bytes: Buffer, count: number): Buffer => bytes.subarray(0, bytes.length - count);

// The picture: a signature of 8 bytes, the header's chunk of 25, one piece, and the end's chunk of 12.
const header = png.subarray(16, 29);
const deflated = png.subarray(33 + 8, -12 - 4);
const rows = inflateSync(deflated);
const picture = (change: { header?: Buffer; deflated?: Buffer }): Buffer =>
  having({ png: joinPicture(change.header ?? header, change.deflated ?? deflated) });
const piece = chunk('IDAT', deflated);
const signature = png.subarray(0, 8);
const chunks = (...list: Buffer[]): Buffer => having({ png: Buffer.concat([signature, ...list]) });
const first = chunk('IHDR', header);
const last = chunk('IEND', Buffer.alloc(0));

/** What is wrong, and the word for it. Faults of the decoder's thread are in granule-decoder.test.ts. */
const faults: readonly [GranuleRefusal, string, Buffer][] = [
  ['bad-gzip', 'gzip cut short', cut(gzipSync(whole), 1)],
  ['bad-gzip', 'gzip with a wrong checksum', bent(gzipSync(whole), gzipSync(whole).length - 8, 1, 2, 3, 4)],
  ['bad-gzip', 'gzip with more behind it', Buffer.concat([gzipSync(whole), Buffer.from('more')])],
  ['bad-gzip', 'gzip of an unknown method', bent(gzipSync(whole), 2, 7)],
  [
    'too-large',
    'a body of zeros that inflates a thousandfold',
    gzipSync(Buffer.alloc(max_message_bytes + 1)),
  ],
  ['too-large', 'a plain body that is too large', Buffer.alloc(max_message_bytes + 1)],
  ['not-grib', 'nothing at all', Buffer.alloc(0)],
  ['not-grib', 'an error page', Buffer.from('<?xml version="1.0"?><Error><Code>SlowDown</Code></Error>')],
  ['edition', 'edition 1', bent(whole, 7, 1)],
  ['length', 'a message cut short', cut(whole, 1)],
  ['length', 'more behind the message', Buffer.concat([whole, Buffer.from([0])])],
  ['length', 'two messages in one gzip', Buffer.concat([gzipSync(whole), gzipSync(whole)])],
  ['length', 'the first section alone', whole.subarray(0, 16)],
  ['no-end-marker', 'another end', bent(whole, whole.length - 1, 0x38)],
  [
    'sections',
    'a section twice',
    having({ identification: Buffer.concat([parts.identification, parts.identification]) }),
  ],
  ['sections', 'a section left out', having({ product: Buffer.alloc(0) })],
  ['sections', 'a section that reaches beyond the message', bent(whole, 16, 0x7f)],
  ['sections', 'a section of no length', bent(whole, 16, 0, 0, 0, 0)],
  [
    'sections',
    'more after the data',
    having({
      png: Buffer.concat([png, section(7, png)]).subarray(0, png.length),
      bit_map: Buffer.concat([parts.bit_map, section(7, png), section(6, Buffer.from([255]))]),
    }),
  ],
  ['reference-time', '31 June', having({ identification: bent(parts.identification, 14, 6, 31) })],
  ['reference-time', 'the 25th hour', having({ identification: bent(parts.identification, 16, 25) })],
  ['reference-time', 'a short section', having({ identification: section(1, Buffer.alloc(10)) })],
  ['grid-template', 'template 3.30', having({ grid: bent(parts.grid, 13, 30) })],
  ['grid-template', 'a predefined grid', having({ grid: bent(parts.grid, 5, 1) })],
  ['grid-template', 'a short section', having({ grid: section(3, parts.grid.subarray(5, -1)) })],
  ['scan-mode', 'from south to north', having({ grid: bent(parts.grid, 71, 0x40) })],
  ['grid', 'rows of different lengths', having({ grid: bent(parts.grid, 10, 1) })],
  ['grid', 'no columns', having({ grid: bent(parts.grid, 30, 0, 0, 0, 0) })],
  ['grid', 'more columns than any grid has', having({ grid: bent(parts.grid, 30, 0x7f) })],
  ['grid', 'more cells than rows times columns', having({ grid: bent(parts.grid, 9, 109) })],
  ['grid', 'another unit of angle', having({ grid: bent(parts.grid, 44, 1) })],
  ['grid', 'no step given', having({ grid: bent(parts.grid, 54, 0) })],
  ['grid', 'two steps', having({ grid: bent(parts.grid, 66, 0x11) })],
  ['grid', 'a last point that does not fit', having({ grid: bent(parts.grid, 57, 0xff) })],
  ['grid', 'a place off the globe', made({ geometry: { ...made_hour.geometry, first_lat: 90.005 } })],
  ['grid', 'another number of packed cells', having({ packing: bent(parts.packing, 8, 109) })],
  ['product-template', 'template 4.8', having({ product: bent(parts.product, 8, 8) })],
  ['packing-template', 'template 5.40', having({ packing: bent(parts.packing, 10, 40) })],
  [
    'packing-scale',
    'a reference that is no number',
    having({ packing: bent(parts.packing, 11, 0x7f, 0xc0) }),
  ],
  ['packing-scale', 'a scale out of all reason', having({ packing: bent(parts.packing, 17, 1) })],
  ['packing-bits', 'twelve bits', having({ packing: bent(parts.packing, 19, 12) })],
  ['bit-map', 'a bit-map', having({ bit_map: section(6, Buffer.from([0, 0xff])) })],
  ['png-signature', 'another picture', having({ png: bent(png, 1, 0x51) })],
  ['png-signature', 'no picture', having({ png: Buffer.alloc(0) })],
  ['png-chunks', 'a chunk that reaches beyond the picture', having({ png: bent(png, 33, 0x7f) })],
  ['png-chunks', 'no header', chunks(piece, last)],
  ['png-chunks', 'a short header', chunks(chunk('IHDR', header.subarray(1)), piece, last)],
  ['png-chunks', 'no data', chunks(first, last)],
  ['png-chunks', 'no end', chunks(first, piece)],
  ['png-chunks', 'more behind the end', chunks(first, piece, last, last)],
  ['png-chunks', 'data in two places', chunks(first, piece, chunk('tEXt', Buffer.alloc(3)), piece, last)],
  ['png-chunks', 'two headers', chunks(first, first, piece, last)],
  ['png-chunks', 'a palette', chunks(first, chunk('PLTE', Buffer.alloc(3)), piece, last)],
  ['png-checksum', 'a damaged piece', having({ png: bent(png, 45, (png[45] ?? 0) ^ 1) })],
  ['png-checksum', 'a damaged checksum', having({ png: bent(png, png.length - 1, 0) })],
  ['png-size', 'a column less', picture({ header: bent(header, 3, 8) })],
  ['png-size', 'rows and columns exchanged', picture({ header: bent(header, 3, 12, 0, 0, 0, 9) })],
  ['png-interlace', 'interlaced', picture({ header: bent(header, 12, 1) })],
  ['png-method', 'another compression', picture({ header: bent(header, 10, 1) })],
  ['png-method', 'another family of filters', picture({ header: bent(header, 11, 64) })],
  ['png-depth', 'a palette', picture({ header: bent(header, 9, 3) })],
  ['png-depth', 'RGB of 16 bits', picture({ header: bent(header, 9, 2) })],
  ['png-depth', 'four bits', picture({ header: bent(header, 8, 4) })],
  ['png-depth', '8 bits where the message says 16', picture({ header: bent(header, 8, 8) })],
  ['png-depth', '16 bits where the message says 8', having({ packing: bent(parts.packing, 19, 8) })],
  [
    'inflate',
    'a wrong checksum of the whole',
    picture({ deflated: bent(deflated, deflated.length - 1, 0, 0) }),
  ],
  ['inflate', 'compressed bytes cut short', picture({ deflated: cut(deflated, 5) })],
  ['inflate', 'more behind the compressed bytes', picture({ deflated: Buffer.concat([deflated, deflated]) })],
  ['inflate', 'no compressed bytes', picture({ deflated: bent(deflated, 0, 0) })],
  ['inflated-length', 'a byte too few', picture({ deflated: deflateSync(cut(rows, 1)) })],
  ['inflated-length', 'a row too few', picture({ deflated: deflateSync(cut(rows, 19)) })],
  [
    'inflated-length',
    'a byte too many',
    picture({ deflated: deflateSync(Buffer.concat([rows, Buffer.of(0)])) }),
  ],
  [
    'inflated-length',
    'a picture of zeros that inflates a thousandfold',
    picture({ deflated: deflateSync(Buffer.alloc(200_000_000)) }),
  ],
  ['row-filter', 'a sixth filter', picture({ deflated: deflateSync(bent(rows, 19, 5)) })],
  ['unknown-product', 'reflectivity', made({ category: 10, parameter_number: 0 })],
  ['unknown-product', 'another discipline', made({ discipline: 0 })],
  ['other-product', 'MESH under the key of the hour', made({ parameter_number: 28 })],
  ['other-time', 'an hour later than its key', made({ reference_ms: made_stamp + 3_600_000 })],
  ['other-time', 'a second later than its key', made({ reference_ms: made_stamp + 1_000 })],
  ['value', 'a size that no hailstone has', made({ cells: [{ index: 5, size_tenths_mm: 3_049 }] })],
  ['value', 'below zero and no code', made({ cells: [{ index: 5, size_tenths_mm: -20 }] })],
  ['value', 'another scale', having({ packing: bent(parts.packing, 17, 0, 0) })],
];

describe('a granule that is not whole or not what it should be', () => {
  it('is made from one that is', async () => {
    assert.equal((await decodeGranule(whole, expected, 127)).cells.length, 3);
    assert.equal((await decodeGranule(picture({}), expected, 127)).cells.length, 3);
    const with_text = chunks(first, chunk('tEXt', Buffer.from('a=b')), piece, last);
    assert.equal((await decodeGranule(with_text, expected, 127)).cells.length, 3);
    const local = section(2, Buffer.from('local use'));
    const with_local = having({ identification: Buffer.concat([parts.identification, local]) });
    assert.equal((await decodeGranule(with_local, expected, 127)).cells.length, 3);
  });

  for (const [reason, what, bytes] of faults) {
    it(`${reason}: ${what}`, async () => {
      await assert.rejects(
        decodeGranule(bytes, expected, 127),
        (error) => error instanceof GranuleRefused && error.reason === reason,
      );
    });
  }

  it('too-many-cells: hail over half a continent', async () => {
    const geometry = { ...made_hour.geometry, rows: 1_001, columns: 2_000 };
    const cells = Array.from({ length: most_hail_cells + 1 }, (_, index) => ({ index, size_tenths_mm: 127 }));
    await assert.rejects(
      decodeGranule(made({ geometry, cells, filterOf: () => 2 }), expected, 127),
      (error) => error instanceof GranuleRefused && error.reason === 'too-many-cells',
    );
  });

  it('has a case here for every reason there is', () => {
    const tested = new Set(faults.map(([reason]) => reason));
    const elsewhere = ['too-many-cells', 'deadline', 'decoder-ended'];
    assert.deepEqual(
      refusals.filter((reason) => !tested.has(reason)),
      elsewhere,
    );
  });
});
