import { randomUUID } from 'node:crypto';
import type { GroupSeat, Holding } from '../consume.ts';
import type { LogDatabase, Statements } from './database.ts';
import { createMembership } from './membership.ts';
import { shareOf, type TopicPartition } from '../share.ts';

/**
 * The place of one consumer in a group, kept in the log's own file. Nothing of it waits for the disk: a consumer goes on from its own record
 * of what is done, never from the group's commit.
 */
export function createSqliteSeat(database: LogDatabase, group: string, topics: readonly string[]): GroupSeat {
  const member = randomUUID();
  const membership = createMembership(group, member, topics);
  let settled = -1;
  let lacking = false;

  const generationOf = (sql: Statements): number =>
    Number(
      sql('SELECT generation FROM group_generations WHERE group_name = ?').get(group)?.['generation'] ?? 0,
    );
  const held = (sql: Statements): Holding[] =>
    sql(
      `SELECT topic, partition, generation FROM holdings WHERE group_name = ? AND member = ?
       ORDER BY topic, partition`,
    )
      .all(group, member)
      .map((row) => ({
        topic: String(row['topic']),
        partition: Number(row['partition']),
        generation: Number(row['generation']),
      }));
  const isHeld = (sql: Statements, { topic, partition, generation }: Holding): boolean =>
    sql(
      `SELECT 1 FROM holdings
       WHERE group_name = ? AND topic = ? AND partition = ? AND member = ? AND generation = ?`,
    ).get(group, topic, partition, member, generation) !== undefined;

  const settle = (): Promise<Holding[]> =>
    database.note((sql) => {
      membership.enter(sql);
      const generation = generationOf(sql);
      const share = shareOf(member, membership.subscribers(sql), partitionsOf(sql, topics));
      const wanted = new Set(share.map(nameOf));
      for (const at of held(sql)) {
        if (wanted.has(nameOf(at))) continue;
        sql('DELETE FROM holdings WHERE group_name = ? AND topic = ? AND partition = ?').run(
          group,
          at.topic,
          at.partition,
        );
      }
      for (const { topic, partition } of share) {
        sql('INSERT OR IGNORE INTO holdings VALUES (?, ?, ?, ?, ?)').run(
          group,
          topic,
          partition,
          member,
          generation,
        );
      }
      const holdings = held(sql);
      settled = generation;
      lacking = holdings.length < share.length;
      return holdings;
    });

  return {
    enter: settle,
    beat: () => database.note(membership.beat),
    unsettled: () => database.read(generationOf) !== settled,
    awaiting: () => lacking,
    settle,
    holds: (holding) => database.read((sql) => isHeld(sql, holding)),
    commit: (holding, next_offset) =>
      database.note((sql) => {
        if (!isHeld(sql, holding)) return false;
        sql('INSERT OR REPLACE INTO commits VALUES (?, ?, ?, ?)').run(
          group,
          holding.topic,
          holding.partition,
          next_offset,
        );
        return true;
      }),
    leave: () => database.note(membership.leave),
  };
}

function nameOf({ topic, partition }: TopicPartition): string {
  return `${topic}/${partition}`;
}

function partitionsOf(sql: Statements, topics: readonly string[]): TopicPartition[] {
  return topics.flatMap((topic) =>
    sql('SELECT partition FROM streams WHERE topic = ? ORDER BY partition')
      .all(topic)
      .map((row) => ({ topic, partition: Number(row['partition']) })),
  );
}
