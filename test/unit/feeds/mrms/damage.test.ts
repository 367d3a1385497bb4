import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import {
  encodeGranule,
  granuleParts,
  joinGranule,
  joinPicture,
} from '../../../../infra/sandbox/mrms/encode-granule.ts';
import { decodeGranule, type DecodedGranule } from '../../../../services/feeds/mrms/decode.ts';
import { GranuleRefused } from '../../../../services/feeds/mrms/grib2/refused.ts';
import { made_hour, made_stamp, recordedMesh } from '../../../support/granules.ts';

const expected = { product: 'MESH_Max_60min', stamp: made_stamp } as const;
const whole = joinGranule(granuleParts(made_hour));
/** 16 + 21 + 72 + 34 + 21 + 6 + 5 bytes before the picture, and the 33 of its signature and header. */
const header_bytes = 175 + 33;

/** Refused with a reason, or hail that a grid of this product can hold: never a crash, never anything else. */
async function isSound(
  bytes: Buffer,
  asked: Parameters<typeof decodeGranule>[1],
): Promise<'refused' | 'read'> {
  let granule: DecodedGranule;
  try {
    granule = await decodeGranule(bytes, asked, 127);
  } catch (error) {
    assert.ok(error instanceof GranuleRefused, String(error));
    assert.ok(error.message.length > 0);
    return 'refused';
  }
  const { geometry, cells, sizes, covered, uncovered } = granule;
  const count = geometry.rows * geometry.columns;
  assert.ok(cells.every((cell, at) => cell < count && cell > (cells[at - 1] ?? -1)));
  assert.ok(sizes.length === cells.length && sizes.every((size) => size >= 127 && size <= 3_048));
  assert.ok(covered + uncovered === count && covered >= cells.length);
  assert.ok(
    Math.abs(geometry.first_lat) <= 90 && Math.abs(geometry.first_lon) <= 180 && geometry.step_deg > 0,
  );
  return 'read';
}

const bits = [0x01, 0x02, 0x10, 0x80, 0xff];

describe('damage to a granule', () => {
  it('in any byte of a header is refused, or moves nothing out of the grid', async () => {
    let read = 0;
    for (let at = 0; at < header_bytes; at += 1) {
      for (const mask of bits) {
        const damaged = Buffer.from(whole);
        damaged[at] = (damaged[at] ?? 0) ^ mask;
        if ((await isSound(damaged, expected)) === 'read') read += 1;
      }
    }
    // Bytes that nobody reads, such as who made the message, are the only ones that may pass; they are fewer than half.
    assert.ok(read < (header_bytes * bits.length) / 2, `${read} passed`);
  });

  it('in any byte of the picture is refused', async () => {
    for (let at = header_bytes; at < whole.length; at += 1) {
      const damaged = Buffer.from(whole);
      damaged[at] = (damaged[at] ?? 0) ^ 0x40;
      assert.equal(await isSound(damaged, expected), 'refused', `byte ${at}`);
    }
  });

  it('under checksums that were made anew never changes a cell', async () => {
    const { png, ...parts } = granuleParts(made_hour);
    const header = png.subarray(16, 29);
    const deflated = png.subarray(33 + 8, -12 - 4);
    const truth = await decodeGranule(whole, expected, 127);
    for (let at = 0; at < deflated.length; at += 1) {
      for (let bit = 0; bit < 8; bit += 1) {
        const damaged = Buffer.from(deflated);
        damaged[at] = (damaged[at] ?? 0) ^ (1 << bit);
        const bytes = joinGranule({ ...parts, png: joinPicture(header, damaged) });
        // A few bits of the compressed form mean nothing, such as those that fill up its last byte.
        if ((await isSound(bytes, expected)) === 'refused') continue;
        assert.deepEqual(await decodeGranule(bytes, expected, 127), truth, `bit ${bit} of byte ${at}`);
      }
    }
  });

  it('by a cut is refused, wherever it is made', async () => {
    for (let length = 0; length < whole.length; length += 1) {
      assert.equal(await isSound(whole.subarray(0, length), expected), 'refused', `${length} bytes`);
    }
    const zipped = encodeGranule(made_hour);
    for (let length = 0; length < zipped.length; length += 1) {
      assert.equal(await isSound(zipped.subarray(0, length), expected), 'refused', `${length} bytes of gzip`);
    }
  });

  it('by a cut that the lengths were mended for is refused too', async () => {
    for (let length = 20; length < whole.length; length += 1) {
      const shorter = Buffer.concat([whole.subarray(0, length - 4), Buffer.from('7777')]);
      shorter.writeBigUInt64BE(BigInt(shorter.length), 8);
      assert.equal(await isSound(shorter, expected), 'refused', `${length} bytes`);
    }
  });

  it('of several kinds at once never does worse', async () => {
    const place = fc.nat({ max: whole.length - 1 });
    const patch = fc.record({ at: place, bytes: fc.uint8Array({ minLength: 1, maxLength: 6 }) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(patch, { minLength: 1, maxLength: 4 }),
        fc.boolean(),
        async (patches, zip) => {
          const damaged = Buffer.from(whole);
          for (const { at, bytes } of patches) damaged.set(bytes.subarray(0, damaged.length - at), at);
          await isSound(zip ? gzipSync(damaged) : damaged, expected);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('to the recorded granule is refused as well', async () => {
    const asked = { product: 'MESH', stamp: Date.parse('2026-06-10T21:30:40Z') } as const;
    const zipped = recordedMesh();
    const plain = gunzipSync(zipped);
    for (const share of [0.01, 0.3, 0.7, 0.999]) {
      for (const bytes of [zipped, plain]) {
        const damaged = Buffer.from(bytes);
        const at = Math.max(header_bytes, Math.floor(bytes.length * share) - 1);
        damaged[at] = (damaged[at] ?? 0) ^ 0x20;
        assert.equal(await isSound(damaged, asked), 'refused', `byte ${at} of ${bytes.length}`);
        assert.equal(await isSound(bytes.subarray(0, at), asked), 'refused');
      }
    }
  });
});
