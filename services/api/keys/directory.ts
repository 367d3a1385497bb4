import { timingSafeEqual } from 'node:crypto';
import { pause, type Clock } from '../../runtime/clock.ts';
import type { LogOutput } from '../../runtime/log-output.ts';
import type { Codec } from '../../log/codec.ts';
import type { EventLog, StoredMessage } from '../../log/event-log.ts';
import type { ApiKeyFact } from '../../log/facts.ts';
import { topics } from '../../log/topics.ts';
import { keyHash, keyIdOf } from './format.ts';

const topic = topics.api_key.name;
const retry_ms = 1_000;
/** Compared against where no such key exists, so that an unknown id costs what a wrong secret costs. */
const nobody = '0'.repeat(64);

export interface KeyDirectory {
  /** The live key that was presented, or null: wrong, unknown, revoked and expired are one answer. */
  find: (key: string) => ApiKeyFact | null;
  /** False until the topic has been read to its end once; before that "unknown key" would be our ignorance. */
  isLoaded: () => boolean;
  /** How far the keys' topic has been read: what stands before this offset holds here. */
  position: () => number;
  /** Resolves when loaded, or when `signal` aborts. */
  loaded: Promise<void>;
  /** Resolves when the directory has stopped following, which the signal ends. */
  done: Promise<void>;
}

export interface FollowedKeys extends KeyDirectory {
  /** True while changes arrive; false while the topic cannot be read and the last known keys hold. */
  isFollowing: () => boolean;
}

/**
 * All keys in memory, following their topic from the beginning: a new key works and a revocation holds within a moment, whatever views or
 * store are doing. While the log is away the last known keys hold and reading is tried again.
 */
export function followKeys(
  deps: { log: EventLog; codec: Codec; clock: Clock; output: LogOutput },
  signal: AbortSignal,
): FollowedKeys {
  const keys = new Map<string, ApiKeyFact>();
  const loading = Promise.withResolvers<undefined>();
  const isStopped = (): boolean => signal.aborted;
  let is_loaded = false;
  let is_following = false;
  let next: number[] = [];

  const take = async (message: StoredMessage): Promise<void> => {
    const decoded = await deps.codec.decode(topic, message.value);
    if (decoded.outcome === 'ok' && decoded.fact.key_id === message.key) {
      keys.set(message.key, decoded.fact);
    } else {
      // A removed or unreadable newest state lets nobody in: it may be the revocation.
      keys.delete(message.key);
      const reason = decoded.outcome === 'ok' ? 'wrong-key' : decoded.reason;
      if (reason !== 'tombstone') {
        const { partition, offset } = message;
        deps.output.error({ topic, partition, offset, reason }, 'an API key cannot be read and is refused');
      }
    }
    next[message.partition] = message.offset + 1;
  };
  const read = async (follow: boolean): Promise<void> => {
    for await (const page of deps.log.scan(topic, { from: next, follow, signal })) {
      for (const message of page) await take(message);
    }
  };
  const run = async (): Promise<void> => {
    while (!isStopped()) {
      try {
        next = Array.from({ length: topics.api_key.partitions }, (_, partition) => next[partition] ?? 0);
        await read(false);
        if (!is_loaded && !isStopped()) {
          is_loaded = true;
          loading.resolve(undefined);
          deps.output.info({ keys: keys.size }, 'API keys are loaded');
        }
        is_following = !isStopped();
        await read(true);
      } catch (error) {
        is_following = false;
        deps.output.warn({ err: error }, 'API keys cannot be followed; the last known keys hold');
        await pause(retry_ms, signal);
      }
    }
    loading.resolve(undefined);
  };
  return {
    find: (key) => {
      const key_id = keyIdOf(key);
      const known = key_id === null ? undefined : keys.get(key_id);
      const expected = Buffer.from(known?.key_sha256 ?? nobody, 'hex');
      const presented = Buffer.from(keyHash(key), 'hex');
      const same = expected.length === presented.length && timingSafeEqual(expected, presented);
      return known !== undefined && same && isLive(known, deps.clock()) ? known : null;
    },
    isLoaded: () => is_loaded,
    isFollowing: () => is_following,
    position: () => next[0] ?? 0,
    loaded: loading.promise,
    done: run(),
  };
}

/** Revoked is revoked at any time; an expiry is a matter of the clock. */
export function isLive({ revoked_at, expires_at }: ApiKeyFact, now_ms: number): boolean {
  return revoked_at === null && (expires_at === null || now_ms < expires_at);
}
