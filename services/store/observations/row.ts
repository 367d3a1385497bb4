import { native, type NativeColumn } from '../native.ts';

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
  /** A grid cell's own size in tenths of a millimetre; 0 for records that are no grid. */
  size_tenths_mm: number;
  record_id: string;
  status: string;
  sevprob: number | null;
  prob: number | null;
  reporter: string;
  /** Of the publisher, not of the place; each empty where it says none. */
  state: string;
  county: string;
  county_fips: string;
  document_url: string;
  document_sha256: string;
  publisher_version: string;
  retrieved_at: number;
  log_partition: number;
  revision: number;
  is_deleted: 0 | 1;
}

/** The columns as the table has them. */
export const observationColumns: readonly NativeColumn<ObservationRow>[] = [
  native.uint32('cell', ({ cell }) => cell),
  native.instant('occurred_at', ({ occurred_at }) => occurred_at),
  native.label('publisher', ({ publisher }) => publisher),
  native.text('record_key', ({ record_key }) => record_key),
  native.int32('lat', ({ lat }) => lat),
  native.int32('lon', ({ lon }) => lon),
  native.instant('ended_at', ({ ended_at }) => ended_at),
  native.float64('size_in', ({ size_in }) => size_in),
  native.uint16('size_tenths_mm', ({ size_tenths_mm }) => size_tenths_mm),
  native.text('record_id', ({ record_id }) => record_id),
  native.label('status', ({ status }) => status),
  native.nullableUint8('sevprob', ({ sevprob }) => sevprob),
  native.nullableUint8('prob', ({ prob }) => prob),
  native.label('reporter', ({ reporter }) => reporter),
  native.label('state', ({ state }) => state),
  native.label('county', ({ county }) => county),
  native.label('county_fips', ({ county_fips }) => county_fips),
  native.label('document_url', ({ document_url }) => document_url),
  native.label('document_sha256', ({ document_sha256 }) => document_sha256),
  native.label('publisher_version', ({ publisher_version }) => publisher_version),
  native.instant('retrieved_at', ({ retrieved_at }) => retrieved_at),
  native.uint16('log_partition', ({ log_partition }) => log_partition),
  native.uint64('revision', ({ revision }) => revision),
  native.uint8('is_deleted', ({ is_deleted }) => is_deleted),
];

/** The table's sort key: two rows that share it are revisions of one standing. */
export function sortKey(
  row: Pick<ObservationRow, 'cell' | 'occurred_at' | 'publisher' | 'record_key' | 'lat' | 'lon'>,
): string {
  return [row.cell, row.occurred_at, row.publisher, row.record_key, row.lat, row.lon].join('\u0000');
}
