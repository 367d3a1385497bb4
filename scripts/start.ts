import { parseArgs } from 'node:util';
import { resolve } from 'node:path';
import { formatSecond } from '../services/hail/time.ts';
import { readConfig } from '../services/runtime/config.ts';
import { isHailmarkError } from '../services/runtime/errors.ts';
import { requireFreePorts } from '../services/runtime/free-ports.ts';
import { folderAt, offsetAt, parseAt, requireOrdinaryClock } from './start/at.ts';
import { demoKey } from './start/demo-key.ts';
import { untilQueryable } from './start/loading.ts';
import { sandboxQuestions } from './start/questions.ts';
import { startService, type Service } from './start/service.ts';

const help = `Starts the whole service on this machine.

  npm start                on the sandbox: recorded files of the real publishers, nothing to configure
  npm start -- --live      on the live publishers and the Census Bureau's geocoder
  npm start -- --at 2026-08-29T03:00:00Z
                           on the sandbox, with the clock set to that instant and running: data in a folder of its own
                           (.hailmark-at-20260829T030000Z unless HAILMARK_DATA_DIR is set); a second start goes on where the clock stopped

Data lives in HAILMARK_DATA_DIR (default .hailmark); a second start goes on where the first stopped. Ports: API_PORT 8080,
REGISTRY_PORT 8081, CLICKHOUSE_PORT 8123, SANDBOX_PORT 8088; of each process's pages for operators (/healthz, /readyz, /metrics):
API_OPS_PORT 9464, FEEDS_OPS_PORT 9465, PROJECTOR_OPS_PORT 9466, LOCAL_OPS_PORT 9467. Ctrl-C stops everything.`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      live: { type: 'boolean', default: false },
      at: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  if (values.help === true) {
    console.log(help);
    return;
  }
  const config = readConfig();
  const at = values.at === undefined ? null : parseAt(values.at);
  const problem = problemOf(values, at);
  if (problem !== null) {
    console.error(problem);
    process.exitCode = 2;
    return;
  }
  const began = Date.now();
  const say = (text: string): void =>
    console.log(`${((Date.now() - began) / 1_000).toFixed(1).padStart(6)} s  ${text}`);
  const is_folder_set = (process.env['HAILMARK_DATA_DIR'] ?? '') !== '';
  const data_dir = at === null || is_folder_set ? config.HAILMARK_DATA_DIR : folderAt(at);
  say(`Hailmark ${values.live ? 'on the live publishers' : 'on the sandbox'}, data in ${data_dir}`);
  let offset_ms = config.HAILMARK_CLOCK_OFFSET_MS;
  if (at === null) {
    requireOrdinaryClock(data_dir);
  } else {
    // Two starts of one folder: the second one must not move the clock that the first one runs by.
    await requireFreePorts([{ setting: 'API_PORT', port: config.API_PORT }]);
    offset_ms = offsetAt(data_dir, at, Date.now());
    say(`the clock shows ${formatSecond(Date.now() + offset_ms)}; other commands of this folder need`);
    say(`HAILMARK_DATA_DIR=${data_dir} HAILMARK_CLOCK_OFFSET_MS=${offset_ms}`);
  }

  let stopping: Promise<void> | undefined;
  const running: { service?: Service } = {};
  const stop = (exit_code: number): void => {
    if (stopping !== undefined) process.exit(130);
    say('stopping');
    stopping = (running.service?.stop() ?? Promise.resolve()).then(() => process.exit(exit_code));
  };
  process.on('SIGINT', () => stop(0));
  process.on('SIGTERM', () => stop(0));

  const service = await startService({
    project: resolve(import.meta.dirname, '..'),
    data_dir,
    ports: {
      api: config.API_PORT,
      registry: config.REGISTRY_PORT,
      clickhouse: config.CLICKHOUSE_PORT,
      sandbox: config.SANDBOX_PORT,
      ops: {
        api: config.API_OPS_PORT,
        feeds: config.FEEDS_OPS_PORT,
        projector: config.PROJECTOR_OPS_PORT,
        local: config.LOCAL_OPS_PORT,
      },
    },
    live: values.live,
    env: { ...process.env, HAILMARK_CLOCK_OFFSET_MS: String(offset_ms) },
    onProgress: say,
  });
  running.service = service;
  service.failure.catch((error: unknown) => {
    console.error(isHailmarkError(error) ? error.message : error);
    stop(1);
  });
  const key = await demoKey(service);
  if (values.live) {
    say('the feeds are reading the live publishers; answers grow as they go, /v1/meta/health tells how far');
  } else {
    await untilQueryable(service, say);
  }
  console.log(`\nAPI  ${service.api_url}\nkey  ${key}   (demo key of this data folder)\n`);
  for (const name of ['api', 'feeds', 'projector', 'local'] as const) {
    const url = service.ops_url(name);
    if (url !== undefined) console.log(`metrics  ${url}/metrics   (${name}; also /healthz and /readyz)`);
  }
  console.log('');
  for (const line of sandboxQuestions(service.api_url, key)) console.log(line);
}

/** What is wrong with the command, in words; null where nothing is. */
function problemOf(values: { live: boolean; at?: string | undefined }, at: number | null): string | null {
  if (values.at === undefined) return null;
  if (at === null) return '--at must be an instant such as 2026-08-29T03:00:00Z.';
  if (values.live)
    return '--at is for the sandbox: what a live publisher says is of today, whatever the clock shows.';
  return null;
}

main().catch((error: unknown) => {
  console.error(isHailmarkError(error) && error.kind !== 'bug' ? error.message : error);
  process.exit(1);
});
