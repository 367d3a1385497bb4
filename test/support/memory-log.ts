import { randomUUID } from 'node:crypto';
import { HailmarkError } from '../../services/runtime/errors.ts';
import type { Clock } from '../../services/runtime/clock.ts';
import {
  max_append_messages,
  type Appended,
  type EventLog,
  type NewMessage,
  type Ownership,
  type ScanOptions,
  type StoredMessage,
  type TopicSpec,
} from '../../services/log/event-log.ts';
import { partitionOf } from '../../services/log/partition.ts';

interface Topic {
  spec: TopicSpec;
  partitions: StoredMessage[][];
}

/** A log in this process's memory, for tests that need thousands of logs: it has the port's messages and ownership, and no groups. */
export interface MemoryLog {
  /** A handle on the log, as a process has one. */
  open: () => MemoryHandle;
  /** Every message of a topic's partition, without a copy. */
  messages: (topic: string, partition: number) => readonly StoredMessage[];
}

export interface MemoryHandle extends EventLog {
  /** What a killed process leaves behind: what it owns is free at once, and nothing is released by it. */
  die: () => void;
}

const default_page_messages = 1_000;

export function createMemoryLog(deps: { clock: Clock; id?: string; is_fenced?: boolean }): MemoryLog {
  const { clock, id = randomUUID(), is_fenced = true } = deps;
  const topics = new Map<string, Topic>();
  const owners = new Map<string, { epoch: number; holder: object | null }>();
  const waiting = new Set<() => void>();

  const topicOf = (name: string): Topic => {
    const topic = topics.get(name);
    if (topic === undefined) throw new HailmarkError('HAIL_UNKNOWN_TOPIC', `The log has no topic ${name}.`);
    return topic;
  };

  const append = (name: string, messages: readonly NewMessage[], owner?: Ownership): Appended[] => {
    const { spec, partitions } = topicOf(name);
    if (messages.length > max_append_messages)
      throw new RangeError(`an append takes at most ${max_append_messages} messages`);
    for (const message of messages) requireSize(spec, message);
    if (is_fenced && owner !== undefined && owners.get(owner.resource)?.epoch !== owner.epoch) {
      throw new HailmarkError('HAIL_OWNERSHIP_LOST', `This process does not own ${owner.resource} any more.`);
    }
    const appended_at = clock();
    const appended = messages.map(({ key, value, headers = {} }): Appended => {
      const partition = partitionOf(key, spec.partitions);
      const stored = partitions[partition] ?? [];
      const offset = (stored.at(-1)?.offset ?? -1) + 1;
      stored.push({ topic: name, partition, offset, key, value, headers: { ...headers }, appended_at });
      if (spec.compacted) forgetOlder(stored, key, offset);
      return { partition, offset };
    });
    for (const wake of waiting) wake();
    waiting.clear();
    return appended;
  };

  const endsOf = (name: string): number[] =>
    topicOf(name).partitions.map((messages) => (messages.at(-1)?.offset ?? -1) + 1);

  async function* pagesOf(name: string, ends: readonly number[], options: ScanOptions): Pages {
    const { follow = false, page_messages = default_page_messages, signal } = options;
    const next = ends.map((_, partition) => options.from?.[partition] ?? 0);
    const isOver = (): boolean => signal?.aborted === true;
    while (!isOver()) {
      let found = false;
      for (const [partition, messages] of topicOf(name).partitions.entries()) {
        const until = follow ? Infinity : (options.until?.[partition] ?? ends[partition] ?? 0);
        while (!isOver()) {
          const page = pageOf(messages, next[partition] ?? 0, until, page_messages);
          const last = page.at(-1);
          if (last === undefined) break;
          next[partition] = last.offset + 1;
          found = true;
          yield page;
        }
      }
      if (!follow) return;
      if (found) continue;
      await new Promise<void>((wake) => {
        waiting.add(wake);
        signal?.addEventListener('abort', () => wake(), { once: true });
      });
    }
  }

  const open = (): MemoryHandle => {
    const handle = {};
    const letGo = (): void => {
      for (const owner of owners.values()) if (owner.holder === handle) owner.holder = null;
    };
    return {
      id,
      ensureTopics: (specs) => {
        for (const spec of specs) {
          if (topics.has(spec.name)) continue;
          const partitions = Array.from({ length: spec.partitions }, (): StoredMessage[] => []);
          topics.set(spec.name, { spec, partitions });
        }
        return Promise.resolve();
      },
      describeTopic: (name) => Promise.resolve(topics.get(name)?.spec ?? null),
      append: (name, messages, owner) => promised(() => append(name, messages, owner)),
      endOffsets: (name) => promised(() => endsOf(name)),
      scan: (name, options = {}) => pagesOf(name, endsOf(name), options),
      claim: (resource) =>
        promised(() => {
          const owner = owners.get(resource) ?? { epoch: 0, holder: null };
          if (owner.holder !== null) {
            throw new HailmarkError('HAIL_OWNED_ELSEWHERE', `Another process owns ${resource}.`);
          }
          const epoch = owner.epoch + 1;
          owners.set(resource, { epoch, holder: handle });
          return {
            resource,
            epoch,
            release: () => {
              // The epoch moves on, so that a released owner cannot write either.
              if (owners.get(resource)?.epoch === epoch)
                owners.set(resource, { epoch: epoch + 1, holder: null });
              return Promise.resolve();
            },
          };
        }),
      join: () => Promise.reject(new Error('a log in memory has no groups: give a join of your own')),
      groups: () => Promise.resolve([]),
      committed: (_group, name) => promised(() => endsOf(name).map(() => null)),
      close: () => promised(letGo),
      die: letGo,
    };
  };

  return { open, messages: (name, partition) => topicOf(name).partitions[partition] ?? [] };
}

type Pages = AsyncGenerator<StoredMessage[]>;

/** What `work` throws becomes a rejection, as from a log that is somewhere else. */
function promised<T>(work: () => T): Promise<T> {
  return new Promise((resolve) => resolve(work()));
}

function pageOf(
  messages: readonly StoredMessage[],
  from: number,
  until: number,
  limit: number,
): StoredMessage[] {
  const page: StoredMessage[] = [];
  // Without compaction a message stands at its offset; with it, no further than that.
  let at = Math.min(from, messages.length);
  while (at > 0 && (messages[at - 1]?.offset ?? -1) >= from) at -= 1;
  for (; at < messages.length && page.length < limit; at += 1) {
    const message = messages[at];
    if (message === undefined || message.offset >= until) break;
    if (message.offset >= from) page.push(message);
  }
  return page;
}

function requireSize(spec: TopicSpec, { key, value }: NewMessage): void {
  const size = Buffer.byteLength(key) + (value?.byteLength ?? 0);
  if (size <= spec.max_message_bytes) return;
  throw new HailmarkError(
    'HAIL_MESSAGE_TOO_LARGE',
    `A message of ${size} bytes is too large for ${spec.name}.`,
  );
}

function forgetOlder(stored: StoredMessage[], key: string, offset: number): void {
  const older = stored.findIndex((message) => message.key === key && message.offset !== offset);
  if (older !== -1) stored.splice(older, 1);
}
