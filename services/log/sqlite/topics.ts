import { HailmarkError } from '../../runtime/errors.ts';
import type { TopicSpec } from '../event-log.ts';
import type { LogDatabase } from './database.ts';
import { max_streams } from './schema.ts';

export interface TopicRegister {
  ensure: (wanted: readonly TopicSpec[]) => Promise<void>;
  /** The topic's settings in the file as they are now. */
  find: (topic: string) => TopicSpec | undefined;
  /** The same, kept once read; `HAIL_UNKNOWN_TOPIC` where it was never made. */
  spec: (topic: string) => TopicSpec;
}

/** The topics of the file. Settings are read once: nothing changes those of a topic that exists. */
export function createTopicRegister(database: LogDatabase): TopicRegister {
  const known = new Map<string, TopicSpec>();
  const find = (name: string): TopicSpec | undefined => {
    const row = database.read((sql) => sql('SELECT * FROM topics WHERE name = ?').get(name));
    if (row === undefined) return undefined;
    const retention_ms = row['retention_ms'];
    return {
      name,
      partitions: Number(row['partitions']),
      compacted: row['compacted'] === 1,
      retention_ms: typeof retention_ms === 'number' ? retention_ms : null,
      max_message_bytes: Number(row['max_message_bytes']),
    };
  };

  return {
    find,
    ensure: async (wanted) => {
      const missing = wanted.filter(({ name }) => find(name) === undefined);
      for (const spec of missing) requireSensible(spec);
      if (missing.length === 0) return;
      await database.write((sql) => {
        for (const { name, partitions, compacted, retention_ms, max_message_bytes } of missing) {
          const made = sql('INSERT OR IGNORE INTO topics VALUES (?, ?, ?, ?, ?)').run(
            name,
            partitions,
            compacted ? 1 : 0,
            retention_ms,
            max_message_bytes,
          );
          if (made.changes === 0) continue;
          for (let partition = 0; partition < partitions; partition += 1) {
            const stream = sql('INSERT INTO streams (topic, partition, end_offset) VALUES (?, ?, 0)').run(
              name,
              partition,
            );
            if (stream.lastInsertRowid > max_streams) {
              throw new RangeError(`a log file holds at most ${max_streams} partitions`);
            }
          }
        }
      });
    },
    spec: (topic) => {
      const spec = known.get(topic) ?? find(topic);
      if (spec === undefined) {
        throw new HailmarkError(
          'HAIL_UNKNOWN_TOPIC',
          `The log has no topic ${topic}; topics are made when a process starts.`,
        );
      }
      known.set(topic, spec);
      return spec;
    },
  };
}

function requireSensible({ name, partitions }: TopicSpec): void {
  if (Number.isInteger(partitions) && partitions > 0) return;
  throw new RangeError(`${name} must have a whole number of partitions, at least one`);
}
