import type { Provenance } from './observation.ts';
import { formatSecond } from './time.ts';

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

/** What a granule is called: its key in the log, the key of its rows, and the id it is cited by. */
export function granuleId({ product, stamp }: Pick<GridFact, 'product' | 'stamp'>): string {
  return `${product}/${formatSecond(stamp)}`;
}

/** Each number less the one before it; the input ascends. */
export function deltaCoded(numbers: readonly number[]): number[] {
  return numbers.map((number, at) => number - (numbers[at - 1] ?? 0));
}

/** The inverse of `deltaCoded`. */
export function deltaDecoded(deltas: readonly number[]): number[] {
  let number = 0;
  return deltas.map((delta) => (number += delta));
}

/** The centre of a cell in whole micro-degrees: the steps of real grids are exact there, which sums of binary fractions are not. */
export function cellCentre(geometry: GridGeometry, cell: number): { lat_micro: number; lon_micro: number } {
  const { columns, first_lat, first_lon, step_deg } = geometry;
  const row = Math.floor(cell / columns);
  const lat_micro = Math.round(first_lat * 1e6) - row * Math.round(step_deg * 1e6);
  const lon_micro = Math.round(first_lon * 1e6) + (cell - row * columns) * Math.round(step_deg * 1e6);
  return { lat_micro, lon_micro: lon_micro >= 180_000_000 ? lon_micro - 360_000_000 : lon_micro };
}

/** The outer edges of the outer cells, degrees: the region that a granule speaks for. Exact to the micro-degree, as `cellCentre`. */
export function gridBounds({ rows, columns, first_lat, first_lon, step_deg }: GridGeometry): {
  west: number;
  south: number;
  east: number;
  north: number;
} {
  const exact = (degrees: number): number => Math.round(degrees * 1e6) / 1e6;
  return {
    west: exact(first_lon - step_deg / 2),
    south: exact(first_lat - (rows - 0.5) * step_deg),
    east: exact(first_lon + (columns - 0.5) * step_deg),
    north: exact(first_lat + step_deg / 2),
  };
}
