import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { encodeGranule, granuleParts, joinGranule } from '../../../../infra/sandbox/mrms/encode-granule.ts';
import { decodeGranule, messageBytes } from '../../../../services/feeds/mrms/decode.ts';
import { made_hour, made_stamp, recordedMesh, small_grid } from '../../../support/granules.ts';

const expected = { product: 'MESH_Max_60min', stamp: made_stamp } as const;
const country = { rows: 3_500, columns: 7_000, first_lat: 54.995, first_lon: -129.995, step_deg: 0.01 };

describe('a made granule', () => {
  it('has the header of the recorded one, byte for byte', async () => {
    const real = await messageBytes(recordedMesh());
    const made = await messageBytes(
      encodeGranule({
        ...{ parameter_number: 28, reference_ms: Date.parse('2026-06-10T21:30:40Z'), bits: 16 },
        ...{ geometry: country, cells: [] },
      }),
    );
    // Byte 8 of section 0 begins the message's length; section 7 begins after 16 + 21 + 72 + 34 + 21 + 6 bytes with its own.
    const headerOf = (bytes: Buffer): Buffer => {
      const header = Buffer.from(bytes.subarray(0, 170));
      header.writeBigUInt64BE(0n, 8);
      // The real one rounds its last point to 20.005001 and 299.994998; these four bytes each, and the model that made it, are its own.
      for (const own of [16 + 21 + 55, 16 + 21 + 59]) header.writeUInt32BE(0, own);
      return header;
    };
    assert.equal(headerOf(made).toString('hex'), headerOf(real).toString('hex'));
  });

  it('is read back cell by cell, whatever its bits and filters', async () => {
    const { rows, columns } = small_grid;
    const size = fc.integer({ min: 0, max: 225 });
    const wide = fc.integer({ min: 0, max: 3_048 });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(8, 16, 24, 32).chain((bits) =>
          fc.record({
            bits: fc.constant(bits),
            sizes: fc.array(fc.oneof(fc.constantFrom(-10, -30), bits === 8 ? size : wide), {
              minLength: rows * columns,
              maxLength: rows * columns,
            }),
            filters: fc.array(fc.integer({ min: 0, max: 4 }), { minLength: rows, maxLength: rows }),
            threshold: fc.integer({ min: 0, max: 400 }),
          }),
        ),
        async ({ bits, sizes, filters, threshold }) => {
          const cells = sizes.map((size_tenths_mm, index) => ({ index, size_tenths_mm }));
          const made = encodeGranule({ ...made_hour, cells, bits, filterOf: (row) => filters[row] ?? 0 });
          const granule = await decodeGranule(made, expected, threshold);
          const hail = cells.filter(({ size_tenths_mm }) => size_tenths_mm >= threshold);
          assert.deepEqual(
            [...granule.cells],
            hail.map(({ index }) => index),
          );
          assert.deepEqual(
            [...granule.sizes],
            hail.map(({ size_tenths_mm }) => size_tenths_mm),
          );
          assert.equal(granule.uncovered, sizes.filter((each) => each === -30).length);
          assert.equal(granule.no_hail, sizes.filter((each) => each === -10).length);
          assert.equal(granule.covered, rows * columns - granule.uncovered);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('without hail is a granule, and may lie south and east of the zero lines', async () => {
    const geometry = { rows: 3, columns: 4, first_lat: 0.01, first_lon: 12.005, step_deg: 0.01 };
    const granule = await decodeGranule(
      encodeGranule({ ...made_hour, geometry, cells: [], default: 'no_coverage' }),
      expected,
      127,
    );
    assert.deepEqual(granule.geometry, geometry);
    assert.deepEqual([granule.cells.length, granule.covered, granule.uncovered], [0, 0, 12]);
  });

  it('is read without gzip too', async () => {
    const granule = await decodeGranule(joinGranule(granuleParts(made_hour)), expected, 127);
    assert.deepEqual([...granule.cells], [3, 58, 107]);
    assert.deepEqual([...granule.sizes], [127, 508, 1_000]);
    assert.equal(granule.smaller_hail, 1);
  });

  it('in another scale is rounded to tenths, half up, before it is compared', async () => {
    const parts = granuleParts({ ...made_hour, bits: 16, cells: [] });
    // Hundredths of a millimetre over -3: 12.65 mm is half an inch once it is rounded, 12.64 is not.
    const packing = Buffer.from(parts.packing);
    packing.writeFloatBE(-300, 11);
    packing.writeUInt16BE(2, 17);
    const cells = [1_265 + 300, 1_264 + 300].map((x, index) => ({ index, size_tenths_mm: x - 30 }));
    const background = Array.from({ length: 106 }, (_, at) => ({ index: at + 2, size_tenths_mm: 200 - 30 }));
    const { png } = granuleParts({ ...made_hour, bits: 16, cells: [...cells, ...background] });
    const granule = await decodeGranule(joinGranule({ ...parts, packing, png }), expected, 127);
    assert.deepEqual([[...granule.cells], [...granule.sizes], granule.no_hail], [[0], [127], 106]);
    assert.equal(granule.smaller_hail, 1);
  });
});
