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
import type { LogDatabase, Statements } from './database.ts';
import { stream_width } from './schema.ts';

interface Stream {
  stream: number;
  end_offset: number;
  grown: boolean;
}

/** Appends all of the messages in one transaction, or none. What cannot be appended at all is refused before the transaction begins. */
export async function appendMessages(
  database: LogDatabase,
  clock: Clock,
  spec: TopicSpec,
  messages: readonly NewMessage[],
  owner: Ownership | undefined,
): Promise<Appended[]> {
  if (messages.length > max_append_messages) {
    throw new RangeError(
      `an append takes at most ${max_append_messages} messages, this one has ${messages.length}`,
    );
  }
  for (const message of messages) requireSize(spec, message);
  return database.write((sql) => {
    if (owner !== undefined) requireOwner(sql, owner);
    const streams = streamsOf(sql, spec.name);
    const insert = sql(
      'INSERT INTO messages (position, key, value, headers, appended_at) VALUES (?, ?, ?, ?, ?)',
    );
    const appended_at = clock();
    const appended = messages.map(({ key, value, headers }): Appended => {
      const partition = partitionOf(key, spec.partitions);
      const stream = streams[partition];
      if (stream === undefined) throw new Error(`${spec.name} has no partition ${partition} in the log file`);
      const offset = stream.end_offset;
      const position = stream.stream * stream_width + offset;
      if (spec.compacted) forgetOlder(sql, stream.stream, key, position);
      insert.run(position, key, value, headersText(headers), appended_at);
      stream.end_offset = offset + 1;
      stream.grown = true;
      return { partition, offset };
    });
    const move = sql('UPDATE streams SET end_offset = ? WHERE stream = ?');
    for (const { stream, end_offset, grown } of streams) if (grown) move.run(end_offset, stream);
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

/** Read in the transaction of the append, so that no claim can come between the question and the write. */
function requireOwner(sql: Statements, { resource, epoch }: Ownership): void {
  const row = sql('SELECT epoch FROM owners WHERE resource = ?').get(resource);
  if (row?.['epoch'] === epoch) return;
  throw new HailmarkError(
    'HAIL_OWNERSHIP_LOST',
    `This process does not own ${resource} any more and must not write for it.`,
  );
}

function streamsOf(sql: Statements, topic: string): Stream[] {
  return sql('SELECT stream, end_offset FROM streams WHERE topic = ? ORDER BY partition')
    .all(topic)
    .map((row) => ({ stream: Number(row['stream']), end_offset: Number(row['end_offset']), grown: false }));
}

/** Compaction happens with the append: at any time a key has its newest message only, and offsets keep their numbers. */
function forgetOlder(sql: Statements, stream: number, key: string, position: number): void {
  const older = sql('SELECT position FROM newest WHERE stream = ? AND key = ?').get(stream, key)?.[
    'position'
  ];
  if (typeof older === 'number') sql('DELETE FROM messages WHERE position = ?').run(older);
  sql('INSERT OR REPLACE INTO newest (stream, key, position) VALUES (?, ?, ?)').run(stream, key, position);
}

function headersText(headers: NewMessage['headers']): string | null {
  return headers === undefined || Object.keys(headers).length === 0 ? null : JSON.stringify(headers);
}
