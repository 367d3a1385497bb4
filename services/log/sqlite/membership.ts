import { hostname } from 'node:os';
import { systemCode } from '../../runtime/errors.ts';
import type { Statements } from './database.ts';
import type { Subscriber } from '../share.ts';

/** A member that has not been heard for this long is taken for dead even if its process lives. */
const session_ms = 10_000;

export interface Membership {
  /** Enters the member, or finds it entered. */
  enter: (sql: Statements) => void;
  /** Says that the member lives, and removes those that do not. */
  beat: (sql: Statements) => void;
  leave: (sql: Statements) => void;
  /** All members of the group. */
  subscribers: (sql: Statements) => Subscriber[];
}

/**
 * The members of a group as rows. The group's generation grows with every change among them. A silent member is told from a living one by
 * its count of beats standing still for a session by this process's own steady time: clocks that differ or jump remove nobody.
 */
export function createMembership(group: string, member: string, topics: readonly string[]): Membership {
  const host = hostname();
  const heard = new Map<string, { beats: number; at_ms: number }>();

  const changed = (sql: Statements): void => {
    sql(
      `INSERT INTO group_generations (group_name, generation) VALUES (?, 1)
       ON CONFLICT (group_name) DO UPDATE SET generation = generation + 1`,
    ).run(group);
  };
  const remove = (sql: Statements, name: string): void => {
    sql('DELETE FROM holdings WHERE group_name = ? AND member = ?').run(group, name);
    const gone = sql('DELETE FROM members WHERE group_name = ? AND member = ?').run(group, name);
    if (gone.changes > 0) changed(sql);
  };
  const isSilent = (name: string, beats: number): boolean => {
    const now_ms = performance.now();
    const last = heard.get(name);
    if (last?.beats === beats) return now_ms - last.at_ms > session_ms;
    heard.set(name, { beats, at_ms: now_ms });
    return false;
  };

  return {
    enter: (sql) => {
      const entered = sql('INSERT OR IGNORE INTO members VALUES (?, ?, ?, ?, ?, 0)').run(
        group,
        member,
        JSON.stringify(topics),
        host,
        process.pid,
      );
      if (entered.changes > 0) changed(sql);
    },
    beat: (sql) => {
      sql('UPDATE members SET beats = beats + 1 WHERE group_name = ? AND member = ?').run(group, member);
      const others = sql(
        'SELECT member, host, pid, beats FROM members WHERE group_name = ? AND member <> ?',
      ).all(group, member);
      for (const row of others) {
        const name = String(row['member']);
        // A process number says something about this host only; a container has numbers of its own.
        const dead = row['host'] === host && !isRunning(Number(row['pid']));
        if (!dead && !isSilent(name, Number(row['beats']))) continue;
        remove(sql, name);
        heard.delete(name);
      }
    },
    leave: (sql) => remove(sql, member),
    subscribers: (sql) =>
      sql('SELECT member, topics FROM members WHERE group_name = ?')
        .all(group)
        .map((row) => ({
          member: String(row['member']),
          topics: JSON.parse(String(row['topics'])) as string[],
        })),
  };
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) === 'EPERM';
  }
}
