import { unlessAborted } from '../../runtime/abort.ts';
import { pause } from '../../runtime/clock.ts';
import type { ScanOptions, StoredMessage } from '../event-log.ts';
import { fetchStretches, type FetchedStretch, type Place } from './fetch.ts';
import type { Cluster } from './inner.ts';

const default_page_messages = 1_000;
const partition_bytes = 2 * 1024 * 1024;
/** How long a follower's request waits at the broker; told to stop, it is given up at once. */
const poll_ms = 1_000;

/**
 * Reads a topic as the port's `scan` says, without a group. `ends` are those of the time of the call. A follower reads over a connection of
 * its own, because its waiting would hold up the others.
 */
export async function* scanPages(
  cluster: Cluster,
  topic: string,
  ends: readonly number[],
  options: ScanOptions & { closing: AbortSignal },
): AsyncGenerator<StoredMessage[]> {
  const { follow = false, page_messages = default_page_messages, closing } = options;
  const signal = options.signal === undefined ? closing : AbortSignal.any([closing, options.signal]);
  const next = ends.map((_, partition) => options.from?.[partition] ?? 0);
  const limit = (partition: number): number =>
    follow ? Number.MAX_SAFE_INTEGER : (options.until?.[partition] ?? ends[partition] ?? 0);
  const ended = (): boolean => signal.aborted;
  /** Nothing when told to stop. */
  const fetched = (places: readonly Place[]): Promise<FetchedStretch[]> =>
    unlessAborted(fetchStretches(cluster, places, { wait_ms: poll_ms, partition_bytes }), signal).catch(
      (error: unknown) => {
        if (signal.aborted) return [];
        throw error;
      },
    );

  for (const [partition, from] of next.entries()) {
    let at = from;
    // What lies below the end at the call is there to be read; only a follower waits for more.
    const until = Math.min(limit(partition), ends[partition] ?? 0);
    while (at < until && !ended()) {
      const places = [{ topic, partition, offset: at }];
      const [stretch] = await fetched(places);
      if (stretch === undefined) return;
      // Marks and removed messages alone: go past them. A broker that gives nothing below its own end is asked again.
      if (stretch.end_offset === at) await pause(10, signal);
      at = stretch.end_offset;
      next[partition] = at;
      yield* pagesOf(
        stretch.messages.filter(({ offset }) => offset < until),
        page_messages,
        ended,
      );
    }
  }
  while (follow && !ended()) {
    const places = next.map((offset, partition) => ({ topic, partition, offset }));
    for (const { partition, messages, end_offset } of await fetched(places)) {
      next[partition] = end_offset;
      yield* pagesOf(messages, page_messages, ended);
    }
  }
}

function* pagesOf(
  messages: readonly StoredMessage[],
  page_messages: number,
  ended: () => boolean,
): Generator<StoredMessage[]> {
  for (let at = 0; at < messages.length && !ended(); at += page_messages) {
    yield messages.slice(at, at + page_messages);
  }
}
