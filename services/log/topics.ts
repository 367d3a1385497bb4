import type { TopicSpec } from './event-log.ts';

const day_ms = 86_400_000;
const mebibyte = 1024 * 1024;
const unlimited = { compacted: false, retention_ms: null } as const;

/**
 * Every topic, once. The number of partitions of a record topic never changes: the revisions of a record stand in order only because its
 * key has always meant the same partition, and a row's revision is its offset there.
 */
export const topics = {
  observation: { name: 'hail.observation.v1', partitions: 6, ...unlimited, max_message_bytes: mebibyte },
  grid: { name: 'hail.grid.v1', partitions: 6, ...unlimited, max_message_bytes: 8 * mebibyte },
  alert: { name: 'hail.alert.v1', partitions: 6, ...unlimited, max_message_bytes: mebibyte },
  feed_poll: { name: 'hail.feed-poll.v1', partitions: 1, ...unlimited, max_message_bytes: 8 * mebibyte },
  api_key: {
    name: 'hail.api-key.v1',
    partitions: 1,
    compacted: true,
    retention_ms: null,
    max_message_bytes: mebibyte,
  },
  api_request: {
    name: 'hail.api-request.v1',
    partitions: 6,
    compacted: false,
    retention_ms: 400 * day_ms,
    max_message_bytes: mebibyte,
  },
  dead_letter: { name: 'hail.dead-letter.v1', partitions: 1, ...unlimited, max_message_bytes: 9 * mebibyte },
} as const satisfies Record<string, TopicSpec>;

export type TopicName = (typeof topics)[keyof typeof topics]['name'];
