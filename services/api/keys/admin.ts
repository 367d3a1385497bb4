import { randomBytes } from 'node:crypto';
import { pause, type Clock } from '../../runtime/clock.ts';
import { HailmarkError, isHailmarkError } from '../../runtime/errors.ts';
import type { Codec } from '../../log/codec.ts';
import type { EventLog, NewMessage, Ownership } from '../../log/event-log.ts';
import type { ApiKeyFact } from '../../log/facts.ts';
import { topics } from '../../log/topics.ts';
import { formKey, keyHash, keyIdOf } from './format.ts';

const topic = topics.api_key.name;
const default_limits: KeyLimits = { per_minute: 60, per_day: 1_000 };
const claim_tries = 50;
const claim_pause_ms = 100;

export interface KeyAdminDeps {
  log: EventLog;
  /** With schemas registered (`registerAll`). */
  codec: Codec;
  clock: Clock;
  randomBytes?: (size: number) => Buffer;
}

/** Whole numbers of requests, 1 or more. */
export interface KeyLimits {
  per_minute: number;
  per_day: number;
}

export interface CreatedKey {
  /** The whole key; nothing keeps it, so this is the only time it can be shown. */
  key: string;
  key_id: string;
  partner: string;
}

/** A change of one key: what it is now, and the offset past the fact that says so. */
export interface ChangedKey {
  fact: ApiKeyFact;
  /** A reader of the keys' topic that has come this far knows of the change. */
  next_offset: number;
}

/** Why a key cannot be rotated. */
export type NotRotated = 'no-such-key' | 'not-live';

/** Makes a key for a partner and writes its fact. One writer at a time, so that two keys never share an id. */
export function createKey(
  deps: KeyAdminDeps,
  options: { partner: string } & Partial<KeyLimits>,
): Promise<CreatedKey> {
  return asOnlyWriter(deps, async (owner) => {
    const { key, fact } = newKey(deps, await listKeys(deps), { ...default_limits, ...options });
    await write(deps, owner, [fact]);
    return { key, key_id: fact.key_id, partner: fact.partner };
  });
}

/**
 * Makes a second key with the partner and the limits of the first. Both work until `grace_ms` have passed, then the first opens nothing.
 * Each counts on its own. One append: there is never a new key without the end of the old one, or the other way round.
 */
export function rotateKey(
  deps: KeyAdminDeps,
  key_id: string,
  options: { grace_ms: number },
): Promise<(CreatedKey & { expires_at: number }) | NotRotated> {
  return asOnlyWriter(deps, async (owner) => {
    const keys = await listKeys(deps);
    const old = keys.find((each) => each.key_id === key_id);
    if (old === undefined) return 'no-such-key';
    // A key that was replaced already would get two successors, and its grace time would be lengthened without end.
    if (old.revoked_at !== null || old.expires_at !== null) return 'not-live';
    const { key, fact } = newKey(deps, keys, old);
    const expires_at = fact.created_at + options.grace_ms;
    await write(deps, owner, [fact, { ...old, expires_at, replaced_by: fact.key_id }]);
    return { key, key_id: fact.key_id, partner: fact.partner, expires_at };
  });
}

/** Changes what a key may use; null where there is none of this id. Takes effect with the next request, counted ones count on. */
export function limitKey(
  deps: KeyAdminDeps,
  key_id: string,
  limits: Partial<KeyLimits>,
): Promise<ChangedKey | null> {
  return change(deps, key_id, (fact) => ({ ...fact, ...limits }));
}

/** Revokes a key for good; null where there is none of this id. Revoking again changes nothing and keeps the first time. */
export function revokeKey(deps: KeyAdminDeps, key_id: string): Promise<ChangedKey | null> {
  return change(deps, key_id, (fact) =>
    fact.revoked_at === null ? { ...fact, revoked_at: deps.clock() } : fact,
  );
}

/** The newest state of every key that can be read, oldest key first. */
export async function listKeys({ log, codec }: Pick<KeyAdminDeps, 'log' | 'codec'>): Promise<ApiKeyFact[]> {
  const keys = new Map<string, ApiKeyFact>();
  for await (const page of log.scan(topic)) {
    for (const { key, value } of page) {
      const decoded = await codec.decode(topic, value);
      if (decoded.outcome === 'ok') keys.set(key, decoded.fact);
      else keys.delete(key);
    }
  }
  return [...keys.values()].sort((a, b) => a.created_at - b.created_at);
}

function newKey(
  deps: KeyAdminDeps,
  keys: readonly ApiKeyFact[],
  { partner, per_minute, per_day }: { partner: string } & KeyLimits,
): { key: string; fact: ApiKeyFact } {
  const random = deps.randomBytes ?? randomBytes;
  const taken = new Set(keys.map(({ key_id }) => key_id));
  for (;;) {
    const key = formKey(random(4), random(18));
    const key_id = keyIdOf(key);
    if (key_id === null || taken.has(key_id)) continue;
    const created_at = deps.clock();
    return {
      key,
      fact: {
        ...{ key_id, key_sha256: keyHash(key), partner, per_minute, per_day, created_at },
        ...{ revoked_at: null, expires_at: null, replaced_by: null },
      },
    };
  }
}

function change(
  deps: KeyAdminDeps,
  key_id: string,
  to: (fact: ApiKeyFact) => ApiKeyFact,
): Promise<ChangedKey | null> {
  return asOnlyWriter(deps, async (owner) => {
    const before = (await listKeys(deps)).find((each) => each.key_id === key_id);
    if (before === undefined) return null;
    const fact = to(before);
    if (fact !== before) return { fact, next_offset: await write(deps, owner, [fact]) };
    const [next_offset = 0] = await deps.log.endOffsets(topic);
    return { fact, next_offset };
  });
}

/** All or nothing; the topic has one partition. Returns the offset past the last fact. */
async function write(
  { log, codec }: KeyAdminDeps,
  owner: Ownership,
  facts: readonly ApiKeyFact[],
): Promise<number> {
  const messages = facts.map((fact): NewMessage => ({ key: fact.key_id, value: codec.encode(topic, fact) }));
  const appended = await log.append(topic, messages, owner);
  return (appended.at(-1)?.offset ?? -1) + 1;
}

async function asOnlyWriter<T>(deps: KeyAdminDeps, work: (owner: Ownership) => Promise<T>): Promise<T> {
  const owner = await claim(deps.log);
  try {
    return await work(owner);
  } finally {
    await owner.release();
  }
}

async function claim(log: EventLog): Promise<Ownership> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await log.claim('api-keys');
    } catch (error) {
      if (!isHailmarkError(error, 'HAIL_OWNED_ELSEWHERE')) throw error;
      if (attempt >= claim_tries) {
        throw new HailmarkError(
          'HAIL_OWNED_ELSEWHERE',
          'Another command is changing API keys: wait for it to end and try again.',
          { cause: error },
        );
      }
      await pause(claim_pause_ms);
    }
  }
}
