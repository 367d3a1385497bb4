import type { StoredMessage } from '../event-log.ts';
import type { LogDatabase } from './database.ts';
import { stream_width } from './schema.ts';

/** A page ends past this many bytes of values, whatever number of messages was asked for. */
const page_bytes = 16 * 1024 * 1024;

type Row = [
  position: number,
  key: string,
  value: Uint8Array<ArrayBuffer> | null,
  headers: string | null,
  appended_at: number,
];

/** One bounded page of a partition, ascending by offset, at least one message where there is one; nothing stays open when it returns. */
export function readPage(
  database: LogDatabase,
  at: { topic: string; partition: number },
  range: { from: number; until: number },
  page_messages: number,
): StoredMessage[] {
  const { topic, partition } = at;
  return database.read((sql) => {
    const stream = sql('SELECT stream FROM streams WHERE topic = ? AND partition = ?').get(topic, partition);
    if (stream === undefined) return [];
    const base = Number(stream['stream']) * stream_width;
    const until = base + Math.min(range.until, stream_width);
    const statement = sql(
      `SELECT position, key, value, headers, appended_at FROM messages
       WHERE position >= ? AND position < ? ORDER BY position LIMIT ?`,
    );
    // Rows as arrays are read at nearly twice the speed of rows as objects.
    statement.setReturnArrays(true);
    const rows: Iterable<unknown> = statement.iterate(base + range.from, until, page_messages);
    const page: StoredMessage[] = [];
    let bytes = 0;
    for (const row of rows) {
      const [position, key, blob, headers, appended_at] = row as Row;
      const value = blob === null ? null : Buffer.from(blob.buffer, blob.byteOffset, blob.byteLength);
      page.push({
        topic,
        partition,
        offset: position - base,
        key,
        value,
        headers: headers === null ? {} : (JSON.parse(headers) as Record<string, string>),
        appended_at,
      });
      bytes += value?.byteLength ?? 0;
      if (bytes >= page_bytes) break;
    }
    return page;
  });
}

/** The end offset of each partition; empty for an unknown topic. */
export function readEnds(database: LogDatabase, topic: string): number[] {
  return database.read((sql) =>
    sql('SELECT end_offset FROM streams WHERE topic = ? ORDER BY partition')
      .all(topic)
      .map((row) => Number(row['end_offset'])),
  );
}
