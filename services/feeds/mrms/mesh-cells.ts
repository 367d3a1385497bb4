import { max_size_in, tenths_mm_per_inch } from '../../hail/size.ts';
import type { GribMessage, Packing } from './grib2/message.ts';
import { GranuleRefused } from './grib2/refused.ts';
import type { PackedRow } from './grib2/rows.ts';
import type { MeshProduct } from './products.ts';

/** The hail of one granule: what the fact of it is made of. */
export interface MeshCells {
  /** `row * columns + column`, ascending: cells at or above the threshold. */
  cells: Int32Array<ArrayBuffer>;
  /** Their sizes in tenths of a millimetre, side by side with `cells`. */
  sizes: Uint16Array<ArrayBuffer>;
  /** Cells that the radars saw, with or without hail: the next two and those in `cells`. */
  covered: number;
  no_hail: number;
  /** Hail below the threshold. */
  smaller_hail: number;
  /** Cells that no radar saw. */
  uncovered: number;
}

/** Far above what the worst hour of the whole country holds; a damaged grid could fill the log's limit of a message. */
export const most_hail_cells = 2_000_000;

export interface MeshCollector {
  onRow: (row: number, packed: PackedRow) => void;
  /** After the last row. */
  finish: () => MeshCells;
}

/**
 * Keeps the cells at or above `threshold_tenths_mm` of rows that come from north to south, and counts the others. A value that is neither
 * a code of the product nor a size that hail can have refuses the granule.
 */
export function createMeshCollector(
  { geometry, packing }: Pick<GribMessage, 'geometry' | 'packing'>,
  product: Pick<MeshProduct, 'no_coverage_mm' | 'no_hail_mm'>,
  threshold_tenths_mm: number,
): MeshCollector {
  const { columns, rows } = geometry;
  const { fromPacked, toPacked, firstAtLeast } = scaleOf(packing);
  // The packed number grows with the value, so each question about a value is asked once here and not of every cell.
  const no_coverage = toPacked(product.no_coverage_mm * 10);
  const no_hail = toPacked(product.no_hail_mm * 10);
  const zero = firstAtLeast(0);
  const threshold = firstAtLeast(threshold_tenths_mm);
  const most = max_size_in * tenths_mm_per_inch;

  let cells = new Int32Array(1_024);
  let sizes = new Uint16Array(1_024);
  const counts = { kept: 0, no_hail: 0, smaller_hail: 0, uncovered: 0 };

  const keep = (from: number, until: number, size: number): void => {
    if (size > most) throw new GranuleRefused('value', 'A cell has a size that no hailstone has.');
    for (let cell = from; cell < until; cell += 1) {
      if (counts.kept === most_hail_cells)
        throw new GranuleRefused('too-many-cells', `More than ${most_hail_cells} cells have hail.`);
      if (counts.kept === cells.length) {
        cells = grown(cells, new Int32Array(cells.length * 2));
        sizes = grown(sizes, new Uint16Array(sizes.length * 2));
      }
      cells[counts.kept] = cell;
      sizes[counts.kept] = size;
      counts.kept += 1;
    }
  };

  return {
    onRow: (row, packed) => {
      const first = row * columns;
      // Neighbours are mostly alike, so runs of equal cells are judged, not cells: a third of the time.
      for (let from = 0; from < columns;) {
        const x = packed[from] as number;
        let until = from + 1;
        while (until < columns && packed[until] === x) until += 1;
        if (x === no_hail) counts.no_hail += until - from;
        else if (x === no_coverage) counts.uncovered += until - from;
        else if (x >= threshold) keep(first + from, first + until, fromPacked(x));
        else if (x >= zero) counts.smaller_hail += until - from;
        else throw new GranuleRefused('value', 'A cell is below zero and no code of the product.');
        from = until;
      }
    },
    finish: () => ({
      cells: cells.slice(0, counts.kept),
      sizes: sizes.slice(0, counts.kept),
      covered: rows * columns - counts.uncovered,
      no_hail: counts.no_hail,
      smaller_hail: counts.smaller_hail,
      uncovered: counts.uncovered,
    }),
  };
}

interface Scale {
  /** Whole tenths of a millimetre, half up where the publisher writes finer ones. */
  fromPacked: (x: number) => number;
  /** The packed number that stands for exactly this value, or -1, which no cell equals. */
  toPacked: (tenths: number) => number;
  /** The smallest packed number whose value, in whole tenths, is at least this. */
  firstAtLeast: (tenths: number) => number;
}

function scaleOf({ reference, binary, decimal }: Packing): Scale {
  const step = 2 ** binary;
  const unit = 10 ** (1 - decimal);
  const fromPacked = (x: number): number => Math.floor((reference + x * step) * unit + 0.5 + 1e-6);
  return {
    fromPacked,
    toPacked: (tenths) => {
      const x = (tenths / unit - reference) / step;
      const whole = Math.round(x);
      return Math.abs(x - whole) <= 1e-6 && whole >= 0 ? whole : -1;
    },
    firstAtLeast: (tenths) => {
      const near = Math.floor(((tenths - 0.5) / unit - reference) / step) - 1;
      let x = Math.max(0, near);
      // The estimate may be off by one or two where the division is not exact; without an end a scale out of all reason would loop for ever.
      for (let tries = 0; tries < 4 && fromPacked(x) < tenths; tries += 1) x += 1;
      return x;
    },
  };
}

function grown<T extends Int32Array | Uint16Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
