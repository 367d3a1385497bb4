import { resolve } from 'node:path';
import { formatSecond } from '../services/hail/time.ts';
import { checkSettings, printSettings } from '../services/runtime/check-config.ts';
import { exit_codes, misread, runCommand } from '../services/runtime/command.ts';
import { readConfig } from '../services/runtime/config.ts';
import { isHailmarkError } from '../services/runtime/errors.ts';
import { requireFreePorts } from '../services/runtime/free-ports.ts';
import { folderAt, offsetAt, parseAt, requireOrdinaryClock } from './start/at.ts';
import { demoKey } from './start/demo-key.ts';
import { untilQueryable } from './start/loading.ts';
import { sandboxQuestions } from './start/questions.ts';
import { configuredPorts, startService, type Service } from './start/service.ts';
import { everyRoom } from './start/settings.ts';

const help = `Starts the whole service on this machine.

  npm start                on the sandbox: recorded files of the real publishers, nothing to configure
  npm start -- --live      on the live publishers and the Census Bureau's geocoder
  npm start -- --at 2026-08-29T03:00:00Z
                           on the sandbox, with the clock set to that instant and running: data in a folder of its own
                           (.hailmark-at-20260829T030000Z unless HAILMARK_DATA_DIR is set); a second start goes on where the clock stopped

Data lives in HAILMARK_DATA_DIR (default .hailmark); a second start goes on where the first stopped. Ports: API_PORT 8080,
REGISTRY_PORT 8081, CLICKHOUSE_PORT 8123, SANDBOX_PORT 8088; of each process's pages for operators (/healthz, /readyz, /metrics):
API_OPS_PORT 9464, FEEDS_OPS_PORT 9465, PROJECTOR_OPS_PORT 9466, LOCAL_OPS_PORT 9467. Ctrl-C stops everything in order;
a second one does not wait for it. Whenever it is stopped or killed, the next start goes on from there.

  npm start -- --check-config [--json]
                           says everything that is wrong with the settings of every process, or shows them as they are in effect with secrets
                           masked, and ends; opens no connection and writes nothing

Example:
  HAILMARK_DATA_DIR=/var/lib/hailmark API_PORT=9090 npm start -- --live

Exit codes: 0 stopped by Ctrl-C, 1 it could not start or a process failed, 64 the command was not understood, 78 --check-config found
settings that cannot be used, 130 stopped by a second Ctrl-C.`;

async function main(
  values: { live: boolean; at?: string | undefined },
  signal: AbortSignal,
): Promise<number> {
  const at = instantOf(values);
  const config = readConfig();
  const began = Date.now();
  const say = (text: string): void =>
    console.log(`${((Date.now() - began) / 1_000).toFixed(1).padStart(6)} s  ${text}`);
  const is_folder_set = (process.env['HAILMARK_DATA_DIR'] ?? '') !== '';
  const data_dir = at === null || is_folder_set ? config.HAILMARK_DATA_DIR : folderAt(at);
  say(`Hailmark ${values.live ? 'on the live publishers' : 'on the sandbox'}, data in ${data_dir}`);
  for (const warning of checkSettings(process.env, everyRoom).warnings) say(warning);
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

  const ending = Promise.withResolvers<number>();
  const running: { service?: Service } = {};
  let is_stopping = false;
  const stop = (exit_code: number): void => {
    if (is_stopping) return;
    is_stopping = true;
    say('stopping');
    void (running.service?.stop() ?? Promise.resolve()).then(() => ending.resolve(exit_code));
  };
  // At once, whatever is being waited for: a start that is still under way is not waited for either.
  void ending.promise.then((exit_code) => process.exit(exit_code));
  if (signal.aborted) stop(exit_codes.done);
  signal.addEventListener('abort', () => stop(exit_codes.done), { once: true });

  const start = async (): Promise<void> => {
    const service = await startService({
      project: resolve(import.meta.dirname, '..'),
      data_dir,
      ports: {
        ...configuredPorts(config),
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
      stop(exit_codes.failed);
    });
    const key = await demoKey(service);
    if (values.live) {
      say(
        'the feeds are reading the live publishers; answers grow as they go, /v1/meta/health tells how far',
      );
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
  };
  // What fails because everything is being stopped is no failure.
  await start().catch((error: unknown) => {
    if (!is_stopping) throw error;
  });
  return ending.promise;
}

/** The instant that the clock is to show, or null for the real one. */
function instantOf({ live, at }: { live: boolean; at?: string | undefined }): number | null {
  if (at === undefined) return null;
  const instant = parseAt(at);
  if (instant === null) throw misread('--at must be an instant such as 2026-08-29T03:00:00Z.');
  if (live)
    throw misread(
      '--at is for the sandbox: what a live publisher says is of today, whatever the clock shows.',
    );
  return instant;
}

await runCommand({
  help,
  options: {
    live: { type: 'boolean', default: false },
    at: { type: 'string' },
    'check-config': { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
  lets_go: true,
  if_interrupted: 'Stopped without waiting; the next start goes on from there.',
  run: ({ values, signal }) =>
    values['check-config']
      ? printSettings(checkSettings(process.env, everyRoom), values.json)
      : main(values, signal),
});
// Whatever was started ends with this process, also after a failure in the middle.
process.exit();
