import type { KeyLimits } from '../../services/api/keys/admin.ts';
import { misread, wholeNumber, type Given } from '../../services/runtime/command.ts';

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

A key is made, changed or revoked wholly or not at all. Interrupted before it was shown, a new key is of no use: list shows it, revoke ends it.

Exit codes: 0 done, 1 it failed, 3 there is no such key, or none that can be rotated, 4 revoked, but an API process named by --api has not
said that it knows, 64 the command was not understood, 130 interrupted.`;

export type Command =
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
const options_of: Readonly<Record<Command['name'], readonly string[]>> = {
  create: ['partner', 'per-minute', 'per-day'],
  list: [],
  show: [],
  limit: ['per-minute', 'per-day'],
  rotate: ['grace'],
  revoke: ['api', 'no-wait'],
};

export const key_options = {
  partner: { type: 'string' },
  'per-minute': { type: 'string' },
  'per-day': { type: 'string' },
  grace: { type: 'string' },
  api: { type: 'string', multiple: true },
  'no-wait': { type: 'boolean' },
  json: { type: 'boolean' },
} as const;

/** What the words ask for; throws `HAIL_COMMAND` with a sentence where they cannot be meant. */
export function commandOf({
  values,
  positionals,
}: Pick<Given<typeof key_options>, 'values' | 'positionals'>): Command {
  const [name, key_id, ...more] = positionals;
  const names = Object.keys(options_of).join(', ');
  if (name === undefined || !isName(name)) throw misread(`Say what is to be done: ${names}.`);
  if (more.length > 0) throw misread(`${name} takes one key id at most.`);
  const common = ['json', 'help'];
  const foreign = Object.keys(values).find(
    (each) => !common.includes(each) && !options_of[name].includes(each),
  );
  if (foreign !== undefined) throw misread(`${name} takes no --${foreign}.`);
  const json = values.json === true;
  const limits: Partial<KeyLimits> = {};
  if (values['per-minute'] !== undefined)
    limits.per_minute = wholeNumber('per-minute', values['per-minute'], 1, most_requests);
  if (values['per-day'] !== undefined)
    limits.per_day = wholeNumber('per-day', values['per-day'], 1, most_requests);
  if (name === 'create' || name === 'list') {
    if (key_id !== undefined) throw misread(`${name} takes no key id.`);
    if (name === 'list') return { name, json };
    const partner = values.partner?.trim() ?? '';
    if (partner === '') throw misread('Whose key is it? Give --partner.');
    return { name, partner, limits, json };
  }
  if (key_id === undefined) throw misread(`Which key? ${name} takes a key id; list shows all.`);
  switch (name) {
    case 'show':
      return { name, key_id, json };
    case 'limit':
      if (Object.keys(limits).length === 0) throw misread('Give --per-minute, --per-day or both.');
      return { name, key_id, limits, json };
    case 'rotate': {
      const hours = values.grace === undefined ? 24 : Number(values.grace);
      if (values.grace === '' || !(hours >= 0 && hours <= most_grace_hours))
        throw misread(`--grace is a number of hours from 0 to ${most_grace_hours}.`);
      return { name, key_id, grace_ms: Math.round(hours * hour_ms), json };
    }
    case 'revoke': {
      const api_urls = values.api ?? [];
      if (!api_urls.every((url) => /^https?:\/\/./.test(url)))
        throw misread('--api is the address of an API process, such as http://127.0.0.1:8080.');
      return { name, key_id, api_urls, wait: values['no-wait'] !== true, json };
    }
  }
}

function isName(name: string): name is keyof typeof options_of {
  return Object.hasOwn(options_of, name);
}
