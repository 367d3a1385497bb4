import { storedInstant } from '../projections.ts';
import type { Value } from '../store.ts';

/** One row of `observations_v<n>`: a standing of a record, or its deletion. Places in micro-degrees, times in epoch milliseconds. */
export interface ObservationRow {
  cell: number;
  occurred_at: number;
  publisher: string;
  record_key: string;
  lat: number;
  lon: number;
  ended_at: number;
  size_in: number;
  record_id: string;
  status: string;
  sevprob: number | null;
  prob: number | null;
  reporter: string;
  document_url: string;
  document_sha256: string;
  publisher_version: string;
  retrieved_at: number;
  log_partition: number;
  revision: number;
  is_deleted: 0 | 1;
}

export const observationColumns = [
  'cell',
  'occurred_at',
  'publisher',
  'record_key',
  'lat',
  'lon',
  'ended_at',
  'size_in',
  'record_id',
  'status',
  'sevprob',
  'prob',
  'reporter',
  'document_url',
  'document_sha256',
  'publisher_version',
  'retrieved_at',
  'log_partition',
  'revision',
  'is_deleted',
] as const satisfies readonly (keyof ObservationRow)[];

const instants = new Set<string>(['occurred_at', 'ended_at', 'retrieved_at']);

export function observationValues(row: ObservationRow): Value[] {
  return observationColumns.map((column) => {
    const value = row[column];
    return instants.has(column) && typeof value === 'number' ? storedInstant(value) : value;
  });
}

/** The table's sort key: two rows that share it are revisions of one standing. */
export function sortKey(
  row: Pick<ObservationRow, 'cell' | 'occurred_at' | 'publisher' | 'record_key' | 'lat' | 'lon'>,
): string {
  return [row.cell, row.occurred_at, row.publisher, row.record_key, row.lat, row.lon].join('\u0000');
}
