import { formatInstant, parseDay } from '../hail/time.ts';
import type { Codec, UndecodableReason } from './codec.ts';
import type { EventLog, ScanOptions, StoredMessage } from './event-log.ts';
import type { TopicName } from './topics.ts';

/** A place to begin or end at: an offset of each partition, its present end, or a time of appending. */
export type Bound = { offset: number } | 'end' | { at_ms: number };

export interface LogQuery {
  topic: TopicName;
  /** Null is every partition. */
  partition: number | null;
  /** Null is every key. A key is looked for in every partition: another writer may have put it elsewhere than ours would. */
  key: string | null;
  from: Bound;
  /** Exclusive; null is the end, or none with `follow`. */
  to: Exclude<Bound, 'end'> | null;
  follow: boolean;
}

/** A message for a reader of JSON: its fact, or why it is none and its bytes in base64. */
export type LogLine = {
  partition: number;
  offset: number;
  appended_at: string;
  key: string;
  headers?: Readonly<Record<string, string>>;
} & ({ fact: unknown } | { undecodable: UndecodableReason; error: string; value: string | null });

/** So few that a page of the largest messages is a small part of the memory. */
const page_messages = 200;

/** An offset, `end`, an ISO time with its zone, or a day (its midnight UTC); null for anything else. */
export function parseBound(text: string): Bound | null {
  if (text === 'end') return 'end';
  if (/^\d{1,15}$/.test(text)) return { offset: Number(text) };
  const day_ms = parseDay(text);
  if (day_ms !== null) return { at_ms: day_ms };
  const is_instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/.test(text);
  const at_ms = is_instant ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at_ms) ? null : { at_ms };
}

/**
 * Reads messages as lines, page by page and one at a time, so that a slow reader holds back the log and not the memory. A time is compared
 * with every message's own, because a log's clock can have been set back: nothing is passed over for where it stands.
 */
export async function* readLines(
  deps: { log: Pick<EventLog, 'scan' | 'endOffsets'>; codec: Pick<Codec, 'decode' | 'decodeKnown'> },
  query: LogQuery,
  signal?: AbortSignal,
): AsyncGenerator<LogLine> {
  const { topic } = query;
  const ends = await deps.log.endOffsets(topic);
  for await (const page of deps.log.scan(topic, { ...rangeOf(query, ends), ...(signal && { signal }) })) {
    for (const message of page) {
      if (signal?.aborted === true) return;
      if (isAskedFor(query, message)) yield await lineOf(deps.codec, topic, message);
    }
  }
}

/** The range of each partition; one that is not asked for is empty, or nearly so where it is followed. */
function rangeOf({ partition, from, to, follow }: LogQuery, ends: readonly number[]): ScanOptions {
  const is_asked = (index: number): boolean => partition === null || partition === index;
  const begin = (end: number): number => {
    if (from === 'end') return end;
    return 'offset' in from ? from.offset : 0;
  };
  const stop = (end: number): number => (to !== null && 'offset' in to ? Math.min(to.offset, end) : end);
  return {
    page_messages,
    from: ends.map((end, index) => (is_asked(index) ? begin(end) : end)),
    ...(follow ? { follow } : { until: ends.map((end, index) => (is_asked(index) ? stop(end) : end)) }),
  };
}

function isAskedFor(query: LogQuery, { partition, key, appended_at }: StoredMessage): boolean {
  const { from, to } = query;
  return (
    (query.partition === null || query.partition === partition) &&
    (query.key === null || query.key === key) &&
    (from === 'end' || !('at_ms' in from) || appended_at >= from.at_ms) &&
    (to === null || !('at_ms' in to) || appended_at < to.at_ms)
  );
}

async function lineOf(
  codec: Pick<Codec, 'decode' | 'decodeKnown'>,
  topic: TopicName,
  { partition, offset, appended_at, key, headers, value }: StoredMessage,
): Promise<LogLine> {
  const decoded = codec.decodeKnown(topic, value) ?? (await codec.decode(topic, value));
  const place = {
    ...{ partition, offset, appended_at: formatInstant(appended_at), key },
    ...(Object.keys(headers).length > 0 ? { headers } : {}),
  };
  if (decoded.outcome === 'ok') return { ...place, fact: printable(decoded.fact) };
  const { reason, error } = decoded;
  return { ...place, undecodable: reason, error, value: value?.toString('base64') ?? null };
}

/** The fact as plain values, bytes as base64 text. */
function printable(value: unknown): unknown {
  if (Buffer.isBuffer(value)) return value.toString('base64');
  if (Array.isArray(value)) return value.map(printable);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, printable(inner)]));
}
