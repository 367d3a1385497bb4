import { pause, systemClock, type Clock } from '../../runtime/clock.ts';
import { HailmarkError } from '../../runtime/errors.ts';
import type { EventLog, ScanOptions, StoredMessage, TopicSpec } from '../event-log.ts';
import { appendMessages } from './append.ts';
import { consumeGroup } from './consume.ts';
import { openLogDatabase } from './database.ts';
import { claimResource } from './ownership.ts';
import { readEnds, readPage } from './read.ts';

const follow_poll_ms = 50;

/**
 * The log of one machine: a SQLite file that the processes share. `clock` stamps the appends and times the group's sessions; it must be
 * the real one wherever processes share a file.
 */
export function createSqliteLog(options: { folder: string; clock?: Clock }): EventLog {
  const database = openLogDatabase(options.folder);
  const clock = options.clock ?? systemClock;
  const specs = new Map<string, TopicSpec>();

  const specOf = (topic: string): TopicSpec => {
    const known = specs.get(topic);
    if (known !== undefined) return known;
    const row = database.reader.prepare('SELECT * FROM topics WHERE name = ?').get(topic);
    if (row === undefined) {
      throw new HailmarkError(
        'HAIL_UNKNOWN_TOPIC',
        `The log has no topic ${topic}; topics are made when a process starts.`,
      );
    }
    const spec: TopicSpec = {
      name: topic,
      partitions: Number(row['partitions']),
      compacted: row['compacted'] === 1,
      retention_ms: row['retention_ms'] === null ? null : Number(row['retention_ms']),
      max_message_bytes: Number(row['max_message_bytes']),
    };
    specs.set(topic, spec);
    return spec;
  };

  return {
    id: database.log_id,
    ensureTopics: (wanted) => {
      database.write((writer) => {
        const topic = writer.prepare('INSERT OR IGNORE INTO topics VALUES (?, ?, ?, ?, ?)');
        const end = writer.prepare('INSERT OR IGNORE INTO ends VALUES (?, ?, 0)');
        for (const spec of wanted) {
          const made = topic.run(
            spec.name,
            spec.partitions,
            spec.compacted ? 1 : 0,
            spec.retention_ms,
            spec.max_message_bytes,
          );
          if (made.changes === 0) continue;
          for (let partition = 0; partition < spec.partitions; partition += 1) end.run(spec.name, partition);
        }
      });
      return Promise.resolve();
    },
    append: async (topic, messages, owner) => {
      // A turn of the event loop between appends keeps a bulk writer from starving its own timers.
      await Promise.resolve();
      return appendMessages(database, clock, specOf(topic), messages, owner);
    },
    endOffsets: async (topic) => {
      await Promise.resolve();
      specOf(topic);
      return readEnds(database.reader, topic);
    },
    scan: (topic, scan) => {
      specOf(topic);
      return scanTopic(topic, scan ?? {});
    },
    join: async (group) => {
      await Promise.resolve();
      group.topics.forEach(specOf);
      return consumeGroup(database, clock, group);
    },
    committed: async (group, topic) => {
      await Promise.resolve();
      const commits = database.reader
        .prepare('SELECT partition, next_offset FROM commits WHERE group_name = ? AND topic = ?')
        .all(group, topic);
      return Array.from({ length: specOf(topic).partitions }, (_, partition) => {
        const row = commits.find((each) => each['partition'] === partition);
        return row === undefined ? null : Number(row['next_offset']);
      });
    },
    claim: async (resource) => {
      await Promise.resolve();
      return claimResource(database, resource);
    },
    close: () => {
      database.close();
      return Promise.resolve();
    },
  };

  async function* scanTopic(topic: string, scan: ScanOptions): AsyncGenerator<StoredMessage[]> {
    const page_messages = scan.page_messages ?? 1_000;
    const ends = scan.until ?? readEnds(database.reader, topic);
    const next = ends.map((_, partition) => scan.from?.[partition] ?? 0);
    for (;;) {
      let busy = false;
      for (const partition of next.keys()) {
        for (;;) {
          if (scan.signal?.aborted === true) return;
          const until = scan.follow === true ? Number.MAX_SAFE_INTEGER : (ends[partition] ?? 0);
          const page = readPage(
            database.reader,
            topic,
            partition,
            { from: next[partition] ?? 0, until },
            page_messages,
          );
          const last = page.at(-1);
          if (last === undefined) break;
          next[partition] = last.offset + 1;
          busy = true;
          yield page;
        }
      }
      if (scan.follow !== true) return;
      if (!busy) await pause(follow_poll_ms, scan.signal);
    }
  }
}
