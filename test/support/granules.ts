import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MadeGranule } from '../../infra/sandbox/mrms/encode-granule.ts';

const recordings = join(import.meta.dirname, '../../infra/sandbox/recordings/mrms');
const made = join(import.meta.dirname, '../fixtures/mrms');

export const recorded_mesh = 'MRMS_MESH_00.50_20260610-213040.grib2.gz';

/** What another decoder, ecCodes, reads from a sample; made once and committed beside it. */
export interface Oracle {
  sha256_values_f32le: string;
  discipline: number;
  category: number;
  number: number;
  reference_time: string;
  grid: { ni: number; nj: number; lat_first: number; lon_first_east: number; di: number };
  packing: { R: number; E: number; D: number; bits: number };
  count: number;
  lowest_values: { value: number; count: number }[];
  positive_cells: number;
  max: number;
  cells_at_least_mm: Record<string, number>;
  top10: { row: number; col: number; lat: number; lon: number; value: number }[];
  samples: { row: number; col: number; lat: number; lon: number; value: number }[];
}

/** Samples with an oracle; the last is NOT REAL, a granule of a day's maxima made from the first. */
export const samples = [
  join(recordings, recorded_mesh),
  join(recordings, 'MRMS_MergedReflectivityQCComposite_00.50_20220704-110040.grib2'),
  join(recordings, 'MRMS_PrecipFlag_00.00_20260219-042400.grib2.gz'),
  join(made, 'DERIVED_MESH_Max_1440min_00.50_20260610-213000_swath_16bit.grib2.gz'),
];

/** Small granules of 8, 16, 24 and 32 bits, NOT REAL, with the values that ecCodes reads from them, row by row. */
export function madeByBits(): { bits: number; bytes: Buffer; values_mm: number[] }[] {
  const { granules } = JSON.parse(readFileSync(join(made, 'made-by-bits.json'), 'utf8')) as {
    granules: { bits: number; grib2_base64: string; values_mm: number[] }[];
  };
  return granules.map(({ bits, grib2_base64, values_mm }) => ({
    bits,
    values_mm,
    bytes: Buffer.from(grib2_base64, 'base64'),
  }));
}

export function recordedMesh(): Buffer {
  return readFileSync(join(recordings, recorded_mesh));
}

export function oracleOf(sample: string): Oracle {
  return JSON.parse(readFileSync(sample.replace(/\.grib2(\.gz)?$/, '.expected.json'), 'utf8')) as Oracle;
}

/** The hail of the recorded granule as a program that shares nothing with the service read it: cell numbers and tenths of mm. */
export function recordedHail(): { cell: number; size: number }[] {
  const path = join(recordings, 'DERIVED_MESH_20260610-213040_cells-from-12.7mm.json');
  const { cells } = JSON.parse(readFileSync(path, 'utf8')) as { cells: [number, number][] };
  return cells.map(([cell, size]) => ({ cell, size }));
}

export function publisherTable(): string {
  return readFileSync(join(recordings, 'UserTable_MRMS_v12.2.csv'), 'utf8');
}

/** A small grid in the mosaic's own manner, near San Antonio. */
export const small_grid = { rows: 12, columns: 9, first_lat: 29.995, first_lon: -98.995, step_deg: 0.01 };
export const made_stamp = Date.parse('2026-06-10T21:00:00Z');

/** A granule of an hour with four cells of hail, one of them small, and one cell without coverage. NOT REAL. */
export const made_hour: MadeGranule = {
  parameter_number: 30,
  reference_ms: made_stamp,
  geometry: small_grid,
  cells: [
    { index: 3, size_tenths_mm: 127 },
    { index: 40, size_tenths_mm: 126 },
    { index: 58, size_tenths_mm: 508 },
    { index: 71, size_tenths_mm: -30 },
    { index: 107, size_tenths_mm: 1_000 },
  ],
  filterOf: (row) => row % 5,
};
