import {
  createKey,
  limitKey,
  listKeys,
  revokeKey,
  rotateKey,
  type KeyAdminDeps,
} from '../services/api/keys/admin.ts';
import { isLive } from '../services/api/keys/directory.ts';
import { waitForChange } from '../services/api/keys/wait-for-change.ts';
import { createClock, systemClock } from '../services/runtime/clock.ts';
import { runCommand } from '../services/runtime/command.ts';
import { readConfig } from '../services/runtime/config.ts';
import { formatInstant } from '../services/hail/time.ts';
import type { ApiKeyFact } from '../services/log/facts.ts';
import { withLog } from '../services/log/with-log.ts';
import { commandOf, help, key_options, type Command } from './keys/command.ts';

const no_such_key = 3;

async function run(command: Command, deps: KeyAdminDeps): Promise<number> {
  const say = (value: object, text: string): void => console.log(command.json ? JSON.stringify(value) : text);
  switch (command.name) {
    case 'create': {
      const created = await createKey(deps, { partner: command.partner, ...command.limits });
      say(created, shownOnce(created));
      return 0;
    }
    case 'list': {
      for (const fact of await listKeys(deps)) say(shown(fact, deps.clock()), line(fact, deps.clock()));
      return 0;
    }
    case 'show': {
      const fact = (await listKeys(deps)).find(({ key_id }) => key_id === command.key_id);
      if (fact === undefined) return missing();
      const state = shown(fact, deps.clock());
      say(
        state,
        Object.entries(state)
          .map(([name, value]) => `${name.padEnd(12)}${value ?? ''}`)
          .join('\n'),
      );
      return 0;
    }
    case 'limit': {
      const changed = await limitKey(deps, command.key_id, command.limits);
      if (changed === null) return missing();
      say(shown(changed.fact, deps.clock()), line(changed.fact, deps.clock()));
      return 0;
    }
    case 'rotate': {
      const rotated = await rotateKey(deps, command.key_id, command);
      if (rotated === 'no-such-key') return missing();
      if (rotated === 'not-live') {
        console.error('This key is revoked or was replaced already: rotate the newest one.');
        return no_such_key;
      }
      const expires = formatInstant(rotated.expires_at);
      const { key, key_id, partner } = rotated;
      say(
        { key, key_id, partner, replaces: command.key_id, replaced_key_expires: expires },
        `${shownOnce(rotated)}\n${command.key_id} works until ${expires}.`,
      );
      return 0;
    }
    case 'revoke':
      return revoke(command, deps);
  }
}

async function revoke(command: Extract<Command, { name: 'revoke' }>, deps: KeyAdminDeps): Promise<number> {
  const { key_id, api_urls, wait, json } = command;
  const changed = await revokeKey(deps, key_id);
  if (changed === null) return missing();
  if (wait && !json) console.error(`${key_id} is revoked in the log; waiting until that holds ...`);
  const { seen_by, silent } = wait
    ? await waitForChange({ clock: systemClock, fetch }, { next_offset: changed.next_offset, api_urls })
    : { seen_by: [], silent: [] };
  if (json) console.log(JSON.stringify({ key_id, revoked: true, waited: wait, seen_by, silent }));
  else console.log(`${key_id} is revoked`);
  if (silent.length === 0) return 0;
  console.error(
    `Not heard of: ${silent.join(', ')}. A process that cannot reach the log goes on with the keys it knows.`,
  );
  return 4;
}

function missing(): number {
  console.error('There is no key of this id; `npm run keys -- list` shows all.');
  return no_such_key;
}

function shownOnce({ key, key_id }: { key: string; key_id: string }): string {
  return `key     ${key}\nkey id  ${key_id}\nThe key is shown this once; only its hash is kept.`;
}

/** What may be shown of a key: all but its hash. */
function shown(fact: ApiKeyFact, now_ms: number): Record<string, string | number | null> {
  const { key_id, partner, per_minute, per_day, created_at, revoked_at, expires_at, replaced_by } = fact;
  return {
    ...{ key_id, partner, live: isLive(fact, now_ms) ? 'yes' : 'no', per_minute, per_day },
    created: formatInstant(created_at),
    revoked: revoked_at === null ? null : formatInstant(revoked_at),
    expires: expires_at === null ? null : formatInstant(expires_at),
    replaced_by,
  };
}

function line(fact: ApiKeyFact, now_ms: number): string {
  const { key_id, partner, per_minute, per_day, created_at } = fact;
  const limits = `${per_minute}/min ${per_day}/day`;
  return `${key_id}  ${formatInstant(created_at)}  ${stateOf(fact, now_ms)}  ${limits}  ${partner}`;
}

function stateOf(fact: ApiKeyFact, now_ms: number): string {
  if (fact.revoked_at !== null) return `revoked ${formatInstant(fact.revoked_at)}`;
  if (fact.expires_at === null) return 'live';
  return `${isLive(fact, now_ms) ? 'live until' : 'expired'} ${formatInstant(fact.expires_at)}`;
}

await runCommand({
  help,
  options: key_options,
  takes_words: true,
  if_interrupted:
    'Interrupted. What was asked is done wholly or not at all: `npm run keys -- list` shows it. A key that was made and not shown can only be revoked.',
  run(given) {
    const command = commandOf(given);
    const config = readConfig();
    return withLog(config, (facts) => run(command, { ...facts, clock: createClock(config) }));
  },
});
