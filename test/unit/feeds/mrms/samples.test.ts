import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, it } from 'node:test';
import { decodeGranule, messageBytes } from '../../../../services/feeds/mrms/decode.ts';
import { readMessage } from '../../../../services/feeds/mrms/grib2/message.ts';
import { readRows } from '../../../../services/feeds/mrms/grib2/rows.ts';
import { cellCentre, gridBounds } from '../../../../services/hail/grid.ts';
import { madeByBits, oracleOf, recordedHail, recordedMesh, samples } from '../../../support/granules.ts';

describe('every cell of the sample granules, against another decoder', () => {
  for (const path of samples) {
    it(basename(path), async () => {
      const oracle = oracleOf(path);
      const message = readMessage(await messageBytes(readFileSync(path)));
      const { geometry, packing } = message;
      assert.deepEqual(
        [message.discipline, message.category, message.number, geometry.rows, geometry.columns],
        [oracle.discipline, oracle.category, oracle.number, oracle.grid.nj, oracle.grid.ni],
      );
      assert.equal(new Date(message.reference_ms).toISOString(), oracle.reference_time);
      assert.deepEqual(
        [geometry.first_lat, geometry.first_lon, geometry.step_deg],
        [oracle.grid.lat_first, -129.995, oracle.grid.di],
      );
      const { reference, binary, decimal, bits } = packing;
      const { R, E, D, bits: oracle_bits } = oracle.packing;
      assert.deepEqual([reference, binary, decimal, bits], [R, E, D, oracle_bits]);

      // One hash over all values as 32-bit floats: equal hashes are 24.5 million equal cells.
      const hash = createHash('sha256');
      const values = new Float32Array(geometry.columns);
      const seen = new Map<number, Float32Array>();
      const wanted = new Set([...oracle.top10, ...oracle.samples].map(({ row }) => row));
      await readRows(message, (row, packed) => {
        packed.forEach((x, at) => (values[at] = (reference + x * 2 ** binary) / 10 ** decimal));
        hash.update(values);
        if (wanted.has(row)) seen.set(row, values.slice());
      });
      for (const { row, col, lat, lon, value } of [...oracle.top10, ...oracle.samples]) {
        assert.ok(Math.abs((seen.get(row)?.[col] ?? NaN) - value) <= 1e-4, `row ${row}, column ${col}`);
        const { lat_micro, lon_micro } = cellCentre(geometry, row * geometry.columns + col);
        assert.deepEqual([lat_micro / 1e6, lon_micro / 1e6], [lat, lon]);
      }
      assert.equal(hash.digest('hex'), oracle.sha256_values_f32le);
    });
  }
});

describe('every cell of a made granule, against another decoder', () => {
  for (const { bits, bytes, values_mm } of madeByBits()) {
    it(`of ${bits} bits`, async () => {
      const message = readMessage(bytes);
      assert.equal(message.packing.bits, bits);
      const values: number[] = [];
      await readRows(message, (_row, packed) => {
        for (const x of packed) values.push((message.packing.reference + x) / 10);
      });
      assert.deepEqual(values, values_mm);
    });
  }
});

describe('the hail of the recorded granule', () => {
  const expected = { product: 'MESH', stamp: Date.parse('2026-06-10T21:30:40Z') } as const;

  it('is its cells from half an inch up, and counts of the others', async () => {
    const oracle = oracleOf(samples[0] ?? '');
    const countOf = (code: number): number =>
      oracle.lowest_values.find(({ value }) => value === code)?.count ?? NaN;
    const granule = await decodeGranule(recordedMesh(), expected, 127);
    assert.deepEqual(
      Array.from(granule.cells, (cell, at) => ({ cell, size: granule.sizes[at] })),
      recordedHail(),
    );
    assert.equal(granule.uncovered, countOf(-3));
    assert.equal(granule.no_hail, countOf(-1));
    assert.equal(granule.smaller_hail + granule.cells.length, oracle.positive_cells);
    assert.equal(granule.covered, oracle.count - countOf(-3));
    assert.deepEqual(gridBounds(granule.geometry), { west: -130, south: 20, east: -60, north: 55 });
  });

  it('has as many cells above each size as the other decoder finds', async () => {
    const { cells_at_least_mm, max } = oracleOf(samples[0] ?? '');
    const { sizes } = await decodeGranule(recordedMesh(), expected, 50);
    for (const [mm, count] of Object.entries(cells_at_least_mm)) {
      assert.equal(sizes.filter((size) => size >= Number(mm) * 10).length, count, `${mm} mm`);
    }
    assert.equal(Math.max(...sizes), max * 10);
  });
});
