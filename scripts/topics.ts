import { day_ms } from '../services/hail/time.ts';
import type { TopicSpec } from '../services/log/event-log.ts';
import { openLog } from '../services/log/open-log.ts';
import {
  areAsDeclared,
  compareTopics,
  makeMissingTopics,
  type TopicState,
} from '../services/log/topic-differences.ts';
import { topics } from '../services/log/topics.ts';
import { runCommand } from '../services/runtime/command.ts';
import { readConfig } from '../services/runtime/config.ts';

const help = `Lists the service's topics as declared beside what the log has, and makes what is missing.
Deletes nothing and changes no topic that exists: a difference is shown, and a person decides.

  npm run topics [-- --json]              makes missing topics, shows differences
  npm run topics -- --check [--json]      makes nothing; for a pipeline

The log is that of the configuration (HAILMARK_DATA_DIR and so on). --json prints one object a topic and line. Interrupted, a topic is made
or it is not; the same command again makes the rest.

Example:
  npm run topics -- --check || echo "the log is not as declared"

Exit codes: 0 done (with --check: the log is as declared), 1 it failed (with --check: or something is missing or differs),
64 the command was not understood, 130 interrupted.`;

async function main(check: boolean, json: boolean): Promise<number> {
  const declared = Object.values(topics);
  const log = await openLog(readConfig(), { make: check ? 'nothing' : 'log' });
  try {
    const { made, states } = check
      ? { made: [], states: await compareTopics(log, declared) }
      : await makeMissingTopics(log, declared);
    for (const state of states) {
      const is_made = made.includes(state.declared.name);
      console.log(json ? JSON.stringify({ ...state, made: is_made }) : textOf(state, is_made));
    }
    return check && !areAsDeclared(states) ? 1 : 0;
  } finally {
    await log.close();
  }
}

function textOf({ declared, found, differences }: TopicState, is_made: boolean): string {
  const state =
    found === null ? 'MISSING' : is_made ? 'made' : differences.length > 0 ? 'DIFFERS' : 'as declared';
  const lines = differences.map(
    (each) =>
      `    ${each.setting}: declared ${valueOf(each.setting, each.declared)}, the log has ${valueOf(each.setting, each.found)}`,
  );
  const declaration = (['partitions', 'compacted', 'retention_ms', 'max_message_bytes'] as const)
    .map((setting) => `${setting} ${valueOf(setting, declared[setting])}`)
    .join(', ');
  return [`${declared.name}  ${state}  (${declaration})`, ...lines].join('\n');
}

function valueOf(setting: keyof TopicSpec, value: number | boolean | null): string {
  if (value === null) return 'without limit';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return setting === 'retention_ms'
    ? `${value} (${Number((value / day_ms).toFixed(2))} days)`
    : String(value);
}

await runCommand({
  help,
  options: { check: { type: 'boolean', default: false }, json: { type: 'boolean', default: false } },
  if_interrupted: 'Interrupted. Every topic is made whole or not at all; the same command again goes on.',
  run: ({ values: { check, json } }) => main(check, json),
});
