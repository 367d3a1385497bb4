import { HailmarkError } from '../../runtime/errors.ts';
import { pause } from '../../runtime/clock.ts';
import { consumeGroup } from '../consume.ts';
import type { Appended, EventLog, GroupMember, StoredMessage } from '../event-log.ts';
import { createAppender, type Appender } from './append.ts';
import { createKafkaClient, type KafkaSettings } from './connection.ts';
import { guarded, guardedQuestion } from './failures.ts';
import { readEnds } from './fetch.ts';
import { own_topic, readLogId } from './identity.ts';
import { createCluster, type Cluster } from './inner.ts';
import { claimResource } from './ownership.ts';
import { scanPages } from './scan.ts';
import { createKafkaSeat } from './seat.ts';
import { createKafkaSource } from './source.ts';
import { createTopicRegister } from './topics.ts';

const owner_groups = 'hailmark.owner/';

/**
 * The log on Apache Kafka (2.5 or later), which any number of processes on any number of machines share. With `must_exist` a cluster that
 * holds no log is left as it is (`HAIL_DATA_DIR`).
 */
export async function createKafkaLog(
  settings: KafkaSettings,
  { must_exist = false }: { must_exist?: boolean } = {},
): Promise<EventLog> {
  const kafka = createKafkaClient(settings);
  const admin = kafka.admin();
  const cluster = createCluster(kafka);
  const appender = createAppender(kafka);
  const closing = new AbortController();
  const topics = createTopicRegister(admin, settings.KAFKA_REPLICATION);
  const members = new Set<GroupMember>();
  const owned = new Map<string, { epoch: number; appender: Appender }>();
  /** Ends that scans have asked for: appends and questions go over connections of their own, and a later append could overtake one. */
  const asked_ends = new Set<Promise<unknown>>();

  const close = async (): Promise<void> => {
    await Promise.all([...members].map((member) => member.leave()));
    closing.abort();
    await appender.close();
    await cluster.disconnect().catch(() => undefined);
    await admin.disconnect().catch(() => undefined);
  };
  let id: string;
  try {
    await guarded(async () => {
      await admin.connect();
      await cluster.connect();
    });
    if (must_exist && (await topics.find(own_topic.name)) === null) throw noLog(settings.KAFKA_BROKERS);
    await topics.ensure([own_topic]);
    id = await readLogId(cluster, appender);
  } catch (error) {
    await close();
    throw error;
  }

  return {
    id,
    ensureTopics: topics.ensure,
    describeTopic: topics.find,
    append: async (topic, messages, owner) => {
      const spec = await topics.spec(topic);
      await Promise.allSettled(asked_ends);
      if (owner === undefined) return appender.append(spec, messages);
      const own = owned.get(owner.resource);
      if (own?.epoch !== owner.epoch) throw ownershipLost(owner.resource);
      const appended = await own.appender.append(spec, messages);
      await untilReadable(cluster, topic, appended, closing.signal);
      return appended;
    },
    endOffsets: async (topic) => readEnds(cluster, (await topics.spec(topic)).name),
    scan: (topic, options = {}) => {
      // The end is that of the time of this call, not of the first page.
      const ends = topics.spec(topic).then(({ name }) => readEnds(cluster, name));
      const answered = ends.then(
        () => undefined,
        () => undefined,
      );
      asked_ends.add(answered);
      void answered.then(() => asked_ends.delete(answered));
      const reading = options.follow === true ? createCluster(kafka) : cluster;
      return pagesOf(async function* () {
        try {
          if (reading !== cluster) await guarded(() => reading.connect());
          yield* scanPages(reading, topic, await ends, { ...options, closing: closing.signal });
        } finally {
          if (reading !== cluster) await reading.disconnect().catch(() => undefined);
        }
      });
    },
    join: async (options) => {
      for (const topic of options.topics) await topics.spec(topic);
      const reading = createCluster(kafka);
      await guarded(() => reading.connect());
      const seat = createKafkaSeat(kafka, {
        group: options.group,
        topics: [...new Set(options.topics)],
        session_ms: settings.KAFKA_SESSION_MS,
      });
      const member = await consumeGroup(
        { seat, source: createKafkaSource(reading) },
        options,
        closing.signal,
      );
      members.add(member);
      const forget = (): void => {
        members.delete(member);
        void reading.disconnect().catch(() => undefined);
      };
      void member.done.then(forget, forget);
      return member;
    },
    groups: () =>
      guardedQuestion(async () => {
        const { groups } = await admin.listGroups();
        return groups
          .map(({ groupId }) => groupId)
          .filter((group) => !group.startsWith(owner_groups))
          .sort();
      }),
    committed: async (group, topic) => {
      const { partitions } = await topics.spec(topic);
      return guardedQuestion(async () => {
        const [committed] = await admin.fetchOffsets({ groupId: group, topics: [topic] });
        const known = new Map(
          committed?.partitions.map(({ partition, offset }) => [partition, Number(offset)]),
        );
        return Array.from({ length: partitions }, (_, partition) => {
          const offset = known.get(partition) ?? -1;
          return offset < 0 ? null : offset;
        });
      });
    },
    claim: async (resource) => {
      const claim = await claimResource(kafka, {
        resource,
        log_id: id,
        session_ms: settings.KAFKA_SESSION_MS,
        closing: closing.signal,
        onEnd: () => owned.delete(resource),
      });
      owned.set(resource, { epoch: claim.ownership.epoch, appender: claim.appender });
      return claim.ownership;
    },
    close,
  };
}

/**
 * A transaction is committed a moment before its marks stand in the partitions, and readers stop below an open one: an append is done when
 * the ends that any process reads lie beyond it.
 */
async function untilReadable(
  cluster: Cluster,
  topic: string,
  appended: readonly Appended[],
  signal: AbortSignal,
): Promise<void> {
  const last = new Map<number, number>();
  for (const { partition, offset } of appended) last.set(partition, offset);
  while (last.size > 0 && !signal.aborted) {
    const ends = await readEnds(cluster, topic);
    if ([...last].every(([partition, offset]) => (ends[partition] ?? 0) > offset)) return;
    await pause(1, signal);
  }
}

function pagesOf(make: () => AsyncGenerator<StoredMessage[]>): AsyncIterable<StoredMessage[]> {
  return { [Symbol.asyncIterator]: make };
}

function noLog(brokers: string): HailmarkError {
  return new HailmarkError(
    'HAIL_DATA_DIR',
    `There is no log at the brokers ${brokers}: start the service once, or set KAFKA_BROKERS to those of the service.`,
  );
}

function ownershipLost(resource: string): HailmarkError {
  return new HailmarkError(
    'HAIL_OWNERSHIP_LOST',
    `This process does not own ${resource} any more and must not write for it.`,
  );
}
