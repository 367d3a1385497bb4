import type { ScanOptions, StoredMessage } from '../event-log.ts';
import { eventLoopTurn, type LogDatabase } from './database.ts';
import { readEnds, readPage } from './read.ts';

const default_page_messages = 1_000;
/** A follower looks again this often even without news. */
const longest_wait_ms = 10_000;

/** Reads a topic as the port's `scan` says. The end is that of the time of this call, not of the first page. */
export function scanTopic(
  database: LogDatabase,
  topic: string,
  options: ScanOptions,
): AsyncIterable<StoredMessage[]> {
  const ends = readEnds(database, topic);
  return pagesOf(database, topic, ends, options);
}

async function* pagesOf(
  database: LogDatabase,
  topic: string,
  ends: readonly number[],
  options: ScanOptions,
): AsyncGenerator<StoredMessage[]> {
  const { signal, follow = false, page_messages = default_page_messages } = options;
  const next = ends.map((_, partition) => options.from?.[partition] ?? 0);
  const limit = (partition: number): number =>
    follow ? Number.MAX_SAFE_INTEGER : (options.until?.[partition] ?? ends[partition] ?? 0);
  const ended = (): boolean => signal?.aborted === true || database.closing.aborted;

  while (!ended()) {
    const seen = database.news.version();
    let found = false;
    for (const [partition, from] of next.entries()) {
      let at = from;
      while (!ended()) {
        const page = readPage(
          database,
          { topic, partition },
          { from: at, until: limit(partition) },
          page_messages,
        );
        const last = page.at(-1);
        if (last === undefined) break;
        at = last.offset + 1;
        next[partition] = at;
        found = true;
        yield page;
        await eventLoopTurn();
      }
    }
    if (!follow) return;
    if (!found) await database.news.after(seen, longest_wait_ms, signal);
  }
}
