import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { runCommand } from '../services/runtime/command.ts';
import { readConfig } from '../services/runtime/config.ts';
import { measureService } from './capacity/measure.ts';
import { pageText, project } from './capacity/page.ts';
import { yearlyCounts } from './capacity/yearly.ts';
import { demoKey } from './start/demo-key.ts';
import { untilQueryable } from './start/loading.ts';
import { configuredPorts, startService } from './start/service.ts';

const help = `Measures how many bytes a record takes, in the log, in the store and on the disk, and what a year of the whole country comes to.

  npm run capacity                loads all recordings and 200,000 made-up radar signatures (NOT REAL), prints two tables
  npm run capacity -- --json      as one JSON object
  npm run capacity -- --write     puts the tables into infra/capacity.md, in place of those that are there

Data lie in a folder of their own that is removed afterwards. Ports are those of npm start; a running service must be stopped first. Progress goes
to standard error. Interrupted, it stops what it started at its next step; the page is replaced as a whole at the end.

Example:
  npm run capacity -- --json

Exit codes: 0 done, 1 it failed, 64 the command was not understood, 130 interrupted.`;

const radar_facts = 200_000;
const page = resolve(import.meta.dirname, '../infra/capacity.md');
const between = /(<!-- npm run capacity -->\n)[^]*(<!-- end -->)/;

async function main(values: { json: boolean; write: boolean }, signal: AbortSignal): Promise<number> {
  const tell = (text: string): void => {
    signal.throwIfAborted();
    console.error(text);
  };
  const data_dir = mkdtempSync(join(tmpdir(), 'hailmark-capacity-'));
  const config = readConfig({ ...process.env, HAILMARK_DATA_DIR: data_dir });
  const service = await startService({
    project: resolve(import.meta.dirname, '..'),
    data_dir,
    ports: configuredPorts(config),
    live: false,
    env: process.env,
    onProgress: (text) => console.error(text),
  });
  try {
    await demoKey(service);
    await untilQueryable(service, tell);
    tell(`projecting ${radar_facts} made-up radar signatures (NOT REAL)`);
    const measured = await measureService(service, radar_facts);
    const projection = project(measured, yearlyCounts(), new Date().getUTCFullYear() + 1);
    const text = pageText(measured, projection);
    signal.throwIfAborted();
    if (values.write) {
      writeFileSync(`${page}.part`, readFileSync(page, 'utf8').replace(between, `$1\n${text}\n\n$2`));
      renameSync(`${page}.part`, page);
      console.log(`the tables of ${page} are those of now`);
    } else console.log(values.json ? JSON.stringify({ measured, projection }) : text);
    return 0;
  } finally {
    await service.stop();
    rmSync(data_dir, { recursive: true, force: true });
  }
}

await runCommand({
  help,
  options: { json: { type: 'boolean', default: false }, write: { type: 'boolean', default: false } },
  lets_go: true,
  if_interrupted: 'Interrupted. Nothing was written; what was started is stopped.',
  run: ({ values, signal }) => main(values, signal),
});
