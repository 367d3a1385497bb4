import type { Observation } from '../../hail/observation.ts';
import type { Changes } from '../../store/cell_changes/changes-since.ts';
import { coverAll, type DataPosition } from '../../store/data-position.ts';
import { createHeldCells, type HeldCells } from './held-cells.ts';
import { packCell, type PackedCell } from './packed-cell.ts';

type Offsets = DataPosition['offsets'];

/** Cells that are being read from the store to be held: a change that is heard of meanwhile takes its cells out. */
export interface Expected {
  readonly cells: Set<number>;
}

/**
 * Cells that have been read, each exactly as a plain fold of the log has it at one position, the index's data position. Nothing here waits, so
 * between two calls nothing changes.
 */
export interface CellIndex {
  /**
   * Drops the cells that changed and only then goes on to the position that was read. False where it cannot know which: the changes leave out
   * what the index would pass over. Changes that it knows already do nothing.
   */
  follow: (version: number, since: Offsets | null, changes: Changes) => boolean;
  /** Goes on to a position over a gap: nothing that is held can be trusted. */
  skipTo: (version: number, position: DataPosition) => void;
  /** Where all held cells are true; null where they are not of this version. */
  position: (version: number) => DataPosition | null;
  get: (cell: number) => PackedCell | undefined;
  expect: (cells: readonly number[]) => Expected;
  /**
   * Holds what was read of the cells that are still expected. `touched` are the cells of all batches beyond the position at which `expect` was
   * called, asked for after the cells were read: what these may have changed does not enter.
   */
  enter: (expected: Expected, touched: ReadonlySet<number>, read: ReadonlyMap<number, Observation[]>) => void;
  /** Always, whatever became of the reading. */
  forget: (expected: Expected) => void;
  readonly size: HeldCells['size'];
}

export function createCellIndex(options: { max_bytes: number }): CellIndex {
  const held = createHeldCells(options.max_bytes);
  const expecting = new Set<Expected>();
  let known: { version: number; position: DataPosition } | null = null;

  const empty = (): void => {
    held.clear();
    for (const { cells } of expecting) cells.clear();
  };
  const drop = (cell: number): void => {
    held.drop(cell);
    for (const { cells } of expecting) cells.delete(cell);
  };
  const isOf = (version: number, log_id: string): boolean =>
    known?.version === version && known.position.log_id === log_id;

  const skipTo: CellIndex['skipTo'] = (version, position) => {
    // Positions of one log and version never go back, whatever the order in which they are heard of.
    const before = isOf(version, position.log_id) ? (known?.position.offsets ?? []) : [];
    empty();
    known = { version, position: { ...position, offsets: furthest(before, position.offsets) } };
  };

  return {
    skipTo,
    follow: (version, since, { position, intents, is_cut }) => {
      if (known === null || !isOf(version, position.log_id)) {
        skipTo(version, position);
        return true;
      }
      const { offsets } = known.position;
      if (!isBeyond(position.offsets, offsets)) return true;
      // Intents are of use where none is missing between the index's position and the one that was read.
      const complete = since !== null && !is_cut && !isBeyond(since, offsets);
      if (!complete || !coverAll(intents, offsets, position.offsets)) return false;
      for (const { cells } of intents.flat()) for (const cell of cells) drop(cell);
      known = { version, position: { ...position, offsets: furthest(offsets, position.offsets) } };
      return true;
    },
    position: (version) => (known?.version === version ? known.position : null),
    get: held.get,
    expect: (cells) => {
      const expected = { cells: new Set(cells) };
      expecting.add(expected);
      return expected;
    },
    enter: ({ cells }, touched, read) => {
      for (const cell of cells) {
        const packed = touched.has(cell) ? null : packCell(read.get(cell) ?? []);
        if (packed !== null) held.put(cell, packed);
      }
    },
    forget: (expected) => void expecting.delete(expected),
    size: held.size,
  };
}

/** True where any partition of `one` lies beyond the same of `other`. */
function isBeyond(one: Offsets, other: Offsets): boolean {
  return one.some((of, topic) => of.some((offset, partition) => offset > (other[topic]?.[partition] ?? 0)));
}

function furthest(one: Offsets, other: Offsets): number[][] {
  return Array.from({ length: Math.max(one.length, other.length) }, (_, topic) => {
    const [a, b] = [one[topic] ?? [], other[topic] ?? []];
    return Array.from({ length: Math.max(a.length, b.length) }, (__, partition) =>
      Math.max(a[partition] ?? 0, b[partition] ?? 0),
    );
  });
}
