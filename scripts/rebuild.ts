import { misread, runCommand, wholeNumber, type Given } from '../services/runtime/command.ts';
import { readConfig } from '../services/runtime/config.ts';
import { systemClock } from '../services/runtime/clock.ts';
import { openLog } from '../services/log/open-log.ts';
import type { RebuildDeps, RebuildEvent } from '../services/projector/rebuild/deps.ts';
import { listVersions, type VersionLine } from '../services/projector/rebuild/list.ts';
import { parseVersion, projectionOf } from '../services/projector/rebuild/plan.ts';
import { createPatientStore } from '../services/projector/rebuild/patient-store.ts';
import { rebuild, remove, rollback } from '../services/projector/rebuild/rebuild.ts';
import { viewOptions } from '../services/projector/prepare.ts';
import { createStore } from '../services/store/store.ts';
import { rebuildText } from './rebuild/text.ts';

const help = `Rebuilds a view by replaying the log, beside the one that answers. The projector must run: it builds; this command lists the next
version, watches, compares both at one position of the log and, where they agree, lets the new one answer. Nobody sees half a rebuild.

  npm run rebuild -- <view> [--accept]     builds the next version, compares, switches; differences stop the switch unless accepted
  npm run rebuild -- <view> --verify-only  compares the version being built, or else the one kept, with the one that answers
  npm run rebuild -- <view> --rollback     lets the version answer that did before; it has kept up
  npm run rebuild -- --remove <version>    drops the tables of a version that does not answer, for ever
  npm run rebuild -- --list                all versions and how far they are

A view is a projection (observations, alerts, feeds ...) or one of its tables. A version that is no longer wanted goes on being written until it is
removed. Interrupted or killed, the version goes on being built: the same command again goes on from there.

  --cells N   cells whose answers are compared besides all checksums (200)
  --json      one JSON object a line
  --help      this text

Example:
  npm run rebuild -- observations
  npm run rebuild -- --remove observations.v1

Reads the log (HAILMARK_DATA_DIR or KAFKA_BROKERS) and the store (CLICKHOUSE_URL).

Exit codes: 0 switched, or done, or the versions agree; 1 it failed; 3 differences were found and nothing was switched; 64 the command was
not understood; 130 interrupted.`;

type Command =
  | { name: 'list' }
  | { name: 'remove'; version: { name: string; version: number } }
  | { name: 'rollback'; view: string }
  | { name: 'rebuild'; view: string; verify_only: boolean; accept: boolean; sampled_cells: number };

const options = {
  accept: { type: 'boolean', default: false },
  'verify-only': { type: 'boolean', default: false },
  rollback: { type: 'boolean', default: false },
  remove: { type: 'string' },
  list: { type: 'boolean', default: false },
  cells: { type: 'string', default: '200' },
  json: { type: 'boolean', default: false },
} as const;

function commandOf({ values, positionals }: Given<typeof options>): Command {
  const [view, ...more] = positionals;
  const { accept, 'verify-only': verify_only, rollback: back, list } = values;
  const actions = [accept, verify_only, back, list, values.remove !== undefined].filter(Boolean).length;
  if (actions > 1)
    throw misread('--accept, --verify-only, --rollback, --remove and --list do not go together.');
  if (more.length > 0) throw misread('One view at a time.');
  if (view === undefined) {
    if (list) return { name: 'list' };
    const version = parseVersion(values.remove ?? '');
    if (version !== null) return { name: 'remove', version };
    throw misread(
      values.remove === undefined
        ? 'Which view? Name one, such as observations.'
        : '--remove takes a version such as observations.v1.',
    );
  }
  if (list || values.remove !== undefined) throw misread('--list and --remove take no view beside them.');
  if (back) return { name: 'rollback', view };
  const sampled_cells = wholeNumber('cells', values.cells, 0, 99_999);
  return { name: 'rebuild', view, verify_only, accept, sampled_cells };
}

async function main(command: Command, json: boolean, signal: AbortSignal): Promise<number> {
  const config = readConfig();
  const store = createStore(config, { timeout_ms: 600_000 });
  try {
    const log = await openLog(config);
    try {
      const say = (said: RebuildEvent | VersionLine): void =>
        console.log(json ? JSON.stringify(said) : rebuildText(said));
      const patient = createPatientStore(store, signal);
      const views = viewOptions(config);
      const deps = { log, store: patient, clock: systemClock, random: Math.random, say, views, signal };
      return await run(command, deps, say);
    } finally {
      await log.close();
    }
  } finally {
    await store.close();
  }
}

async function run(command: Command, deps: RebuildDeps, say: (said: VersionLine) => void): Promise<number> {
  if (command.name === 'list') {
    for (const line of await listVersions(deps)) say(line);
    return 0;
  }
  if (command.name === 'remove') {
    await remove(deps, command.version.name, command.version.version);
    return 0;
  }
  if (command.name === 'rollback') {
    await rollback(deps, projectionOf(command.view));
    return 0;
  }
  const result = await rebuild(deps, projectionOf(command.view), command);
  return result === 'differ' ? 3 : 0;
}

await runCommand({
  help,
  options,
  takes_words: true,
  // The first signal lets go of what is held; a second one ends at once, and the projector finds out by itself.
  lets_go: true,
  if_interrupted:
    'Interrupted. What was begun goes on being built; the same command again goes on from there.',
  run: (given) => main(commandOf(given), given.values.json, given.signal),
});
