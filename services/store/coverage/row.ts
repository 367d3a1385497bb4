import { storedInstant } from '../projections.ts';
import type { Value } from '../store.ts';

/** One row of `coverage_v<n>`: a slice that has been read completely. */
export interface CoverageRow {
  feed: string;
  slice: string;
  publisher: string;
  covers_from: number;
  covers_until: number;
  west: number | null;
  south: number | null;
  east: number | null;
  north: number | null;
  records: number;
  publisher_version: string;
  read_at: number;
  revision: number;
}

export const coverageColumns = [
  'feed',
  'slice',
  'publisher',
  'covers_from',
  'covers_until',
  'west',
  'south',
  'east',
  'north',
  'records',
  'publisher_version',
  'read_at',
  'revision',
] as const satisfies readonly (keyof CoverageRow)[];

const instants = new Set<string>(['covers_from', 'covers_until', 'read_at']);

export function coverageValues(row: CoverageRow): Value[] {
  return coverageColumns.map((column) => {
    const value = row[column];
    return instants.has(column) && typeof value === 'number' ? storedInstant(value) : value;
  });
}
