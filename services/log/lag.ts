import type { EventLog } from './event-log.ts';

/** How far one reader has come in one partition. `lag` is null where nothing is known of it. */
export interface Lag {
  topic: string;
  partition: number;
  next_offset: number | null;
  end_offset: number;
  lag: number | null;
}

/** The ends of those of the topics that the log has. */
export async function readTopicEnds(
  log: Pick<EventLog, 'describeTopic' | 'endOffsets'>,
  topics: readonly string[],
): Promise<Map<string, number[]>> {
  const ends = new Map<string, number[]>();
  for (const topic of topics) {
    if ((await log.describeTopic(topic)) !== null) ends.set(topic, await log.endOffsets(topic));
  }
  return ends;
}

/**
 * The lag of every group in every topic it has committed something of; a partition without a commit has no lag. A group of which nothing
 * is committed yet has an empty list. Read after the ends, so that a group that keeps up never seems to be behind by messages that came
 * in between; it may be past them, which is no lag.
 */
export async function readGroupLags(
  log: Pick<EventLog, 'groups' | 'committed'>,
  ends: ReadonlyMap<string, readonly number[]>,
): Promise<{ group: string; lags: Lag[] }[]> {
  const found: { group: string; lags: Lag[] }[] = [];
  for (const group of await log.groups()) {
    const lags: Lag[] = [];
    for (const [topic, topic_ends] of ends) {
      const committed = await log.committed(group, topic);
      if (committed.every((offset) => offset === null)) continue;
      for (const [partition, end_offset] of topic_ends.entries())
        lags.push(lagOf({ topic, partition, next_offset: committed[partition] ?? null }, end_offset));
    }
    found.push({ group, lags });
  }
  return found;
}

/**
 * The lag of a projection's version by its own positions, in all partitions of every topic that it has a position in. Positions of another
 * log say nothing about this one; they are counted in `foreign`.
 */
export function positionLags(
  log_id: string,
  positions: readonly { topic: string; partition: number; log_id: string; next_offset: number }[],
  ends: ReadonlyMap<string, readonly number[]>,
): { lags: Lag[]; foreign: number } {
  const own = positions.filter((each) => each.log_id === log_id);
  const lags = [...ends].flatMap(([topic, topic_ends]) => {
    const of_topic = own.filter((each) => each.topic === topic);
    if (of_topic.length === 0) return [];
    return topic_ends.map((end_offset, partition) => {
      // A partition without a position has been read up to its beginning.
      const next_offset = of_topic.find((each) => each.partition === partition)?.next_offset ?? 0;
      return lagOf({ topic, partition, next_offset }, end_offset);
    });
  });
  return { lags, foreign: positions.length - own.length };
}

/**
 * When the oldest message that a reader has not passed was appended, by the log's own time; null where it has passed all of them. Reads one
 * message.
 */
export async function oldestWaiting(
  log: Pick<EventLog, 'scan'>,
  { topic, partition, next_offset, end_offset }: Lag,
): Promise<number | null> {
  // Of the partitions before this one nothing is read; where it holds marks alone, one of those after it comes instead.
  const at = (offset: number): number[] =>
    Array.from({ length: partition + 1 }, (_, each) => (each === partition ? offset : 0));
  const range = { from: at(next_offset ?? 0), until: at(end_offset) };
  for await (const [message] of log.scan(topic, { ...range, page_messages: 1 })) {
    return message?.partition === partition ? message.appended_at : null;
  }
  return null;
}

function lagOf(at: Pick<Lag, 'topic' | 'partition' | 'next_offset'>, end_offset: number): Lag {
  const lag = at.next_offset === null ? null : Math.max(0, end_offset - at.next_offset);
  return { ...at, end_offset, lag };
}
