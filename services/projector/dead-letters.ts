import type { Clock } from '../runtime/clock.ts';
import type { Codec } from '../log/codec.ts';
import type { EventLog, StoredMessage } from '../log/event-log.ts';
import { topics } from '../log/topics.ts';

export interface DeadLetters {
  /** True for an offset that has a letter: it is never projected again, by any version. */
  has: (message: Pick<StoredMessage, 'topic' | 'partition' | 'offset'>) => boolean;
  /** Writes one letter with the original bytes; durable when it resolves. A second letter for one offset is not written. */
  write: (message: StoredMessage, at: string, reason: string, error: string) => Promise<void>;
}

/** Knows every letter of the log from its beginning, and adds to them. */
export async function openDeadLetters(deps: {
  log: EventLog;
  codec: Codec;
  clock: Clock;
}): Promise<DeadLetters> {
  const known = new Set<string>();
  const name = ({ topic, partition, offset }: { topic: string; partition: number; offset: number }): string =>
    `${topic}/${partition}/${offset}`;
  for await (const page of deps.log.scan(topics.dead_letter.name)) {
    for (const message of page) {
      const decoded = await deps.codec.decode(topics.dead_letter.name, message.value);
      if (decoded.outcome === 'ok') known.add(name(decoded.fact));
    }
  }
  return {
    has: (message) => known.has(name(message)),
    write: async (message, at, reason, error) => {
      if (known.has(name(message))) return;
      const { topic, partition, offset, key, value, headers } = message;
      const letter = {
        topic,
        partition,
        offset,
        key,
        value,
        headers: { ...headers },
        at,
        reason,
        error,
        failed_at: deps.clock(),
      };
      await deps.log.append(topics.dead_letter.name, [
        { key, value: deps.codec.encode(topics.dead_letter.name, letter) },
      ]);
      known.add(name(message));
    },
  };
}
