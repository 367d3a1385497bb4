import assert from 'node:assert/strict';
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { requireFreePorts } from '../../services/runtime/free-ports.ts';
import { pause } from '../../services/runtime/clock.ts';
import { any_ops_ports } from '../support/free-ports.ts';
import { temporaryFolder } from '../support/local-services.ts';
import { servicePorts, type Ports } from '../support/service.ts';

const project = resolve(import.meta.dirname, '../..');
const run = promisify(execFile);

describe('npm start', () => {
  let data_dir: string;
  let ports: Ports;
  // In groups of their own: a test that is given up must not leave them on this machine.
  const running: ChildProcess[] = [];

  before(async () => {
    data_dir = temporaryFolder();
    ports = await servicePorts();
  });
  after(() => {
    for (const { pid } of running) {
      try {
        if (pid !== undefined) process.kill(-pid, 'SIGKILL');
      } catch {
        // It has ended, as it should.
      }
    }
    rmSync(data_dir, { recursive: true, force: true });
  });

  it(
    'prints lines that answer with cited hail, stops on Ctrl-C, and goes on where it stopped',
    { timeout: 270_000 },
    async (t) => {
      const began = performance.now();
      const first = await started(data_dir, ports, running);
      t.diagnostic(`its lines after ${seconds(began)} s`);
      assert.equal(first.curls.length, 5);
      for (const line of first.curls) {
        const { stdout } = await run('bash', ['-c', line]);
        const { data } = JSON.parse(stdout) as { data: { events: Events | { items: Events } } };
        const events = Array.isArray(data.events) ? data.events : data.events.items;
        assert.ok(events.length > 0, stdout);
        for (const { sources } of events) {
          assert.ok(sources.length > 0);
          for (const { url } of sources)
            assert.match(url, /^https:\/\/(www\.ncei\.noaa\.gov|noaa-mrms-pds\.s3\.amazonaws\.com)\//);
        }
      }
      assert.equal(first.metrics.length, 4);
      for (const url of first.metrics)
        assert.match(await (await fetch(url)).text(), /^hailmark_build_info\{/m);
      const stopping = performance.now();
      await interrupted(first.process, ports);
      t.diagnostic(`stopped after ${seconds(stopping)} s`);

      const again = performance.now();
      const second = await started(data_dir, ports, running);
      t.diagnostic(`second start: its lines after ${seconds(again)} s`);
      assert.deepEqual(second.curls, first.curls);
      await interrupted(second.process, ports);
    },
  );

  it('says in one sentence that a port is taken', async () => {
    const holder = createServer().listen(ports.api, '127.0.0.1');
    await once(holder, 'listening');
    const failed = await failedStart(environment(data_dir, ports));
    holder.close();
    assert.match(failed, new RegExp(`^In use already: port ${ports.api} \\(API_PORT\\)\\. .+$`));
  });

  it('says in one sentence that the data folder cannot be written', async () => {
    const file = join(data_dir, 'a-file');
    writeFileSync(file, '');
    const failed = await failedStart(environment(join(file, 'data'), await servicePorts()));
    assert.match(
      failed,
      /^The data folder .+ cannot be written \(ENOTDIR\): make it writable .+ set HAILMARK_DATA_DIR .+$/,
    );
  });

  it('says in one sentence, all problems at once, what is wrong with the configuration', async () => {
    const failed = await failedStart({
      ...environment(data_dir, ports),
      API_PORT: '99999',
      NOAA_SED_URL: 'not a url',
    });
    assert.match(failed, /^The configuration cannot be used\. .*API_PORT.*NOAA_SED_URL.*$/);
  });

  it('says in one sentence that Node is too old', async () => {
    const pretend = `Object.defineProperty(process.versions, 'node', { value: '20.20.2' }); await import('./scripts/require-node.mjs');`;
    await assert.rejects(
      run(process.execPath, ['--input-type=module', '-e', pretend], { cwd: project }),
      (error: { code: number; stderr: string }) => {
        assert.equal(error.code, 1);
        assert.match(error.stderr, /^Hailmark needs Node 22\.18 or newer and this is 20\.20\.2: .+\n$/);
        return true;
      },
    );
  });
});

type Events = { sources: { url: string }[] }[];

function environment(data_dir: string, ports: Ports): NodeJS.ProcessEnv {
  return {
    ...process.env,
    HAILMARK_DATA_DIR: data_dir,
    API_PORT: String(ports.api),
    REGISTRY_PORT: String(ports.registry),
    CLICKHOUSE_PORT: String(ports.clickhouse),
    SANDBOX_PORT: String(ports.sandbox),
    ...any_ops_ports,
  };
}

/** Runs `npm start` in a process group of its own, as a terminal does, until it has printed its lines to paste. */
async function started(
  data_dir: string,
  ports: Ports,
  running: ChildProcess[],
): Promise<{ process: ChildProcess; curls: string[]; metrics: string[] }> {
  const child = spawn('npm', ['start'], {
    cwd: project,
    env: environment(data_dir, ports),
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.push(child);
  const curls: string[] = [];
  const metrics: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith('curl ')) curls.push(line);
    const [, url] = /^metrics +(\S+)/.exec(line) ?? [];
    if (url !== undefined) metrics.push(url);
    if (curls.length === 5) return { process: child, curls, metrics };
  }
  throw new Error('npm start ended before it printed its lines');
}

/** Ctrl-C: an interrupt to the whole group. Resolves when nothing holds the ports any more; npm itself ends before its child does. */
async function interrupted(child: ChildProcess, ports: Ports): Promise<void> {
  const exited = once(child, 'exit');
  if (child.pid !== undefined) process.kill(-child.pid, 'SIGINT');
  await exited;
  const held = Object.entries<number>({ ...ports }).map(([setting, port]) => ({ setting, port }));
  for (;;) {
    const free = await requireFreePorts(held).then(
      () => true,
      () => false,
    );
    if (free) return;
    await pause(50);
  }
}

/** What a start that must fail says on standard error, which is all it says there. */
async function failedStart(env: NodeJS.ProcessEnv): Promise<string> {
  const child = spawn('npm', ['start', '--silent'], {
    cwd: project,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const chunks: Buffer[] = [];
  child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
  const [code] = (await once(child, 'close')) as unknown[];
  assert.notEqual(code, 0);
  return Buffer.concat(chunks).toString('utf8').trimEnd();
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1_000).toFixed(1);
}
