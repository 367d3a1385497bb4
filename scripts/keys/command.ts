import { parseArgs } from 'node:util';
import type { KeyLimits } from '../../services/api/keys/admin.ts';

export const help = `Provisions API keys. The service's log (HAILMARK_DATA_DIR or KAFKA_BROKERS) and its schema registry (SCHEMA_REGISTRY_URL)
must be reachable; store and projector need not be.

  npm run keys -- create --partner NAME [--per-minute N] [--per-day N]    makes a key and shows it, once
  npm run keys -- list                                                    all keys: id, created, state, limits, partner
  npm run keys -- show <key_id>                                           one key
  npm run keys -- limit <key_id> [--per-minute N] [--per-day N]           what it may use, from its next request on
  npm run keys -- rotate <key_id> [--grace HOURS]                         a second key for the same partner, shown once; the first
                                                                          works for the grace time still (24 hours unless said)
  npm run keys -- revoke <key_id> [--api URL ...] [--no-wait]             revokes a key for good, and waits until that holds

Every command takes --json. A revocation holds within 10 seconds in every API process that can reach the log, so revoke waits that long;
with --api, once for each API process, it asks them and returns as soon as all of them know.

Limits are whole numbers of requests from 1 on; 60 a minute and 1000 a day unless said. Each key counts on its own.

Example:
  npm run keys -- create --partner "Acme Roofing" --per-minute 120

Exit codes: 0 done, 1 it failed, 2 the command was not understood, 3 there is no such key, or none that can be rotated,
4 revoked, but an API process named by --api has not said that it knows.`;

export type Command =
  | { name: 'help' }
  | { name: 'create'; partner: string; limits: Partial<KeyLimits>; json: boolean }
  | { name: 'list'; json: boolean }
  | { name: 'show'; key_id: string; json: boolean }
  | { name: 'limit'; key_id: string; limits: Partial<KeyLimits>; json: boolean }
  | { name: 'rotate'; key_id: string; grace_ms: number; json: boolean }
  | { name: 'revoke'; key_id: string; api_urls: string[]; wait: boolean; json: boolean };

const hour_ms = 3_600_000;
/** A year: a grace time beyond it is a slip of the hand. */
const most_grace_hours = 8_784;
const most_requests = 2 ** 31 - 1;

/** Options that each command takes beside --json; one that it does not take is a misunderstanding, not nothing. */
const options_of: Readonly<Record<Exclude<Command['name'], 'help'>, readonly string[]>> = {
  create: ['partner', 'per-minute', 'per-day'],
  list: [],
  show: [],
  limit: ['per-minute', 'per-day'],
  rotate: ['grace'],
  revoke: ['api', 'no-wait'],
};

/** Null where the command is not understood. */
export function readCommand(parameters: readonly string[]): Command | null {
  let parsed;
  try {
    parsed = parse(parameters);
  } catch {
    return null;
  }
  const { values, positionals } = parsed;
  if (values.help === true) return { name: 'help' };
  const [name, key_id, ...more] = positionals;
  if (name === undefined || !isName(name) || more.length > 0) return null;
  const taken = options_of[name];
  if (Object.keys(values).some((option) => option !== 'json' && !taken.includes(option))) return null;
  const json = values.json === true;
  const limits = readLimits(values['per-minute'], values['per-day']);
  if (limits === null) return null;
  if (name === 'create') {
    const partner = values.partner?.trim() ?? '';
    return key_id === undefined && partner !== '' ? { name, partner, limits, json } : null;
  }
  if (name === 'list') return key_id === undefined ? { name, json } : null;
  if (key_id === undefined) return null;
  switch (name) {
    case 'show':
      return { name, key_id, json };
    case 'limit':
      return Object.keys(limits).length > 0 ? { name, key_id, limits, json } : null;
    case 'rotate': {
      const hours = values.grace === undefined ? 24 : Number(values.grace);
      if (values.grace === '' || !(hours >= 0 && hours <= most_grace_hours)) return null;
      return { name, key_id, grace_ms: Math.round(hours * hour_ms), json };
    }
    case 'revoke': {
      const api_urls = values.api ?? [];
      if (!api_urls.every((url) => /^https?:\/\/./.test(url))) return null;
      return { name, key_id, api_urls, wait: values['no-wait'] !== true, json };
    }
  }
}

function parse(parameters: readonly string[]) {
  return parseArgs({
    args: [...parameters],
    allowPositionals: true,
    options: {
      partner: { type: 'string' },
      'per-minute': { type: 'string' },
      'per-day': { type: 'string' },
      grace: { type: 'string' },
      api: { type: 'string', multiple: true },
      'no-wait': { type: 'boolean' },
      json: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
}

function isName(name: string): name is keyof typeof options_of {
  return Object.hasOwn(options_of, name);
}

function readLimits(per_minute?: string, per_day?: string): Partial<KeyLimits> | null {
  const limits: Partial<KeyLimits> = {};
  for (const [name, text] of Object.entries({ per_minute, per_day })) {
    if (text === undefined) continue;
    const limit = Number(text);
    if (!/^[1-9]\d*$/.test(text) || limit > most_requests) return null;
    limits[name as keyof KeyLimits] = limit;
  }
  return limits;
}
