import { systemClock, type Clock } from '../../runtime/clock.ts';
import { consumeGroup } from '../consume.ts';
import type { EventLog, GroupMember } from '../event-log.ts';
import { appendMessages } from './append.ts';
import { openLogDatabase } from './database.ts';
import { createSqliteSeat } from './group.ts';
import { claimResource } from './ownership.ts';
import { readEnds } from './read.ts';
import { scanTopic } from './scan.ts';
import { createSqliteSource } from './source.ts';
import { createTopicRegister } from './topics.ts';

/**
 * The log of one machine: `<folder>/log.sqlite`, which any number of its processes open at the same time. `clock` stamps the appends and
 * nothing else. Retention is stored with the topic and not yet applied.
 */
export async function createSqliteLog(options: { folder: string; clock?: Clock }): Promise<EventLog> {
  const database = await openLogDatabase(options.folder);
  const clock = options.clock ?? systemClock;
  const topics = createTopicRegister(database);
  const members = new Set<GroupMember>();

  return {
    id: database.log_id,
    ensureTopics: topics.ensure,
    describeTopic: (topic) => promised(() => topics.find(topic) ?? null),
    append: async (topic, messages, owner) =>
      appendMessages(database, clock, topics.spec(topic), messages, owner),
    endOffsets: (topic) => promised(() => readEnds(database, topics.spec(topic).name)),
    scan: (topic, scan) => scanTopic(database, topics.spec(topic).name, scan ?? {}),
    join: async (group) => {
      group.topics.forEach(topics.spec);
      const topics_once = [...new Set(group.topics)];
      const member = await consumeGroup(
        { seat: createSqliteSeat(database, group.group, topics_once), source: createSqliteSource(database) },
        group,
        database.closing,
      );
      members.add(member);
      const forget = (): void => void members.delete(member);
      void member.done.then(forget, forget);
      return member;
    },
    groups: () =>
      promised(() =>
        database.read((sql) =>
          sql('SELECT group_name FROM group_generations UNION SELECT group_name FROM commits ORDER BY 1')
            .all()
            .map((row) => String(row['group_name'])),
        ),
      ),
    committed: (group, topic) =>
      promised(() => {
        const { partitions } = topics.spec(topic);
        const commits = database.read((sql) =>
          sql('SELECT partition, next_offset FROM commits WHERE group_name = ? AND topic = ?').all(
            group,
            topic,
          ),
        );
        const known = new Map(commits.map((row) => [row['partition'], Number(row['next_offset'])]));
        return Array.from({ length: partitions }, (_, partition) => known.get(partition) ?? null);
      }),
    claim: (resource) => claimResource(database, resource),
    close: async () => {
      await Promise.all([...members].map((member) => member.leave()));
      await database.close();
    },
  };
}

/** A read of this twin is over when it returns; the port promises, and what is thrown must reject. */
function promised<T>(read: () => T): Promise<T> {
  return new Promise((resolve) => resolve(read()));
}
