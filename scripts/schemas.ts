import { join } from 'node:path';
import { releaseSchemas } from '../services/log/release-schemas.ts';
import { checkSchemas } from '../services/log/released-schemas.ts';
import { topics } from '../services/log/topics.ts';
import { misread, runCommand } from '../services/runtime/command.ts';

const help = `Guards the schemas of the topics, schemas/avro. Touches files only: neither a log nor a registry is asked.

  npm run schemas -- check [--json]      every released version is as it was released, reads every other, and its examples too
  npm run schemas -- release [--json]    makes each changed <topic>.avsc the next released version, with its examples

A released version never changes. To change a topic's schema: edit schemas/avro/<topic>.avsc (only fields with defaults come or go),
add or edit an example in examples/<topic>/valid, release, commit all of it. --folder names another folder of the same layout.

Example:
  npm run schemas -- release && npm run check:schemas

Interrupted in the middle of a release, the same command again completes it.

Exit codes: 0 done, 1 something does not hold or cannot be released, 64 the command was not understood, 130 interrupted.`;

const default_folder = join(import.meta.dirname, '../schemas/avro');
const names = Object.values(topics).map(({ name }) => name);

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

await runCommand({
  help,
  options: {
    folder: { type: 'string', default: default_folder },
    json: { type: 'boolean', default: false },
  },
  takes_words: true,
  if_interrupted:
    'Interrupted. The same command again completes what was begun; check says where things are.',
  run({ values: { folder, json }, positionals: [command, ...more] }) {
    if (command === 'check' && more.length === 0) return check(folder, json);
    if (command === 'release' && more.length === 0) return release(folder, json);
    throw misread('Say check or release.');
  },
});
