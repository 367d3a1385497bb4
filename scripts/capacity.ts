import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { readConfig } from '../services/runtime/config.ts';
import { isHailmarkError } from '../services/runtime/errors.ts';
import { measureService } from './capacity/measure.ts';
import { pageText, project } from './capacity/page.ts';
import { yearlyCounts } from './capacity/yearly.ts';
import { demoKey } from './start/demo-key.ts';
import { untilQueryable } from './start/loading.ts';
import { startService } from './start/service.ts';

const help = `Measures how many bytes a record takes, in the log, in the store and on the disk, and what a year of the whole country comes to.

  npm run capacity                loads all recordings and 200,000 made-up radar signatures (NOT REAL), prints two tables
  npm run capacity -- --json      as one JSON object
  npm run capacity -- --write     puts the tables into infra/capacity.md, in place of those that are there

Data lie in a folder of their own that is removed afterwards. Ports are those of npm start; a running service must be stopped first.

Exit codes: 0 done, 1 it failed, 2 the command was not understood.`;

const radar_facts = 200_000;
const page = resolve(import.meta.dirname, '../infra/capacity.md');
const between = /(<!-- npm run capacity -->\n)[^]*(<!-- end -->)/;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { help: { type: 'boolean', short: 'h' }, json: { type: 'boolean' }, write: { type: 'boolean' } },
  });
  if (values.help === true) {
    console.log(help);
    return;
  }
  const data_dir = mkdtempSync(join(tmpdir(), 'hailmark-capacity-'));
  const config = readConfig({ ...process.env, HAILMARK_DATA_DIR: data_dir });
  const service = await startService({
    project: resolve(import.meta.dirname, '..'),
    data_dir,
    ports: {
      api: config.API_PORT,
      registry: config.REGISTRY_PORT,
      clickhouse: config.CLICKHOUSE_PORT,
      sandbox: config.SANDBOX_PORT,
    },
    live: false,
    env: process.env,
    onProgress: () => undefined,
  });
  try {
    await demoKey(service);
    await untilQueryable(service, () => undefined);
    const measured = await measureService(service, radar_facts);
    const projection = project(measured, yearlyCounts(), new Date().getUTCFullYear() + 1);
    const text = pageText(measured, projection);
    if (values.write === true) {
      writeFileSync(page, readFileSync(page, 'utf8').replace(between, `$1\n${text}\n\n$2`));
      console.log(`the tables of ${page} are those of now`);
    } else console.log(values.json === true ? JSON.stringify({ measured, projection }) : text);
  } finally {
    await service.stop();
    rmSync(data_dir, { recursive: true, force: true });
  }
}

main().catch((error: unknown) => {
  const is_for_people =
    isHailmarkError(error) ||
    (error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'));
  console.error(is_for_people ? error.message : error);
  process.exitCode = isHailmarkError(error) || !is_for_people ? 1 : 2;
});
