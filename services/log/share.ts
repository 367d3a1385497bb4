export interface TopicPartition {
  topic: string;
  partition: number;
}

export interface Subscriber {
  member: string;
  topics: readonly string[];
}

/**
 * Who gets which partition. Every member computes the same answer from the same lists, in whatever order they come: partitions in order,
 * each to the subscriber that has the fewest so far, then to the first by name.
 */
export function shareOf(
  member: string,
  subscribers: readonly Subscriber[],
  partitions: readonly TopicPartition[],
): TopicPartition[] {
  const seats = subscribers
    .toSorted((a, b) => (a.member < b.member ? -1 : 1))
    .map((subscriber) => ({ ...subscriber, count: 0 }));
  const ordered = partitions.toSorted((a, b) =>
    a.topic === b.topic ? a.partition - b.partition : a.topic < b.topic ? -1 : 1,
  );
  return ordered.filter(({ topic }) => {
    let best: (typeof seats)[number] | undefined;
    for (const seat of seats) {
      if (!seat.topics.includes(topic)) continue;
      if (best === undefined || seat.count < best.count) best = seat;
    }
    if (best === undefined) return false;
    best.count += 1;
    return best.member === member;
  });
}
