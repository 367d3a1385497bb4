import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { releaseSchemas } from '../services/log/release-schemas.ts';
import { checkSchemas } from '../services/log/released-schemas.ts';
import { topics } from '../services/log/topics.ts';

const help = `Guards the schemas of the topics, schemas/avro. Touches files only: neither a log nor a registry is asked.

  npm run schemas -- check [--json]      every released version is as it was released, reads every other, and its examples too
  npm run schemas -- release [--json]    makes each changed <topic>.avsc the next released version, with its examples

A released version never changes. To change a topic's schema: edit schemas/avro/<topic>.avsc (only fields with defaults come or go),
add or edit an example in examples/<topic>/valid, release, commit all of it. --folder names another folder of the same layout.

Example:
  npm run schemas -- release && npm run check:schemas

Exit codes: 0 done, 1 something does not hold or cannot be released, 2 the command was not understood.`;

const default_folder = join(import.meta.dirname, '../schemas/avro');
const names = Object.values(topics).map(({ name }) => name);

/** The command; returns its exit code. */
function main(): number {
  const { values, positionals } = parseArgs({
    options: {
      folder: { type: 'string', default: default_folder },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h' },
    },
    allowPositionals: true,
  });
  if (values.help === true) {
    console.log(help);
    return 0;
  }
  const [command, ...more] = positionals;
  if (command === 'check' && more.length === 0) return check(values.folder, values.json);
  if (command === 'release' && more.length === 0) return release(values.folder, values.json);
  console.error('Say check or release. --help says more.');
  return 2;
}

function check(folder: string, json: boolean): number {
  const { problems, topics: found, history } = checkSchemas(folder, names);
  if (json) {
    console.log(JSON.stringify({ problems, topics: found, history }));
    return problems.length > 0 ? 1 : 0;
  }
  for (const problem of problems) console.error(problem);
  for (const { topic, versions, examples } of found)
    console.log(`${topic}: ${versions} released, ${examples} examples`);
  if ('skipped' in history) console.log(`Not held against git: ${history.skipped}.`);
  else console.log(`Held against git: ${history.files} files.`);
  return problems.length > 0 ? 1 : 0;
}

function release(folder: string, json: boolean): number {
  const { released, problems } = releaseSchemas(folder, names);
  if (json) console.log(JSON.stringify({ released, problems }));
  else {
    for (const problem of problems) console.error(problem);
    for (const { topic, version } of released) console.log(`${topic}: version ${version} is released`);
    if (problems.length === 0 && released.length === 0)
      console.log('Nothing to release: every working file is its last released version.');
  }
  return problems.length > 0 ? 1 : 0;
}

try {
  process.exitCode = main();
} catch (error) {
  const is_misread =
    error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
  console.error(is_misread ? error.message : error);
  process.exitCode = is_misread ? 2 : 1;
}
