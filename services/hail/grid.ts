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
