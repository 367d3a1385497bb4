import { pause } from '../../runtime/clock.ts';
import type { LogOutput } from '../../runtime/log-output.ts';
import type { Codec } from '../../log/codec.ts';
import { max_append_messages, type EventLog, type NewMessage } from '../../log/event-log.ts';
import type { ApiRequestFact } from '../../log/facts.ts';
import { topics } from '../../log/topics.ts';

const topic = topics.api_request.name;

export interface Usage {
  /** Takes a request's fact; returns at once and never throws. */
  record: (fact: ApiRequestFact) => void;
  /** Facts of this process: waiting, in the log, and lost because the log was away for too long. */
  counts: () => { waiting: number; published: number; dropped: number };
  /**
   * Publishes what waits, for as long as `last_flush_ms`, also where an append takes longer; what is not known to stand in the log then is
   * dropped and counted. The log is to be closed next: an append that is still under way would be counted and stand all the same.
   */
  stop: () => Promise<void>;
}

export interface UsageOptions {
  /** Facts are published so often, off the path of any request. */
  flush_ms?: number;
  /** So many wait at most while the log is away. */
  most_waiting?: number;
  last_flush_ms?: number;
}

/**
 * Publishes `hail.api-request.v1` in batches. A fact whose append was not confirmed is appended again and may stand twice under its request
 * id; readers count request ids. The room for waiting facts is bounded: when it is full, new facts are dropped and counted, and refusals
 * (429) may fill half of it only, so that one partner's flood does not cost another's record.
 */
export function createUsage(
  deps: {
    log: Pick<EventLog, 'append'>;
    codec: Codec;
    output: LogOutput;
    /** Told each time the loop goes round. */
    onTurn?: () => void;
  },
  { flush_ms = 1_000, most_waiting = 20_000, last_flush_ms = 3_000 }: UsageOptions = {},
): Usage {
  const { log, codec, output } = deps;
  const waiting: ApiRequestFact[] = [];
  const stopping = new AbortController();
  let is_registered = false;
  let is_away = false;
  let published = 0;
  let dropped = 0;
  let dropped_told = 0;
  let has_given_up = false;

  /** A fact that does not fit its schema would stand in the way of all after it for ever. */
  const messageOf = (fact: ApiRequestFact): NewMessage[] => {
    try {
      return [{ key: fact.request_id, value: codec.encode(topic, fact) }];
    } catch (error) {
      const { request_id } = fact;
      output.error({ err: error, request_id, dropped: 1 }, 'usage that is no valid fact was dropped');
      return [];
    }
  };
  const flush = async (until: () => boolean): Promise<void> => {
    // Encoding needs the registry once; an API that starts while it is away must not wait for it.
    if (!is_registered && waiting.length > 0) {
      await codec.registerAll();
      is_registered = true;
    }
    while (waiting.length > 0 && !until()) {
      const batch = waiting.slice(0, max_append_messages);
      const messages = batch.flatMap(messageOf);
      if (messages.length > 0) await log.append(topic, messages);
      if (has_given_up) return;
      waiting.splice(0, batch.length);
      published += messages.length;
      dropped += batch.length - messages.length;
      dropped_told += batch.length - messages.length;
    }
  };
  /** Says each loss once: whoever adds the lines up gets the number of facts that are missing. */
  const tellDropped = (what: string): void => {
    if (dropped > dropped_told) output.error({ dropped: dropped - dropped_told }, what);
    dropped_told = dropped;
  };
  const tryFlush = async (until: () => boolean): Promise<void> => {
    try {
      await flush(until);
      is_away = false;
    } catch (error) {
      if (!is_away && !has_given_up) output.warn({ err: error }, 'usage cannot be published and waits');
      is_away = true;
    }
    tellDropped('usage was dropped because too much of it waits');
  };
  const isStopping = (): boolean => stopping.signal.aborted;
  const hasGivenUp = (): boolean => has_given_up;
  const run = async (): Promise<void> => {
    while (!isStopping()) {
      deps.onTurn?.();
      await pause(flush_ms, stopping.signal);
      if (!isStopping()) await tryFlush(isStopping);
    }
    while (waiting.length > 0) {
      await tryFlush(hasGivenUp);
      if (waiting.length > 0) await pause(Math.min(100, last_flush_ms));
    }
  };
  const giveUp = (): void => {
    has_given_up = true;
    tellDropped('usage was dropped because too much of it waits');
    dropped += waiting.length;
    waiting.length = 0;
    tellDropped('usage was dropped because the process ends');
  };
  const running = run();
  return {
    record: (fact) => {
      const room = fact.status === 429 ? most_waiting / 2 : most_waiting;
      if (waiting.length >= room) dropped += 1;
      else waiting.push(fact);
    },
    counts: () => ({ waiting: waiting.length, published, dropped }),
    stop: async () => {
      stopping.abort();
      const done = new AbortController();
      await Promise.race([running.finally(() => done.abort()), pause(last_flush_ms, done.signal)]);
      giveUp();
    },
  };
}
