import { storedInstant } from '../projections.ts';
import type { Value } from '../store.ts';

/** One row of `api_keys_v<n>`: the newest state of a key. Times in epoch milliseconds. */
export interface ApiKeyRow {
  key_id: string;
  partner: string;
  per_minute: number;
  per_day: number;
  created_at: number;
  revoked_at: number | null;
  expires_at: number | null;
  replaced_by: string;
  log_partition: number;
  revision: number;
}

export const apiKeyColumns = [
  'key_id',
  'partner',
  'per_minute',
  'per_day',
  'created_at',
  'revoked_at',
  'expires_at',
  'replaced_by',
  'log_partition',
  'revision',
] as const satisfies readonly (keyof ApiKeyRow)[];

const instants = new Set<string>(['created_at', 'revoked_at', 'expires_at']);

export function apiKeyValues(row: ApiKeyRow): Value[] {
  return apiKeyColumns.map((column) => {
    const value = row[column];
    return instants.has(column) && typeof value === 'number' ? storedInstant(value) : value;
  });
}
