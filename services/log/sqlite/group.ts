import { randomUUID } from 'node:crypto';
import type { LogDatabase, Statements } from './database.ts';
import { createMembership } from './membership.ts';
import { shareOf, type TopicPartition } from './share.ts';

/** A partition in a member's hands. The generation of its taking tells one holding from a later one of the same member. */
export interface Holding extends TopicPartition {
  generation: number;
}

export interface GroupSeat {
  /** Says that the member lives, also while a batch is under way, and removes members that do not. */
  beat: () => Promise<void>;
  /** True when members have come or gone since `settle`: what is held may belong to another. */
  unsettled: () => boolean;
  /** True while a partition of this member's share was still in another's hands at `settle`. */
  awaiting: () => boolean;
  /**
   * Brings what the member holds in line with its share: gives up what belongs to others, takes what is its own and free. Called between
   * batches only, so that a partition is never given up with a batch in flight. Returns what is held now.
   */
  settle: () => Promise<Holding[]>;
  holds: (holding: Holding) => boolean;
  /** Moves the group's commit, in the transaction that finds the partition still held; false where it is not. */
  commit: (holding: Holding, next_offset: number) => Promise<boolean>;
  leave: () => Promise<void>;
}

/** The place of one consumer in a group, kept in the log's own file. */
export function createGroupSeat(database: LogDatabase, group: string, topics: readonly string[]): GroupSeat {
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

  return {
    beat: () => database.write(membership.beat),
    unsettled: () => database.read(generationOf) !== settled,
    awaiting: () => lacking,
    settle: () =>
      database.write((sql) => {
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
      }),
    holds: (holding) => database.read((sql) => isHeld(sql, holding)),
    commit: (holding, next_offset) =>
      database.write((sql) => {
        if (!isHeld(sql, holding)) return false;
        sql('INSERT OR REPLACE INTO commits VALUES (?, ?, ?, ?)').run(
          group,
          holding.topic,
          holding.partition,
          next_offset,
        );
        return true;
      }),
    leave: () => database.write(membership.leave),
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
