import { parseArgs } from 'node:util';
import { resolve } from 'node:path';
import { readConfig } from '../services/runtime/config.ts';
import { isHailmarkError } from '../services/runtime/errors.ts';
import { demoKey } from './start/demo-key.ts';
import { untilQueryable } from './start/loading.ts';
import { sandboxQuestions } from './start/questions.ts';
import { startService, type Service } from './start/service.ts';

const help = `Starts the whole service on this machine.

  npm start                on the sandbox: recorded files of the real publishers, nothing to configure
  npm start -- --live      on the live publishers and the Census Bureau's geocoder

Data lives in HAILMARK_DATA_DIR (default .hailmark); a second start goes on where the first stopped. Ports: API_PORT 8080,
REGISTRY_PORT 8081, CLICKHOUSE_PORT 8123, SANDBOX_PORT 8088. Ctrl-C stops everything.`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { live: { type: 'boolean', default: false }, help: { type: 'boolean' } },
  });
  if (values.help === true) {
    console.log(help);
    return;
  }
  const config = readConfig();
  const began = Date.now();
  const say = (text: string): void =>
    console.log(`${((Date.now() - began) / 1_000).toFixed(1).padStart(6)} s  ${text}`);
  say(
    `Hailmark ${values.live ? 'on the live publishers' : 'on the sandbox'}, data in ${config.HAILMARK_DATA_DIR}`,
  );

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
    data_dir: config.HAILMARK_DATA_DIR,
    ports: {
      api: config.API_PORT,
      registry: config.REGISTRY_PORT,
      clickhouse: config.CLICKHOUSE_PORT,
      sandbox: config.SANDBOX_PORT,
    },
    live: values.live,
    env: process.env,
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
  for (const line of sandboxQuestions(service.api_url, key)) console.log(line);
}

main().catch((error: unknown) => {
  console.error(isHailmarkError(error) && error.kind !== 'bug' ? error.message : error);
  process.exit(1);
});
