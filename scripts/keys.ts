import { parseArgs } from 'node:util';
import { createKey, listKeys, revokeKey, type KeyAdminDeps } from '../services/api/keys/admin.ts';
import { createClock } from '../services/runtime/clock.ts';
import { readConfig } from '../services/runtime/config.ts';
import { isHailmarkError } from '../services/runtime/errors.ts';
import { formatInstant } from '../services/hail/time.ts';
import { createCodec } from '../services/log/codec.ts';
import { openLog } from '../services/log/open-log.ts';

const help = `Provisions API keys. The service's log (HAILMARK_DATA_DIR) and its schema registry (SCHEMA_REGISTRY_URL) must be reachable.

  npm run keys -- create --partner NAME [--json]   makes a key and shows it, once
  npm run keys -- list [--json]                    all keys: id, partner, created, revoked
  npm run keys -- revoke <key_id>                  revokes a key; it stops working within seconds

Example:
  npm run keys -- create --partner "Acme Roofing"

Exit codes: 0 done, 1 it failed, 2 the command was not understood, 3 there is no such key.`;

async function main(): Promise<number> {
  const command = readCommand();
  if (command === null) {
    console.error(help);
    return 2;
  }
  if (command.name === 'help') {
    console.log(help);
    return 0;
  }
  const config = readConfig();
  const log = await openLog(config);
  try {
    const codec = createCodec({ registry_url: config.SCHEMA_REGISTRY_URL });
    await codec.registerAll();
    return await run(command, { log, codec, clock: createClock(config) });
  } finally {
    await log.close();
  }
}

type Command =
  | { name: 'help' }
  | { name: 'create'; partner: string; json: boolean }
  | { name: 'list'; json: boolean }
  | { name: 'revoke'; key_id: string };

function readCommand(): Command | null {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        partner: { type: 'string' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    const [name, key_id, ...more] = positionals;
    const partner = values.partner?.trim();
    if (values.help) return { name: 'help' };
    if (name === 'create' && key_id === undefined && partner !== undefined && partner !== '')
      return { name, partner, json: values.json };
    if (name === 'list' && key_id === undefined && partner === undefined) return { name, json: values.json };
    if (name === 'revoke' && key_id !== undefined && more.length === 0) return { name, key_id };
    return null;
  } catch {
    return null;
  }
}

async function run(command: Exclude<Command, { name: 'help' }>, deps: KeyAdminDeps): Promise<number> {
  if (command.name === 'create') {
    const created = await createKey(deps, { partner: command.partner });
    if (command.json) console.log(JSON.stringify(created));
    else
      console.log(
        `key     ${created.key}\nkey id  ${created.key_id}\nThe key is shown this once; only its hash is kept.`,
      );
    return 0;
  }
  if (command.name === 'list') {
    for (const fact of await listKeys(deps)) {
      const { key_id, partner, per_minute, per_day } = fact;
      const created = formatInstant(fact.created_at);
      const revoked = fact.revoked_at === null ? null : formatInstant(fact.revoked_at);
      if (command.json)
        console.log(JSON.stringify({ key_id, partner, per_minute, per_day, created, revoked }));
      else
        console.log(`${key_id}  ${created}  ${revoked === null ? 'live' : `revoked ${revoked}`}  ${partner}`);
    }
    return 0;
  }
  if (await revokeKey(deps, command.key_id)) {
    console.log(`${command.key_id} is revoked`);
    return 0;
  }
  console.error('There is no key of this id; `npm run keys -- list` shows all.');
  return 3;
}

main()
  .then((exit_code) => {
    process.exitCode = exit_code;
  })
  .catch((error: unknown) => {
    console.error(isHailmarkError(error) ? error.message : error);
    process.exitCode = 1;
  });
