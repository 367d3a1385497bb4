import type { PartitionSource, Place, Stretch } from '../consume.ts';
import { fetchStretches, type FetchedStretch } from './fetch.ts';
import type { Cluster } from './inner.ts';

/** How much of a partition is fetched at once: a full batch of facts, since each batch costs the store the same whatever its size. */
const partition_bytes = 4 * 1024 * 1024;
/** The same while news of all partitions are waited for. */
const news_bytes = 1024 * 1024;
/** A request that waits for news keeps its connection busy, and a member that is told to stop waits for its end. */
const longest_poll_ms = 500;

/** What a consumer reads from Kafka: stretches are fetched ahead and handed out in batches. */
export function createKafkaSource(cluster: Cluster): PartitionSource {
  const fetched = new Map<string, FetchedStretch>();
  const ahead = new Map<string, Promise<FetchedStretch | undefined>>();

  const fetchOne = async ({ holding, next }: Place): Promise<FetchedStretch | undefined> => {
    const place = { topic: holding.topic, partition: holding.partition, offset: next };
    return (await fetchStretches(cluster, [place], { wait_ms: 0, partition_bytes }))[0];
  };

  /** The stretch that begins at the place, from what was fetched ahead where that fits. */
  const stretchAt = async (name: string, place: Place): Promise<FetchedStretch | undefined> => {
    const known = fetched.get(name);
    if (known?.first_offset === place.next) return known;
    const coming = ahead.get(name);
    ahead.delete(name);
    const came = await coming?.catch(() => undefined);
    return came?.first_offset === place.next ? came : fetchOne(place);
  };

  return {
    read: async (place, messages) => {
      const name = nameOf(place.holding);
      const stretch = await stretchAt(name, place);
      fetched.delete(name);
      if (stretch === undefined || stretch.end_offset === place.next) return null;
      const batch = stretch.messages.slice(0, messages);
      const rest = stretch.messages.slice(messages);
      const first_left = rest[0];
      const end_offset = first_left === undefined ? stretch.end_offset : first_left.offset;
      if (first_left !== undefined) {
        fetched.set(name, { ...stretch, messages: rest, first_offset: end_offset });
      } else if (end_offset < stretch.high_watermark) {
        const next = fetchOne({ ...place, next: end_offset });
        next.catch(() => undefined);
        ahead.set(name, next);
      }
      return { messages: batch, end_offset, high_watermark: stretch.high_watermark } satisfies Stretch;
    },
    lookout: () => async (places, limit_ms, signal) => {
      if (places.length === 0) {
        await aborted(signal, limit_ms);
        return;
      }
      const at = places.map(({ holding, next }) => ({
        topic: holding.topic,
        partition: holding.partition,
        offset: next,
      }));
      const poll = fetchStretches(cluster, at, {
        wait_ms: Math.min(limit_ms, longest_poll_ms),
        partition_bytes: news_bytes,
      });
      const look = poll.then(
        (stretches) => {
          for (const stretch of stretches) {
            if (stretch.end_offset > stretch.first_offset)
              fetched.set(`${stretch.topic}/${stretch.partition}`, stretch);
          }
          return true;
        },
        () => false,
      );
      // A fetch that failed at once must not make a busy loop; the next read says what is wrong.
      if (!(await Promise.race([look, aborted(signal, limit_ms)]))) await aborted(signal, 100);
    },
  };
}

function nameOf({ topic, partition }: { topic: string; partition: number }): string {
  return `${topic}/${partition}`;
}

/** Resolves with true when the signal aborts or the time is over. */
function aborted(signal: AbortSignal, limit_ms: number): Promise<true> {
  return new Promise((resolve) => {
    const finish = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', finish);
      resolve(true);
    };
    const timer = setTimeout(finish, limit_ms);
    signal.addEventListener('abort', finish, { once: true });
    if (signal.aborted) finish();
  });
}
