import { storedInstant } from '../projections.ts';
import type { Value } from '../store.ts';

/** One row of `feed_status_v<n>`: one poll. */
export interface FeedStatusRow {
  feed: string;
  log_partition: number;
  revision: number;
  publisher: string;
  mode: string;
  asked: string;
  began_at: number;
  ended_at: number;
  outcome: string;
  reason: string;
  detail: string;
  read_through: number | null;
  records: number;
  published: number;
  withdrawn: number;
  held: number;
  end_offsets: { topic: string; partition: number; end_offset: number }[];
}

export const feedStatusColumns = [
  'feed',
  'log_partition',
  'revision',
  'publisher',
  'mode',
  'asked',
  'began_at',
  'ended_at',
  'outcome',
  'reason',
  'detail',
  'read_through',
  'records',
  'published',
  'withdrawn',
  'held',
  'end_offsets',
] as const satisfies readonly (keyof FeedStatusRow)[];

const instants = new Set<string>(['began_at', 'ended_at', 'read_through']);

export function feedStatusValues(row: FeedStatusRow): Value[] {
  return feedStatusColumns.map((column) => {
    const value = row[column];
    return instants.has(column) && typeof value === 'number' ? storedInstant(value) : value;
  });
}
