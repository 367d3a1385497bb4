import type { Clock } from '../runtime/clock.ts';
import { HailmarkError } from '../runtime/errors.ts';
import type { LogOutput } from '../runtime/log-output.ts';
import type { Codec } from '../log/codec.ts';
import type { EventLog, StoredMessage } from '../log/event-log.ts';
import type { DeadLetterState } from '../log/facts.ts';
import { isClosed, nextState } from '../log/letters/state.ts';
import { topics } from '../log/topics.ts';

/** Each takes some 50 bytes of memory. So many are no stray messages any more. */
const most_letters = 1_000_000;

/** A message by its place in the log. */
type Place = Pick<StoredMessage, 'topic' | 'partition' | 'offset'>;

export interface DeadLetters {
  /** True for an offset that has a letter, whatever has become of it since: it is never projected again, by any version. */
  has: (message: Place) => boolean;
  /** Reads what other processes have written since: to be awaited before a partition is begun, and before letters are written. */
  catchUp: () => Promise<void>;
  /** Messages that nobody has settled or dropped yet, by topic, as far as the letters have been read. */
  open: () => ReadonlyMap<string, number>;
  /** Writes one letter with the original bytes; durable when it resolves. A second letter for one offset is not written. */
  write: (message: StoredMessage, at: string, reason: string, error: string) => Promise<void>;
}

/** The dead letters of the log. Knows none before the first `catchUp`. */
export function createDeadLetters(deps: {
  log: EventLog;
  codec: Codec;
  clock: Clock;
  output: LogOutput;
  /** Told of each letter that this process has written. */
  onLetter?: (topic: string, reason: string) => void;
}): DeadLetters {
  const { log, codec, clock, output, onLetter } = deps;
  const topic = topics.dead_letter.name;
  const known = new Map<string, Set<number>>();
  /** Of the known ones those that somebody waits for: a letter that is known and not here is closed for good. */
  const open = new Map<string, Set<number>>();
  const next: number[] = [];
  let count = 0;

  // Asked of every message that is projected, nearly always without any letter.
  const has = (place: Place): boolean =>
    count > 0 && (known.get(streamOf(place))?.has(place.offset) ?? false);

  const remember = (place: Place, state: DeadLetterState): void => {
    const of_stream = streamOf(place);
    if (isClosed(state)) open.get(of_stream)?.delete(place.offset);
    if (has(place)) return;
    count += 1;
    if (count > most_letters) {
      throw new HailmarkError(
        'HAIL_SCHEMA_INCIDENT',
        `There are more than ${most_letters} dead letters: this is a schema incident, not a few bad messages. Mend the writer or the ` +
          'schema before anything more is projected.',
      );
    }
    known.set(of_stream, (known.get(of_stream) ?? new Set()).add(place.offset));
    if (!isClosed(state)) open.set(of_stream, (open.get(of_stream) ?? new Set()).add(place.offset));
  };

  const readOn = async (): Promise<void> => {
    for await (const page of log.scan(topic, { from: [...next] })) {
      for (const { partition, offset, value } of page) {
        const decoded = await codec.decode(topic, value);
        if (decoded.outcome === 'ok') remember(decoded.fact, nextState(null, decoded.fact.state));
        // Which message it is about cannot be known, so that one will be judged anew; the topic is written by projectors alone.
        else output.error({ partition, offset, reason: decoded.reason }, 'a dead letter cannot be read');
        next[partition] = offset + 1;
      }
    }
  };
  // One reading at a time, or two would step on each other's place in the topic.
  let reading: Promise<void> = Promise.resolve();

  const catchUp = (): Promise<void> => {
    reading = reading.then(readOn, readOn);
    return reading;
  };
  /** True while an append may have been written without our knowing. */
  let is_unsure = false;

  return {
    has,
    catchUp,
    open: () => {
      const counts = new Map<string, number>();
      for (const [stream, offsets] of open) {
        const topic = stream.slice(0, stream.lastIndexOf('/'));
        counts.set(topic, (counts.get(topic) ?? 0) + offsets.size);
      }
      return counts;
    },
    write: async (message, at, reason, error) => {
      if (is_unsure) await catchUp();
      if (has(message)) return;
      const { key, value, headers } = message;
      const place = { topic: message.topic, partition: message.partition, offset: message.offset };
      const letter = {
        state: 'dead' as const,
        ...place,
        key,
        value,
        headers: { ...headers },
        at,
        reason,
        error,
        failed_at: clock(),
      };
      is_unsure = true;
      await log.append(topic, [{ key, value: codec.encode(topic, letter) }]);
      is_unsure = false;
      remember(place, 'dead');
      onLetter?.(place.topic, reason);
    },
  };
}

function streamOf({ topic, partition }: Place): string {
  return `${topic}/${partition}`;
}
