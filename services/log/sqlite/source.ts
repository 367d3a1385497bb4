import type { PartitionSource } from '../consume.ts';
import type { LogDatabase } from './database.ts';
import { readEnds, readPage } from './read.ts';

/** What a consumer reads from the log's file. */
export function createSqliteSource(database: LogDatabase): PartitionSource {
  return {
    read: ({ holding, next }, messages) =>
      new Promise((resolve) => {
        const high_watermark = readEnds(database, holding.topic)[holding.partition] ?? 0;
        const page = readPage(database, holding, { from: next, until: high_watermark }, messages);
        const last = page.at(-1);
        resolve(last === undefined ? null : { messages: page, end_offset: last.offset + 1, high_watermark });
      }),
    lookout: () => {
      const seen = database.news.version();
      return (_, limit_ms, signal) => database.news.after(seen, limit_ms, signal);
    },
  };
}
