import { pause, type Clock } from '../../runtime/clock.ts';
import type { GroupMember, GroupOptions } from '../event-log.ts';
import type { LogDatabase } from './database.ts';
import { createGroupRegister, type TopicPartition } from './group.ts';
import { dataVersion, readEnds, readPage } from './read.ts';

const heartbeat_ms = 1_000;
const idle_poll_ms = 25;

/** One loop handles all partitions the member holds, one batch at a time, in turn: it is the only one that changes anything. */
export function consumeGroup(database: LogDatabase, clock: Clock, options: GroupOptions): GroupMember {
  const stopping = new AbortController();
  const signal =
    options.signal === undefined ? stopping.signal : AbortSignal.any([stopping.signal, options.signal]);
  const stopped = (): boolean => signal.aborted;
  const register = createGroupRegister(database, clock, options.group, options.topics);

  const loop = async (): Promise<void> => {
    const beat = setInterval(() => register.heartbeat(), heartbeat_ms);
    const next = new Map<string, number>();
    let settled_at = Number.NEGATIVE_INFINITY;
    let held: TopicPartition[] = [];
    try {
      while (!stopped()) {
        const version = dataVersion(database.reader);
        if (clock() - settled_at >= heartbeat_ms || held.length === 0) {
          held = register.settle();
          settled_at = clock();
          await learnStarts(held, next, options);
        }
        let busy = false;
        for (const at of held) {
          if (stopped()) break;
          busy = (await oneBatch(at, next)) || busy;
        }
        if (!busy) await idle(version);
      }
    } finally {
      clearInterval(beat);
      register.leave();
    }
  };

  const oneBatch = async (at: TopicPartition, next: Map<string, number>): Promise<boolean> => {
    const name = nameOf(at);
    const from = next.get(name);
    if (from === undefined) return false;
    const high_watermark = readEnds(database.reader, at.topic)[at.partition] ?? 0;
    const messages = readPage(
      database.reader,
      at.topic,
      at.partition,
      { from, until: high_watermark },
      options.batch_messages,
    );
    const [first, last] = [messages.at(0), messages.at(-1)];
    if (first === undefined || last === undefined) return false;
    const end_offset = last.offset + 1;
    await options.onBatch({
      ...at,
      messages,
      first_offset: first.offset,
      end_offset,
      high_watermark,
      isStale: () => stopped() || !register.holds(at),
    });
    next.set(name, end_offset);
    register.commit(at, end_offset);
    return true;
  };

  /** Waits until another connection has written, or until it is time to look at the group again. */
  const idle = async (version: number): Promise<void> => {
    const until = clock() + heartbeat_ms;
    while (!stopped() && clock() < until && dataVersion(database.reader) === version) {
      await pause(idle_poll_ms, signal);
    }
  };

  const done = loop();
  return {
    done,
    leave: async () => {
      stopping.abort();
      await done.catch(() => undefined);
    },
  };
}

/** Asks for the start of what is newly held, and forgets what is held no more: it is asked anew when it comes back. */
async function learnStarts(
  held: readonly TopicPartition[],
  next: Map<string, number>,
  options: GroupOptions,
): Promise<void> {
  const names = new Set(held.map(nameOf));
  for (const name of next.keys()) if (!names.has(name)) next.delete(name);
  for (const at of held) {
    if (!next.has(nameOf(at))) next.set(nameOf(at), await options.startAt(at.topic, at.partition));
  }
}

function nameOf({ topic, partition }: TopicPartition): string {
  return `${topic}/${partition}`;
}
