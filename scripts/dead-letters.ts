import { parseArgs } from 'node:util';
import { createClock } from '../services/runtime/clock.ts';
import { readConfig } from '../services/runtime/config.ts';
import { isHailmarkError } from '../services/runtime/errors.ts';
import { createCodec } from '../services/log/codec.ts';
import type { LetterFilter } from '../services/log/letters/book.ts';
import type { LetterDeps } from '../services/log/letters/manage.ts';
import { openLog } from '../services/log/open-log.ts';
import { createRegistryClient } from '../services/log/schema-registry.ts';
import { topics } from '../services/log/topics.ts';
import { list, retryOrDrop, show } from './dead-letters/commands.ts';

const help = `Messages of the log that are no valid facts, and what becomes of them. The log (HAILMARK_DATA_DIR or KAFKA_BROKERS) and the
schema registry (SCHEMA_REGISTRY_URL) must be reachable.

  npm run dead-letters -- list [filters] [--limit 50]        how many there are, by topic, reason and state, then each
  npm run dead-letters -- show <topic>/<partition>/<offset>  one of them: why, headers, bytes, decoded as far as possible
  npm run dead-letters -- retry <filters> [--dry-run]        asks the feeds to publish what they say anew
  npm run dead-letters -- drop <filters> [--dry-run]         nobody waits for them any more; final

Filters, all of which must hold: --topic T, --reason R, --key K, --state dead|retry|settled|dropped, --place T/P/O; or --all.
--json prints one JSON object. What is dead, or waits for a retry, can be dropped; only what is dead can be retried.

A dead message is never projected, whatever becomes of its letter. A retry is answered by the feed that owns the record, within seconds
while the feeds run: it publishes the record anew where the message is the record's newest and a valid fact by now; where a newer message
has taken its place the letter is settled; and else it is dead again. Repair first: register the schema, or correct the feed.

Example:
  npm run dead-letters -- retry --reason unknown-schema --dry-run

Exit codes: 0 done, 1 it failed or nothing matches, 2 the command was not understood.`;

const names = ['list', 'show', 'retry', 'drop'] as const;

interface Command {
  name: (typeof names)[number];
  filter: LetterFilter;
  limit: number;
  json: boolean;
  dry_run: boolean;
}

async function main(): Promise<number> {
  const command = readCommand();
  if (command === null) {
    console.error('The command was not understood. --help says what there is.');
    return 2;
  }
  if (command === 'help') {
    console.log(help);
    return 0;
  }
  const config = readConfig();
  const log = await openLog(config);
  try {
    const codec = createCodec({ registry_url: config.SCHEMA_REGISTRY_URL });
    await codec.registerAll();
    return await run(command, { log, codec, clock: createClock(config) }, config.SCHEMA_REGISTRY_URL);
  } finally {
    await log.close();
  }
}

function run(command: Command, deps: LetterDeps, registry_url: string): Promise<number> {
  const { name, filter } = command;
  if (name === 'list') return list(deps, filter, command);
  if (name === 'show') return show(deps, filter, createRegistryClient(registry_url), command);
  return retryOrDrop(deps, filter, name, command);
}

function readCommand(): Command | 'help' | null {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        ...{ topic: { type: 'string' }, reason: { type: 'string' }, key: { type: 'string' } },
        ...{ state: { type: 'string' }, place: { type: 'string' }, limit: { type: 'string', default: '50' } },
        all: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        'dry-run': { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.help) return 'help';
    const name = names.find((each) => each === positionals[0]);
    const [, shown, ...more] = positionals;
    const { topic, reason, key, state } = values;
    const place = values.place ?? shown;
    const limit = Number(values.limit);
    const filter: LetterFilter = {
      topic: topic === undefined ? topic : fullName(topic),
      reason,
      key,
      state,
      place,
    };
    const any_filter = Object.values(filter).some((each) => each !== undefined);
    if (name === undefined || more.length > 0 || !Number.isSafeInteger(limit) || limit < 0) return null;
    if (name === 'show' && place === undefined) return null;
    if ((name === 'retry' || name === 'drop') && any_filter === values.all) return null;
    return { name, filter, limit, json: values.json, dry_run: values['dry-run'] };
  } catch {
    return null;
  }
}

/** `observation` for `hail.observation.v1`. */
function fullName(topic: string): string {
  const known = Object.values(topics).map(({ name }) => name);
  return known.find((name) => name === `hail.${topic.replaceAll('_', '-')}.v1`) ?? topic;
}

main()
  .then((exit_code) => {
    process.exitCode = exit_code;
  })
  .catch((error: unknown) => {
    console.error(isHailmarkError(error) ? error.message : error);
    process.exitCode = 1;
  });
