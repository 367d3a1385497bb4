import kafkajs, { type Admin, type ITopicConfig } from 'kafkajs';
import { HailmarkError } from '../../runtime/errors.ts';
import type { TopicSpec } from '../event-log.ts';
import { guarded, guardedQuestion, typeOf } from './failures.ts';

/** What a batch of one message is larger than the message: its header, the record's own, and room for headers. */
const batch_overhead_bytes = 64 * 1024;
const minimum_in_sync = 2;

export interface TopicRegister {
  ensure: (wanted: readonly TopicSpec[]) => Promise<void>;
  /** The topic's settings at the broker as they are now; null where there is none. */
  find: (topic: string) => Promise<TopicSpec | null>;
  /** The same, kept once read; `HAIL_UNKNOWN_TOPIC` where it was never made. */
  spec: (topic: string) => Promise<TopicSpec>;
}

/** The topics of the cluster. Nothing changes the settings of a topic that exists. */
export function createTopicRegister(admin: Admin, replication: number): TopicRegister {
  const known = new Map<string, TopicSpec>();

  const find = (topic: string): Promise<TopicSpec | null> =>
    guardedQuestion(async () => {
      try {
        const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
        const { resources } = await admin.describeConfigs({
          includeSynonyms: false,
          resources: [
            {
              type: kafkajs.ConfigResourceTypes.TOPIC,
              name: topic,
              configNames: ['cleanup.policy', 'retention.ms', 'max.message.bytes'],
            },
          ],
        });
        const settings = new Map(
          resources[0]?.configEntries.map(({ configName, configValue }) => [configName, configValue]),
        );
        const retention_ms = Number(settings.get('retention.ms') ?? -1);
        return {
          name: topic,
          partitions: topics[0]?.partitions.length ?? 0,
          compacted: (settings.get('cleanup.policy') ?? '').includes('compact'),
          retention_ms: retention_ms < 0 ? null : retention_ms,
          max_message_bytes: Number(settings.get('max.message.bytes') ?? 0) - batch_overhead_bytes,
        };
      } catch (error) {
        if (typeOf(error) === 'UNKNOWN_TOPIC_OR_PARTITION') return null;
        throw error;
      }
    });

  return {
    find,
    ensure: (wanted) =>
      guarded(async () => {
        const present = new Set(await admin.listTopics());
        const missing = wanted.filter(({ name }) => !present.has(name));
        if (missing.length === 0) return;
        try {
          await admin.createTopics({
            topics: missing.map((spec) => topicConfig(spec, replication)),
            waitForLeaders: true,
          });
        } catch (error) {
          // Made by another process at the same moment.
          if (!isAlreadyThere(error)) throw error;
        }
      }),
    spec: async (topic) => {
      const spec = known.get(topic) ?? (await find(topic));
      if (spec === null) {
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

function topicConfig(spec: TopicSpec, replication: number): ITopicConfig {
  const settings: Record<string, string> = {
    'cleanup.policy': spec.compacted ? 'compact' : 'delete',
    'retention.ms': String(spec.retention_ms ?? -1),
    'retention.bytes': '-1',
    'max.message.bytes': String(spec.max_message_bytes + batch_overhead_bytes),
    'message.timestamp.type': 'LogAppendTime',
    // An acknowledgement of all replicas that are in sync says little when that may be one.
    ...(replication > minimum_in_sync ? { 'min.insync.replicas': String(minimum_in_sync) } : {}),
  };
  return {
    topic: spec.name,
    numPartitions: spec.partitions,
    replicationFactor: replication,
    configEntries: Object.entries(settings).map(([name, value]) => ({ name, value })),
  };
}

function isAlreadyThere(error: unknown): boolean {
  if (typeOf(error) === 'TOPIC_ALREADY_EXISTS') return true;
  return (
    error instanceof Error &&
    'errors' in error &&
    Array.isArray(error.errors) &&
    error.errors.length > 0 &&
    error.errors.every((each) => typeOf(each) === 'TOPIC_ALREADY_EXISTS')
  );
}
