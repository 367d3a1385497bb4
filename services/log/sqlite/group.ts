import { randomUUID } from 'node:crypto';
import { systemCode } from '../../runtime/errors.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { LogDatabase } from './database.ts';

/** A member that has not been seen for this long is taken for dead even if its process lives. */
const session_ms = 10_000;

export interface TopicPartition {
  topic: string;
  partition: number;
}

export interface GroupRegister {
  member: string;
  /** Says that the member lives; also while a batch is under way. */
  heartbeat: () => void;
  /**
   * Brings what the member holds in line with its share: gives up what belongs to others, takes what is its own and free. Called between
   * batches only, so that a partition is never given up with a batch in flight. Returns what is held now.
   */
  settle: () => TopicPartition[];
  holds: (at: TopicPartition) => boolean;
  /** Moves the group's commit if the partition is still held, in one transaction. */
  commit: (at: TopicPartition, next_offset: number) => void;
  leave: () => void;
}

/** The membership of one consumer in a group, kept in the log's own file. */
export function createGroupRegister(
  database: LogDatabase,
  clock: Clock,
  group: string,
  topics: readonly string[],
): GroupRegister {
  const member = randomUUID();

  const heartbeat = (): void => {
    database.write((writer) => {
      writer
        .prepare(
          'INSERT OR REPLACE INTO members (member, group_name, topics, pid, seen_at) VALUES (?, ?, ?, ?, ?)',
        )
        .run(member, group, JSON.stringify(topics), process.pid, clock());
    });
  };
  const holds = ({ topic, partition }: TopicPartition): boolean =>
    database.reader
      .prepare('SELECT member FROM held WHERE group_name = ? AND topic = ? AND partition = ?')
      .get(group, topic, partition)?.['member'] === member;

  heartbeat();
  return {
    member,
    heartbeat,
    holds,
    settle: () =>
      database.write((writer) => {
        const rows = writer
          .prepare('SELECT member, pid, seen_at, topics FROM members WHERE group_name = ?')
          .all(group);
        const living: string[] = [];
        for (const row of rows) {
          const name = String(row['member']);
          if (name === member || isLiving(Number(row['pid']), Number(row['seen_at']), clock())) {
            if (row['topics'] === JSON.stringify(topics)) living.push(name);
            continue;
          }
          writer.prepare('DELETE FROM members WHERE member = ?').run(name);
          writer.prepare('DELETE FROM held WHERE member = ?').run(name);
        }
        const share = shareOf(member, living.sort(), partitionsOf(writer, topics));
        const free = writer.prepare(
          'INSERT OR IGNORE INTO held (group_name, topic, partition, member) VALUES (?, ?, ?, ?)',
        );
        const wanted = new Set(share.map(({ topic, partition }) => `${topic}/${partition}`));
        for (const row of writer.prepare('SELECT topic, partition FROM held WHERE member = ?').all(member)) {
          const [topic, partition] = [String(row['topic']), Number(row['partition'])];
          if (wanted.has(`${topic}/${partition}`)) continue;
          writer
            .prepare('DELETE FROM held WHERE group_name = ? AND topic = ? AND partition = ?')
            .run(group, topic, partition);
        }
        for (const { topic, partition } of share) free.run(group, topic, partition, member);
        return writer
          .prepare('SELECT topic, partition FROM held WHERE member = ? ORDER BY topic, partition')
          .all(member)
          .map((row) => ({ topic: String(row['topic']), partition: Number(row['partition']) }));
      }),
    commit: ({ topic, partition }, next_offset) => {
      database.write((writer) => {
        const holder = writer
          .prepare('SELECT member FROM held WHERE group_name = ? AND topic = ? AND partition = ?')
          .get(group, topic, partition)?.['member'];
        if (holder !== member) return;
        writer
          .prepare(
            'INSERT OR REPLACE INTO commits (group_name, topic, partition, next_offset) VALUES (?, ?, ?, ?)',
          )
          .run(group, topic, partition, next_offset);
      });
    },
    leave: () => {
      database.write((writer) => {
        writer.prepare('DELETE FROM members WHERE member = ?').run(member);
        writer.prepare('DELETE FROM held WHERE member = ?').run(member);
      });
    },
  };
}

function partitionsOf(
  writer: Parameters<Parameters<LogDatabase['write']>[0]>[0],
  topics: readonly string[],
): TopicPartition[] {
  return topics.toSorted().flatMap((topic) =>
    writer
      .prepare('SELECT partition FROM ends WHERE topic = ? ORDER BY partition')
      .all(topic)
      .map((row) => ({ topic, partition: Number(row['partition']) })),
  );
}

/** Every member computes the same shares from the same two lists: partitions dealt out in turn. */
function shareOf(
  member: string,
  members: readonly string[],
  partitions: readonly TopicPartition[],
): TopicPartition[] {
  const seat = members.indexOf(member);
  return partitions.filter((_, index) => index % members.length === seat);
}

function isLiving(pid: number, seen_at: number, now: number): boolean {
  if (now - seen_at > session_ms) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) === 'EPERM';
  }
}
