import assert from 'node:assert/strict';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import manifest from '../../package.json' with { type: 'json' };
import { createCleanup } from '../support/cleanup.ts';
import { freePorts } from '../support/free-ports.ts';
import { imageEnvironment, layFiles, readDockerfile } from '../support/image.ts';
import { startLocalServices, temporaryFolder } from '../support/local-services.ts';
import { startTestSandbox } from '../support/sandbox.ts';

/** A user of no rights where this runs as root; otherwise whoever runs it. */
const nobody = 65_534;
const is_root = process.getuid?.() === 0;
const start_ms = 240_000;

/**
 * The steps of infra/Dockerfile, replayed without a container engine: its files in a folder, its production install there, its processes
 * by its entrypoint, as a user who may write its volume alone, with its environment and nothing of the checkout. Not replayed: the base
 * image (the Node of package.json stands in), the container's own network and process 1.
 */
describe('the image, replayed without an engine', { timeout: 900_000 }, () => {
  const made = createCleanup();
  const stages = readDockerfile();
  let app = '';
  let environment: Record<string, string> = {};
  let files: string[] = [];

  const run = (words: readonly string[], more: Record<string, string> = {}): ChildProcess =>
    spawn('sh', ['infra/entrypoint.sh', ...words], {
      cwd: app,
      env: { ...environment, ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(is_root ? { uid: nobody, gid: nobody } : {}),
    });
  const outcome = async (child: ChildProcess): Promise<{ code: number | null; out: string; err: string }> => {
    let [out, err] = ['', ''];
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (out += text));
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (err += text));
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, out, err };
  };
  /** The image's own HEALTHCHECK, told which process to ask after because here none is process 1. */
  const isHealthy = async (pid: number | undefined): Promise<boolean> => {
    const asking = spawn('node', ['infra/healthcheck.ts'], {
      cwd: app,
      env: { ...environment, HAILMARK_HEALTHCHECK_PID: String(pid) },
      stdio: 'ignore',
    });
    const [code] = (await once(asking, 'close')) as [number | null];
    return code === 0;
  };

  before(async () => {
    const root = temporaryFolder('hailmark-image-');
    made.keep({
      stop: () => {
        spawnSync('chmod', ['-R', 'u+w', root]);
        rmSync(root, { recursive: true, force: true });
      },
    });
    chmodSync(root, 0o755);
    app = join(root, 'app');
    const data = join(root, 'data');
    const bin = join(root, 'bin');
    for (const folder of [app, data, bin]) mkdirSync(folder);
    cpSync(process.execPath, join(bin, 'node'));

    const [dependencies] = stages;
    layFiles(dependencies, app);
    const install = dependencies?.instructions.find(({ word }) => word === 'RUN')?.rest ?? '';
    const installed = spawnSync('sh', ['-c', `${install} --prefer-offline`], {
      ...{ cwd: app, encoding: 'utf8' as const },
      // A registry that does not answer would hold this process up for good: nothing else runs meanwhile.
      timeout: 400_000,
    });
    assert.equal(installed.status, 0, installed.stderr);
    layFiles(stages.at(-1), app);
    spawnSync('chmod', ['-R', 'a-w,a+rX', app]);
    if (is_root) chownSync(data, nobody, nobody);

    const local = made.keep(await startLocalServices());
    const sandbox = made.keep(await startTestSandbox('2026-08-29T03:00:00Z'));
    const [api = 0, api_ops = 0, feeds_ops = 0, projector_ops = 0] = await freePorts(4);
    const publishers = ['NOAA_SED', 'SWDI', 'MRMS', 'SPC', 'COCORAHS', 'NWS', 'GEOCODER'];
    environment = {
      ...imageEnvironment(stages),
      PATH: `${bin}:/usr/bin:/bin`,
      HAILMARK_DATA_DIR: data,
      API_HOST: '127.0.0.1',
      OPS_HOST: '127.0.0.1',
      API_PORT: String(api),
      API_OPS_PORT: String(api_ops),
      FEEDS_OPS_PORT: String(feeds_ops),
      PROJECTOR_OPS_PORT: String(projector_ops),
      CLICKHOUSE_URL: local.clickhouse_url,
      SCHEMA_REGISTRY_URL: local.registry_url,
      MRMS_REREAD_HOURS: '1',
      ...Object.fromEntries(publishers.map((name) => [`${name}_URL`, sandbox.url])),
    };
    files = readdirSync(app, { recursive: true, encoding: 'utf8' }).sort();
  });
  after(() => made.stop());

  it('holds the packages of production alone', () => {
    const modules = join(app, 'node_modules');
    for (const name of Object.keys(manifest.dependencies)) assert.ok(existsSync(join(modules, name)), name);
    // Types come along with some of them and are no programs; what is large or runs does not.
    for (const name of Object.keys(manifest.devDependencies).filter((each) => !each.startsWith('@types/')))
      assert.ok(!existsSync(join(modules, name)), name);
    const bytes = files
      .map((path) => statSync(join(app, path)))
      .reduce((sum, each) => sum + (each.isFile() ? each.size : 0), 0);
    assert.ok(bytes < 150_000_000, `the image's own files are ${bytes} bytes`);
  });

  it('says which processes there are when asked for another', async () => {
    const { code, err } = await outcome(run(['nothing-of-the-kind']));
    assert.equal(code, 64);
    assert.match(err, /no process 'nothing-of-the-kind'.*\bapi feeds projector\b.*\bkeys\b/);
    assert.equal((await outcome(run(['../scripts/keys']))).code, 64);
  });

  it('runs every process and command as a user who may write nothing but the volume', async () => {
    const processes = ['projector', 'feeds', 'api'];
    const running = new Map<string, ChildProcess>();
    made.keep({ stop: () => running.forEach((child) => void child.kill('SIGKILL')) });
    const ends = new Map<string, ReturnType<typeof outcome>>();
    for (const name of processes) {
      const child = run([name]);
      running.set(name, child);
      ends.set(name, outcome(child));
    }
    const early = Promise.race([...ends.values()]).then(({ err }) => {
      throw new Error(`a process ended: ${err}`);
    });
    early.catch(() => undefined);
    for (const [name, { pid }] of running)
      await Promise.race([until(`${name} is healthy`, () => isHealthy(pid)), early]);

    const made_key = await outcome(run(['keys', 'create', '--partner', 'NOT REAL']));
    assert.equal(made_key.code, 0, made_key.err);
    const key = /hm_live_\S+/.exec(made_key.out)?.[0] ?? '';
    const asked = async (): Promise<number> => {
      const url = `http://127.0.0.1:${environment['API_PORT'] ?? ''}/v1/meta/health`;
      return (await fetch(url, { headers: { Authorization: `Bearer ${key}` } })).status;
    };
    await Promise.race([until('the API answers', async () => (await asked()) === 200), early]);

    if (is_root) {
      const status = readFileSync(`/proc/${running.get('api')?.pid ?? 0}/status`, 'utf8');
      assert.equal(Number(/^Uid:\s+(\d+)/m.exec(status)?.[1]), nobody);
    }
    for (const child of running.values()) child.kill('SIGTERM');
    for (const [name, ended] of ends) {
      const { code, err } = await ended;
      assert.equal(code, 0, `${name}: ${err}`);
    }
    assert.deepEqual(readdirSync(app, { recursive: true, encoding: 'utf8' }).sort(), files);
    assert.ok(readdirSync(environment['HAILMARK_DATA_DIR'] ?? '').length > 0);
  });
});

/** Until a condition holds; gives up after a span that only a failure takes. */
async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + start_ms;
  while (!(await Promise.resolve(holds()))) {
    if (Date.now() > deadline) throw new Error(`not within ${start_ms / 1_000} s: ${what}`);
    await new Promise((done) => setTimeout(done, 100));
  }
}
