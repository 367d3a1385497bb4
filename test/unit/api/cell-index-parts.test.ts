import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createCellIndex, type CellIndex } from '../../../services/api/cell-index/cell-index.ts';
import { createHeldCells } from '../../../services/api/cell-index/held-cells.ts';
import { packCell, unpackCell, type PackedCell } from '../../../services/api/cell-index/packed-cell.ts';
import { microToDegrees } from '../../../services/hail/geo/place.ts';
import type { Observation } from '../../../services/hail/observation.ts';
import { citingPublishers } from '../../../services/hail/publisher.ts';
import type { Changes } from '../../../services/store/cell_changes/changes-since.ts';

const always = { from_ms: -Infinity, until_ms: Infinity };
const row: Observation = {
  ...{ publisher: 'NEXRAD_SWDI', record_key: 'KEWX/1', record_id: 'KEWX/1', began_ms: 5, ended_ms: 5 },
  ...{ lat: 29.55, lon: -98.4, size_in: 1.25, size_tenths_mm: null, sevprob: 40 },
};

function byText(rows: readonly Observation[]): string[] {
  return rows.map((each) => JSON.stringify(Object.entries(each).sort())).sort();
}

describe('a packed cell', () => {
  it('gives back what was put in, as far as it begins in the window', () => {
    const instant = fc.integer({ min: Date.parse('1900-01-01'), max: Date.parse('2299-12-30') });
    const observation = fc
      .record({
        publisher: fc.constantFrom(...citingPublishers),
        record_key: fc.string({ unit: 'grapheme', maxLength: 40 }),
        record_id: fc.constantFrom('MESH/1', 'MESH/2', 'ÅÄÖ'),
        began_ms: instant,
        span_ms: fc.nat(86_400_000),
        lat: fc.integer({ min: -90_000_000, max: 90_000_000 }).map(microToDegrees),
        lon: fc.integer({ min: -180_000_000, max: 179_999_999 }).map(microToDegrees),
        size_in: fc.nat(1_200).map((hundredths) => hundredths / 100),
        size_tenths_mm: fc.option(fc.integer({ min: 127, max: 3_048 })),
        sevprob: fc.option(fc.nat(100)),
      })
      .map(({ span_ms, ...rest }): Observation => ({ ...rest, ended_ms: rest.began_ms + span_ms }));
    fc.assert(
      fc.property(fc.array(observation, { maxLength: 60 }), instant, instant, (rows, from_ms, until_ms) => {
        const packed = packCell(rows);
        assert.ok(packed !== null);
        assert.deepEqual(byText(unpackCell(packed, always)), byText(rows));
        const within = rows.filter(({ began_ms }) => began_ms >= from_ms && began_ms < until_ms);
        assert.deepEqual(byText(unpackCell(packed, { from_ms, until_ms })), byText(within));
      }),
    );
  });

  it('holds no row that it could not give back', () => {
    const unfit: Partial<Observation>[] = [
      { size_in: 1.255 },
      { size_in: 700 },
      { ended_ms: 4 },
      { ended_ms: 5 + 2 ** 32 },
      { began_ms: 4.5 },
      { lat: 29.5500001 },
      { size_tenths_mm: 0 },
      { size_tenths_mm: 70_000 },
      { sevprob: 255 },
    ];
    assert.notEqual(packCell([row]), null);
    for (const change of unfit)
      assert.equal(packCell([row, { ...row, ...change }]), null, JSON.stringify(change));
  });

  it('takes about 40 bytes a grid row and 70 a radar row', () => {
    const grid = Array.from({ length: 1_000 }, (_, at): Observation => ({
      ...{
        ...row,
        publisher: 'MRMS_MESH',
        lat: microToDegrees(29_500_000 + at * 10),
        size_tenths_mm: 300,
        began_ms: at >> 4,
        ended_ms: 9_999,
      },
      ...{ record_key: `MESH_Max_60min/${at >> 4}`, record_id: `MESH_Max_60min/${at >> 4}` },
    }));
    const radar = Array.from({ length: 1_000 }, (_, at): Observation => {
      const id = `KEWX/2026-08-29T01:08:12Z/${at}`;
      return { ...row, record_key: id, record_id: id };
    });
    assert.ok((packCell(grid)?.data.byteLength ?? Infinity) < 40_000);
    assert.ok((packCell(radar)?.data.byteLength ?? Infinity) < 70_000);
  });
});

