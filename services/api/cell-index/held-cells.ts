import type { PackedCell } from './packed-cell.ts';

/** Cells in memory, bounded in bytes: the one that was used longest ago goes first. */
export interface HeldCells {
  /** Counts as a use. */
  get: (cell: number) => PackedCell | undefined;
  put: (cell: number, packed: PackedCell) => void;
  drop: (cell: number) => void;
  clear: () => void;
  readonly size: { readonly cells: number; readonly rows: number; readonly bytes: number };
}

/**
 * What a cell takes beside its rows: the entry, the object, the buffer's own books and what its allocation is rounded up to. By the resident
 * memory of 300,000 cells it is 600 to 840.
 */
const bytes_a_cell = 800;

export function createHeldCells(max_bytes: number): HeldCells {
  /** In the order of use: a map keeps the order in which keys came. */
  const held = new Map<number, PackedCell>();
  const size = { cells: 0, rows: 0, bytes: 0 };
  const count = ({ rows, data }: PackedCell, sign: 1 | -1): void => {
    size.cells += sign;
    size.rows += sign * rows;
    size.bytes += sign * (data.byteLength + bytes_a_cell);
  };
  const drop = (cell: number): void => {
    const packed = held.get(cell);
    if (packed === undefined) return;
    held.delete(cell);
    count(packed, -1);
  };
  return {
    size,
    get: (cell) => {
      const packed = held.get(cell);
      if (packed === undefined) return undefined;
      held.delete(cell);
      held.set(cell, packed);
      return packed;
    },
    put: (cell, packed) => {
      drop(cell);
      // It would push out all others and then itself.
      if (packed.data.byteLength + bytes_a_cell > max_bytes) return;
      held.set(cell, packed);
      count(packed, 1);
      for (const [oldest] of held) {
        if (size.bytes <= max_bytes) break;
        drop(oldest);
      }
    },
    drop,
    clear: () => {
      held.clear();
      [size.cells, size.rows, size.bytes] = [0, 0, 0];
    },
  };
}
