import { randomUUID } from 'node:crypto';
import { pause } from '../../services/runtime/clock.ts';
import type { EventLog, ScanOptions, StoredMessage, TopicSpec } from '../../services/log/event-log.ts';

/** A log under test, and the means to open it again: in this process, or in another one. */
export interface LogTwin {
  log: EventLog;
  /** Another handle on the same log, as a second process would have. The caller closes it. */
  open: () => Promise<EventLog>;
  /** How a child process opens it: a module that exports `openTwin(connection)`, and what to pass. */
  elsewhere: { module: string; connection: string };
  dispose: () => Promise<void>;
}

export type CreateTwin = () => Promise<LogTwin>;

/** A topic of its own for each test, so that a twin may live longer than one. */
export function topicSpec(changes: Partial<TopicSpec> = {}): TopicSpec {
  return {
    name: `contract.${randomUUID()}`,
    partitions: 3,
    compacted: false,
    retention_ms: null,
    max_message_bytes: 1024 * 1024,
    ...changes,
  };
}

export async function makeTopic(log: EventLog, changes: Partial<TopicSpec> = {}): Promise<TopicSpec> {
  const spec = topicSpec(changes);
  await log.ensureTopics([spec]);
  return spec;
}

/** Messages whose values say their key and their number. */
export function numbered(count: number, keys: number, first = 0): { key: string; value: Buffer }[] {
  return Array.from({ length: count }, (_, index) => {
    const key = `key-${(first + index) % keys}`;
    return { key, value: Buffer.from(`${key}/${first + index}`) };
  });
}

export async function readAll(
  log: EventLog,
  topic: string,
  options: ScanOptions = {},
): Promise<StoredMessage[]> {
  const messages: StoredMessage[] = [];
  for await (const page of log.scan(topic, options)) messages.push(...page);
  return messages;
}

export function sum(numbers: readonly (number | null)[]): number {
  return numbers.reduce<number>((total, each) => total + (each ?? 0), 0);
}

/** Waits for a condition; fails with `what` when it does not come true in time. */
export async function eventually(
  what: string,
  condition: () => boolean | Promise<boolean>,
  limit_ms = 60_000,
): Promise<void> {
  const until = performance.now() + limit_ms;
  while (!(await condition())) {
    if (performance.now() > until) throw new Error(`not within ${limit_ms} ms: ${what}`);
    await pause(10);
  }
}