describe('held cells', () => {
  const packed = (bytes: number): PackedCell => ({ rows: 1, texts: 0, data: new ArrayBuffer(bytes) });

  it('let the one go that was used longest ago, and count what is left', () => {
    const held = createHeldCells(6_000);
    for (const cell of [1, 2, 3]) held.put(cell, packed(1_000));
    assert.equal(held.size.cells, 3);
    held.get(1);
    held.put(4, packed(1_000));
    assert.deepEqual(
      [1, 2, 3, 4].map((cell) => held.get(cell) !== undefined),
      [true, false, true, true],
    );
    held.put(3, packed(10));
    held.drop(1);
    assert.deepEqual(held.size, { cells: 2, rows: 2, bytes: 1_010 + 2 * 800 });
    held.put(5, packed(6_000));
    assert.deepEqual([held.get(5), held.size.cells], [undefined, 2]);
    held.clear();
    assert.deepEqual(held.size, { cells: 0, rows: 0, bytes: 0 });
  });
});

describe('the cell index', () => {
  const at = (...offsets: number[]): Changes['position'] => ({ log_id: 'one-log', offsets: [offsets] });
  const intent = (
    first_offset: number,
    end_offset: number,
    ...cells: number[]
  ): Changes['intents'][number][number] => ({
    ...{ topic: 'points', partition: 0, first_offset, end_offset, cells },
  });
  const changes = (position: Changes['position'], ...intents: Changes['intents'][number]): Changes => ({
    ...{ position, intents: [intents], is_cut: false },
  });
  /** At offset 10, with the cells 1 and 2. */
  const begun = (): CellIndex => {
    const index = createCellIndex({ max_bytes: 1e6 });
    index.follow(1, null, changes(at(10)));
    const expected = index.expect([1, 2]);
    index.enter(expected, new Set(), new Map([[1, [row]]]));
    index.forget(expected);
    return index;
  };
  const heldBy = (index: CellIndex): number[] => [1, 2, 3].filter((cell) => index.get(cell) !== undefined);

  it('drops what changed, then goes on', () => {
    const index = begun();
    assert.deepEqual(heldBy(index), [1, 2]);
    assert.equal(index.follow(1, [[10]], changes(at(14), intent(10, 12, 1), intent(12, 14, 3))), true);
    assert.deepEqual([heldBy(index), index.position(1)?.offsets], [[2], [[14]]]);
  });

  it('does not go on where it cannot know what changed', () => {
    const index = begun();
    const cut = { ...changes(at(14), intent(10, 14, 1)), is_cut: true };
    assert.equal(index.follow(1, [[10]], cut), false);
    assert.equal(index.follow(1, [[10]], changes(at(14))), false);
    assert.equal(index.follow(1, [[10]], changes(at(14), intent(11, 14, 1))), false);
    assert.equal(index.follow(1, [[12]], changes(at(14), intent(10, 14, 1))), false);
    assert.equal(index.follow(1, null, changes(at(14), intent(10, 14, 1))), false);
    assert.deepEqual([heldBy(index), index.position(1)?.offsets], [[1, 2], [[10]]]);
  });

  it('takes a change out of what is being read meanwhile', () => {
    const index = begun();
    const expected = index.expect([3]);
    index.follow(1, [[10]], changes(at(11), intent(10, 11, 3)));
    index.enter(expected, new Set(), new Map([[3, [row]]]));
    assert.deepEqual(heldBy(index), [1, 2]);
  });

  it('never goes back, and is empty after a gap, of another version, and of another log', () => {
    const index = begun();
    assert.equal(index.follow(1, [[5]], changes(at(8), intent(5, 8, 1))), true);
    assert.deepEqual([heldBy(index), index.position(1)?.offsets], [[1, 2], [[10]]]);
    index.skipTo(1, at(8, 3));
    assert.deepEqual([heldBy(index), index.position(1)?.offsets], [[], [[10, 3]]]);
    for (const other of [
      { version: 2, position: at(4) },
      { version: 1, position: { ...at(4), log_id: 'another' } },
    ]) {
      const emptied = begun();
      const expected = emptied.expect([3]);
      assert.equal(emptied.position(2), null);
      assert.equal(emptied.follow(other.version, null, changes(other.position)), true);
      emptied.enter(expected, new Set(), new Map([[3, [row]]]));
      assert.deepEqual([heldBy(emptied), emptied.position(other.version)], [[], other.position]);
      assert.equal(emptied.position(3 - other.version), null);
    }
  });
});
