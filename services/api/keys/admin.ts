import { randomBytes } from 'node:crypto';
import { pause, type Clock } from '../../runtime/clock.ts';
import { HailmarkError, isHailmarkError } from '../../runtime/errors.ts';
import type { Codec } from '../../log/codec.ts';
import type { EventLog, Ownership } from '../../log/event-log.ts';
import type { ApiKeyFact } from '../../log/facts.ts';
import { topics } from '../../log/topics.ts';
import { formKey, keyHash, keyIdOf } from './format.ts';

const topic = topics.api_key.name;
const default_per_minute = 60;
const default_per_day = 1_000;
const claim_tries = 50;
const claim_pause_ms = 100;

export interface KeyAdminDeps {
  log: EventLog;
  /** With schemas registered (`registerAll`). */
  codec: Codec;
  clock: Clock;
  randomBytes?: (size: number) => Buffer;
}

export interface CreatedKey {
  /** The whole key; nothing keeps it, so this is the only time it can be shown. */
  key: string;
  key_id: string;
  partner: string;
}

/** Makes a key for a partner and writes its fact. One writer at a time, so that two keys never share an id. */
export function createKey(deps: KeyAdminDeps, options: { partner: string }): Promise<CreatedKey> {
  return asOnlyWriter(deps, async (owner) => {
    const random = deps.randomBytes ?? randomBytes;
    const taken = new Set((await listKeys(deps)).map(({ key_id }) => key_id));
    for (;;) {
      const key = formKey(random(4), random(18));
      const key_id = keyIdOf(key);
      if (key_id === null || taken.has(key_id)) continue;
      await write(deps, owner, {
        key_id,
        key_sha256: keyHash(key),
        partner: options.partner,
        per_minute: default_per_minute,
        per_day: default_per_day,
        created_at: deps.clock(),
        revoked_at: null,
      });
      return { key, key_id, partner: options.partner };
    }
  });
}

/** Revokes a key for good; false where there is none of this id. Revoking again changes nothing and keeps the first time. */
export function revokeKey(deps: KeyAdminDeps, key_id: string): Promise<boolean> {
  return asOnlyWriter(deps, async (owner) => {
    const fact = (await listKeys(deps)).find((each) => each.key_id === key_id);
    if (fact === undefined) return false;
    if (fact.revoked_at === null) await write(deps, owner, { ...fact, revoked_at: deps.clock() });
    return true;
  });
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

async function write({ log, codec }: KeyAdminDeps, owner: Ownership, fact: ApiKeyFact): Promise<void> {
  await log.append(topic, [{ key: fact.key_id, value: codec.encode(topic, fact) }], owner);
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
