import { storedInstant } from '../projections.ts';
import type { Value } from '../store.ts';

/** One row of `storm_reports_v<n>`: a preliminary report, or its having been taken back. */
export interface StormReportRow {
  record_key: string;
  record_id: string;
  occurred_at: number | null;
  lat: number | null;
  lon: number | null;
  size_in: number | null;
  slice: string;
  reporter: string;
  state: string;
  county: string;
  document_url: string;
  document_sha256: string;
  retrieved_at: number;
  log_partition: number;
  revision: number;
  is_deleted: 0 | 1;
}

export const stormReportColumns = [
  'record_key',
  'record_id',
  'occurred_at',
  'lat',
  'lon',
  'size_in',
  'slice',
  'reporter',
  'state',
  'county',
  'document_url',
  'document_sha256',
  'retrieved_at',
  'log_partition',
  'revision',
  'is_deleted',
] as const satisfies readonly (keyof StormReportRow)[];

const instants = new Set<string>(['occurred_at', 'retrieved_at']);

export function stormReportValues(row: StormReportRow): Value[] {
  return stormReportColumns.map((column) => {
    const value = row[column];
    return instants.has(column) && typeof value === 'number' ? storedInstant(value) : value;
  });
}
