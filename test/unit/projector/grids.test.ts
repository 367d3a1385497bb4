import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { grids } from '../../../services/feeds/kinds/grids.ts';
import { deltaCoded, deltaDecoded, granuleId, type GridFact } from '../../../services/hail/grid.ts';
import { cellText } from '../../../services/hail/geo/geohash.ts';
import { gridProblem } from '../../../services/hail/validate-grid.ts';
import { gridRows, observationsProjection } from '../../../services/projector/projections/observations.ts';

const examples = join(import.meta.dirname, '../../../schemas/avro/examples/hail.grid.v1/valid');

/** The ten largest cells of the recorded granule of 2026-06-10T21:30:40Z, by an oracle that is not ours. */
function recorded(): GridFact {
  const file = join(examples, 'ten-largest-cells-of-2026-06-10T21-30-40Z.json');
  return JSON.parse(readFileSync(file, 'utf8')) as GridFact;
}

const place = { partition: 2, offset: 7 };

describe('a granule', () => {
  it('has a row at the centre of each of its cells, with the size as the grid has it', () => {
    const fact = recorded();
    const rows = gridRows(fact, place);
    assert.equal(rows.length, 10);
    const largest = rows.find(({ size_tenths_mm }) => size_tenths_mm === 375);
    assert.ok(largest);
    const { cell, lat, lon, size_in, record_key, record_id, occurred_at, ended_at, revision } = largest;
    assert.deepEqual([lat, lon, size_in, revision], [31_355_000, -103_585_000, 1.48, 7]);
    assert.match(cellText(cell), /^9t/);
    assert.deepEqual([record_key, record_id], ['MESH/2026-06-10T21:30:40Z', 'MESH/2026-06-10T21:30:40Z']);
    assert.deepEqual([occurred_at, ended_at], [fact.stamp - 120_000, fact.stamp]);
    assert.deepEqual(new Set(rows.map(({ publisher }) => publisher)), new Set(['MRMS_MESH']));
  });

  it('issued again takes its rows away from the cells it has no more', () => {
    const fact = recorded();
    const [first = 0, ...others] = deltaDecoded(fact.cells);
    const again = grids.fact(
      { ...grids.draft(fact), cells: deltaCoded(others), sizes: fact.sizes.slice(1) },
      [String(first)],
    );
    const rows = gridRows(again, { ...place, offset: 9 });
    const [gone] = rows.filter(({ is_deleted }) => is_deleted === 1);
    assert.equal(rows.length, 10);
    assert.deepEqual([gone?.revision, gone?.lat], [9, gridRows(fact, place)[0]?.lat]);
    // The same sort key as the row it deletes, or nothing would go.
    assert.equal(gone?.occurred_at, gridRows(fact, place)[0]?.occurred_at);
    assert.equal(gone?.record_key, granuleId(fact));
  });

  it('is projected in pieces of bounded size', () => {
    assert.ok((observationsProjection(1).largest_batch_bytes?.['hail.grid.v1'] ?? Infinity) < 1e6);
  });

  it('is no valid fact where something is wrong with it', () => {
    const fact = recorded();
    const key = granuleId(fact);
    assert.equal(gridProblem(fact, key), null);
    const wrong: [Partial<GridFact>, RegExp][] = [
      [{ stamp: fact.stamp + 1_000 }, /message key/],
      [{ sizes: fact.sizes.slice(1) }, /side by side/],
      [{ sizes: fact.sizes.map(() => 126) }, /no size of hail/],
      [{ sizes: fact.sizes.map(() => 3_049) }, /no size of hail/],
      [{ cells: [...fact.cells.slice(0, 9), 24_500_000] }, /outside of the grid/],
      [{ cells: fact.cells.map((cell, at) => (at === 3 ? 0 : cell)) }, /out of order/],
      [{ dropped: fact.cells.slice(0, 2) }, /dropped and there/],
      [{ covered: 3 }, /count/],
      [{ geometry: { ...fact.geometry, first_lat: 91 } }, /off the globe/],
      [{ geometry: { ...fact.geometry, rows: 1_000_000, columns: 7_000 } }, /too many/],
    ];
    for (const [change, words] of wrong) assert.match(gridProblem({ ...fact, ...change }, key) ?? '', words);
  });

  it('keeps the cells of the index in a text that gives them back', () => {
    const cells = fc.uniqueArray(fc.nat(24_499_999), { maxLength: 300 });
    fc.assert(
      fc.property(cells, fc.boolean(), (numbers, is_standing) => {
        const sorted = numbers.sort((a, b) => a - b);
        assert.deepEqual(deltaDecoded(deltaCoded(sorted)), sorted);
        const texts = sorted.map((cell) => (is_standing ? `L|${cell}` : String(cell)));
        assert.deepEqual(grids.unpack(grids.pack(texts)), texts);
      }),
    );
  });
});
