import type { Provenance } from './observation.ts';

/** Where the cells of a regular grid lie: rows from north to south, columns from west to east, all in degrees. */
export interface GridGeometry {
  rows: number;
  columns: number;
  /** The centre of the first cell, row 0 and column 0. */
  first_lat: number;
  first_lon: number;
  step_deg: number;
}

/**
 * `hail.grid.v1`: one granule of a radar mosaic. A granule without hail is a fact too. Cells are numbered `row * columns + column`; the
 * arrays hold each number less the one before it, so that most of them take one byte.
 */
export interface GridFact {
  /** The product's name in the publisher's bucket: `MESH_Max_60min`. */
  product: string;
  /** The granule's stamp, epoch milliseconds UTC: the end of its span. With `product` it is the message key. */
  stamp: number;
  began_at: number;
  ended_at: number;
  geometry: GridGeometry;
  /** Cells at or above half an inch (12.7 mm), ascending, delta-coded. */
  cells: number[];
  /** Their sizes in tenths of a millimetre, side by side with `cells`. */
  sizes: number[];
  /** Cells that any earlier issue of the granule had and this one has not, ascending, delta-coded. */
  dropped: number[];
  /** How many cells the radars saw, with or without hail, and how many they did not. */
  covered: number;
  uncovered: number;
  provenance: Provenance;
}

/** The smallest size that is read, tenths of a millimetre: half an inch. */
export const min_grid_size_tenths_mm = 127;

/** Degrees of a micro-degree grid, without what binary fractions add: -130, not -130.00000000000003. */
function exactDegrees(degrees: number): number {
  return Math.round(degrees * 1e6) / 1e6;
}

/** The outer edges of a grid's outer cells, degrees: what a granule speaks for. */
export function gridBounds({ rows, columns, first_lat, first_lon, step_deg }: GridGeometry): {
  west: number;
  south: number;
  east: number;
  north: number;
} {
  return {
    west: exactDegrees(first_lon - step_deg / 2),
    south: exactDegrees(first_lat - (rows - 0.5) * step_deg),
    east: exactDegrees(first_lon + (columns - 0.5) * step_deg),
    north: exactDegrees(first_lat + step_deg / 2),
  };
}

/** The centre of a cell by its number, degrees. */
export function cellCentre(
  { columns, first_lat, first_lon, step_deg }: GridGeometry,
  cell: number,
): { lat: number; lon: number } {
  const column = cell % columns;
  const row = (cell - column) / columns;
  return { lat: exactDegrees(first_lat - row * step_deg), lon: exactDegrees(first_lon + column * step_deg) };
}

/** Ascending cell numbers, each less the one before it; the first as it is. */
export function deltaCoded(cells: ArrayLike<number>): number[] {
  return Array.from(cells, (cell, at) => (at === 0 ? cell : cell - (cells[at - 1] ?? 0)));
}

/** The cell numbers of `deltaCoded`. */
export function deltaDecoded(deltas: ArrayLike<number>): Int32Array {
  const cells = new Int32Array(deltas.length);
  let cell = 0;
  for (let at = 0; at < deltas.length; at += 1) {
    cell += deltas[at] ?? 0;
    cells[at] = cell;
  }
  return cells;
}
