import { storedInstant } from '../projections.ts';
import type { Value } from '../store.ts';

/** One row of `dead_letters_v<n>`: one letter about a message, without the message's bytes. `said_at` in epoch milliseconds. */
export interface DeadLetterRow {
  topic: string;
  log_partition: number;
  log_offset: number;
  revision: number;
  state: string;
  message_key: string;
  reason: string;
  error: string;
  said_by: string;
  said_at: number;
  message_bytes: number | null;
}

export const deadLetterColumns = [
  'topic',
  'log_partition',
  'log_offset',
  'revision',
  'state',
  'message_key',
  'reason',
  'error',
  'said_by',
  'said_at',
  'message_bytes',
] as const satisfies readonly (keyof DeadLetterRow)[];

export function deadLetterValues(row: DeadLetterRow): Value[] {
  return deadLetterColumns.map((column) => (column === 'said_at' ? storedInstant(row.said_at) : row[column]));
}
