import type { Clock } from '../../runtime/clock.ts';
import { HailmarkError } from '../../runtime/errors.ts';
import {
  max_append_messages,
  type Appended,
  type NewMessage,
  type Ownership,
  type TopicSpec,
} from '../event-log.ts';
import { partitionOf } from '../partition.ts';
import type { LogDatabase } from './database.ts';

/** Appends all of the messages in one transaction, or none. */
export function appendMessages(
  database: LogDatabase,
  clock: Clock,
  spec: TopicSpec,
  messages: readonly NewMessage[],
  owner: Ownership | undefined,
): Appended[] {
  if (messages.length > max_append_messages) {
    throw new RangeError(
      `an append takes at most ${max_append_messages} messages, this one has ${messages.length}`,
    );
  }
  for (const message of messages) requireSize(spec, message);
  return database.write((writer) => {
    if (owner !== undefined) {
      const epoch = writer.prepare('SELECT epoch FROM owners WHERE resource = ?').get(owner.resource)?.[
        'epoch'
      ];
      if (epoch !== owner.epoch) {
        throw new HailmarkError(
          'HAIL_OWNERSHIP_LOST',
          `Another process has taken over ${owner.resource}; this one must not write any more.`,
        );
      }
    }
    const ends = writer
      .prepare('SELECT end_offset FROM ends WHERE topic = ? ORDER BY partition')
      .all(spec.name)
      .map((row) => Number(row['end_offset']));
    const insert = writer.prepare(
      'INSERT INTO messages (topic, partition, offset, key, value, headers, appended_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
    );
    const forget = writer.prepare('DELETE FROM messages WHERE topic = ? AND partition = ? AND key = ?');
    const appended_at = clock();
    const appended = messages.map(({ key, value, headers }): Appended => {
      const partition = partitionOf(key, spec.partitions);
      const offset = ends[partition] ?? 0;
      ends[partition] = offset + 1;
      if (spec.compacted) forget.run(spec.name, partition, key);
      insert.run(spec.name, partition, offset, key, value, JSON.stringify(headers ?? {}), appended_at);
      return { partition, offset };
    });
    const move = writer.prepare('UPDATE ends SET end_offset = ? WHERE topic = ? AND partition = ?');
    ends.forEach((end_offset, partition) => move.run(end_offset, spec.name, partition));
    return appended;
  });
}

function requireSize(spec: TopicSpec, { key, value }: NewMessage): void {
  const size = Buffer.byteLength(key) + (value?.byteLength ?? 0);
  if (size <= spec.max_message_bytes) return;
  throw new HailmarkError(
    'HAIL_MESSAGE_TOO_LARGE',
    `A message of ${size} bytes is over the limit of ${spec.max_message_bytes} bytes of ${spec.name}.`,
  );
}
