import { storedInstant } from '../projections.ts';
import type { Value } from '../store.ts';

/** Polygons, their rings, the rings' corners as longitude and latitude: the store's `MultiPolygon`. */
export type StoredPolygons = [lon: number, lat: number][][][];

/** One row of `alerts_v<n>`: one message about one event. Times in epoch milliseconds. */
export interface AlertRow {
  alert_key: string;
  sent_at: number;
  message_id: string;
  office: string;
  phenomenon: string;
  significance: string;
  etn: number | null;
  year: number;
  event: string;
  state: string;
  vtec_action: string;
  message_type: string;
  effective_at: number | null;
  onset_at: number | null;
  expires_at: number | null;
  ends_at: number | null;
  max_hail_in: number | null;
  hail_qualifier: string;
  hail_tag: string;
  hail_threat: string;
  damage_threat: string;
  area_desc: string;
  polygons: StoredPolygons;
  replaced_by: string;
  document_url: string;
  document_sha256: string;
  retrieved_at: number;
  log_partition: number;
  revision: number;
}

export const alertColumns = [
  'alert_key',
  'sent_at',
  'message_id',
  'office',
  'phenomenon',
  'significance',
  'etn',
  'year',
  'event',
  'state',
  'vtec_action',
  'message_type',
  'effective_at',
  'onset_at',
  'expires_at',
  'ends_at',
  'max_hail_in',
  'hail_qualifier',
  'hail_tag',
  'hail_threat',
  'damage_threat',
  'area_desc',
  'polygons',
  'replaced_by',
  'document_url',
  'document_sha256',
  'retrieved_at',
  'log_partition',
  'revision',
] as const satisfies readonly (keyof AlertRow)[];

const instants = new Set<string>([
  'sent_at',
  'effective_at',
  'onset_at',
  'expires_at',
  'ends_at',
  'retrieved_at',
]);

export function alertValues(row: AlertRow): Value[] {
  return alertColumns.map((column) => {
    const value = row[column];
    return instants.has(column) && typeof value === 'number' ? storedInstant(value) : value;
  });
}

/** The table's sort key: two rows that share it are revisions of one message. */
export function alertSortKey({
  alert_key,
  sent_at,
  message_id,
}: Pick<AlertRow, 'alert_key' | 'sent_at' | 'message_id'>): string {
  return [alert_key, sent_at, message_id].join('\u0000');
}
