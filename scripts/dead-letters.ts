import { createClock } from '../services/runtime/clock.ts';
import { misread, runCommand, wholeNumber, type Given } from '../services/runtime/command.ts';
import { readConfig } from '../services/runtime/config.ts';
import type { LetterFilter } from '../services/log/letters/book.ts';
import type { LetterDeps } from '../services/log/letters/manage.ts';
import { createRegistryClient } from '../services/log/schema-registry.ts';
import { topics } from '../services/log/topics.ts';
import { withLog } from '../services/log/with-log.ts';
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

Interrupted, some of the letters have been asked or dropped and the others have not: the same command again does the rest.

Exit codes: 0 done, 1 it failed or nothing matches, 64 the command was not understood, 130 interrupted.`;

const names = ['list', 'show', 'retry', 'drop'] as const;

interface Command {
  name: (typeof names)[number];
  filter: LetterFilter;
  limit: number;
  json: boolean;
  dry_run: boolean;
}

function run(command: Command, deps: LetterDeps, registry_url: string): Promise<number> {
  const { name, filter } = command;
  if (name === 'list') return list(deps, filter, command);
  if (name === 'show') return show(deps, filter, createRegistryClient(registry_url), command);
  return retryOrDrop(deps, filter, name, command);
}

const options = {
  topic: { type: 'string' },
  reason: { type: 'string' },
  key: { type: 'string' },
  state: { type: 'string' },
  place: { type: 'string' },
  limit: { type: 'string', default: '50' },
  all: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  'dry-run': { type: 'boolean', default: false },
} as const;

function commandOf({ values, positionals }: Given<typeof options>): Command {
  const name = names.find((each) => each === positionals[0]);
  const [, shown, ...more] = positionals;
  if (name === undefined) throw misread(`Say what is to be done: ${names.join(', ')}.`);
  if (more.length > 0) throw misread(`${name} takes one place at most.`);
  const { topic, reason, key, state } = values;
  const place = values.place ?? shown;
  const filter: LetterFilter = {
    topic: topic === undefined ? topic : fullName(topic),
    reason,
    key,
    state,
    place,
  };
  const any_filter = Object.values(filter).some((each) => each !== undefined);
  if (name === 'show' && place === undefined)
    throw misread('Which one? show takes <topic>/<partition>/<offset>.');
  if ((name === 'retry' || name === 'drop') && any_filter === values.all)
    throw misread(`${name} takes filters or --all, one of the two.`);
  const limit = wholeNumber('limit', values.limit, 0);
  return { name, filter, limit, json: values.json, dry_run: values['dry-run'] };
}

/** `observation` for `hail.observation.v1`. */
function fullName(topic: string): string {
  const known = Object.values(topics).map(({ name }) => name);
  return known.find((name) => name === `hail.${topic.replaceAll('_', '-')}.v1`) ?? topic;
}

await runCommand({
  help,
  options,
  takes_words: true,
  if_interrupted:
    'Interrupted. Letters that were reached are asked or dropped; the same command again does the rest.',
  run(given) {
    const command = commandOf(given);
    const config = readConfig();
    return withLog(config, (facts) =>
      run(command, { ...facts, clock: createClock(config) }, config.SCHEMA_REGISTRY_URL),
    );
  },
});
