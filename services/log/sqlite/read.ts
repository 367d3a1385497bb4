import type { DatabaseSync } from 'node:sqlite';
import type { StoredMessage } from '../event-log.ts';

/** One bounded page of a partition, ascending by offset; the statement is finished when it returns. */
export function readPage(
  reader: DatabaseSync,
  topic: string,
  partition: number,
  range: { from: number; until: number },
  page_messages: number,
): StoredMessage[] {
  const rows = reader
    .prepare(
      `SELECT offset, key, value, headers, appended_at FROM messages
       WHERE topic = ? AND partition = ? AND offset >= ? AND offset < ? ORDER BY offset LIMIT ?`,
    )
    .all(topic, partition, range.from, range.until, page_messages);
  return rows.map((row) => ({
    topic,
    partition,
    offset: Number(row['offset']),
    key: String(row['key']),
    value: row['value'] instanceof Uint8Array ? Buffer.from(row['value']) : null,
    headers: JSON.parse(String(row['headers'])) as Record<string, string>,
    appended_at: Number(row['appended_at']),
  }));
}

/** The end offset of each partition; empty for an unknown topic. */
export function readEnds(reader: DatabaseSync, topic: string): number[] {
  return reader
    .prepare('SELECT end_offset FROM ends WHERE topic = ? ORDER BY partition')
    .all(topic)
    .map((row) => Number(row['end_offset']));
}

/** A number that changes whenever any other connection of any process has written. */
export function dataVersion(reader: DatabaseSync): number {
  return Number(reader.prepare('PRAGMA data_version').get()?.['data_version']);
}
