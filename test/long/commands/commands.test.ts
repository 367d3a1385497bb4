import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createCleanup } from '../../support/cleanup.ts';
import { freePorts } from '../../support/free-ports.ts';
import { startLocalServices } from '../../support/local-services.ts';
import { temporaryDataFolder } from '../../support/scripts.ts';
import { readConfig } from '../../../services/runtime/config.ts';
import { openLog } from '../../../services/log/open-log.ts';

const project = resolve(import.meta.dirname, '../../..');
const cleanup = createCleanup();
let environment: Record<string, string> = {};

/** Every npm script that runs a file of this project: they are what an operator types. */
const commands = Object.entries(
  (JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as { scripts: Record<string, string> })
    .scripts,
).flatMap(([name, line]) => {
  const [, file, rest = ''] = /^node --import \.\/scripts\/require-node\.mjs (\S+\.ts)(.*)$/.exec(line) ?? [];
  return file === undefined ? [] : [{ name, file, words: rest.split(' ').filter((word) => word !== '') }];
});

/**
 * What prints JSON here in a moment, with the exit code it has on an empty log. A command whose help promises `--json` and that stands in
 * neither list fails: whoever adds one says where the promise is kept.
 */
const prints_json: Readonly<Record<string, { words: string[]; exit_code: number }>> = {
  topics: { words: ['--check', '--json'], exit_code: 0 },
  log: { words: ['positions', '--json'], exit_code: 0 },
  keys: { words: ['create', '--partner', 'Test NOT REAL', '--json'], exit_code: 0 },
  'dead-letters': { words: ['list', '--json'], exit_code: 1 },
  'accept-withdrawal': { words: ['--json'], exit_code: 0 },
  schemas: { words: ['check', '--json'], exit_code: 0 },
  'check:schemas': { words: ['--json'], exit_code: 0 },
  'bench:grouping': { words: ['--observations', '200', '--runs', '1', '--json'], exit_code: 0 },
  fuzz: { words: ['--runs', '5', '--target', 'sed', '--json'], exit_code: 0 },
  simulate: { words: ['--seeds', '2', '--json'], exit_code: 0 },
};
const proven_elsewhere: Readonly<Record<string, string>> = {
  start: 'test/long/commands/check-config.test.ts',
  rebuild: 'test/e2e/rebuild.test.ts',
  backfill: 'test/long/backfill.test.ts',
  calibrate: 'test/long/commands/calibrate.test.ts',
  backup: 'test/long/backup.test.ts',
  capacity: 'takes minutes; its tables stand in infra/capacity.md',
  bench: 'takes minutes; CI prints it',
  'bench:granules': 'its limits hold on a quiet machine only',
  'score-table': 'asks a running service',
  kills: 'test/kills/kills.test.ts judges the same report',
  doctor: 'test/long/doctor/healthy.test.ts',
};

interface Ended {
  exit_code: number | null;
  stdout: string;
  stderr: string;
}

function run(file: string, words: readonly string[]): Promise<Ended> {
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', '--import', './scripts/require-node.mjs', file, ...words],
    { cwd: project, env: { ...process.env, ...environment }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  return new Promise((done) => child.once('close', (exit_code) => done({ exit_code, stdout, stderr })));
}

before(async () => {
  const data = temporaryDataFolder();
  cleanup.keep(data);
  const local = cleanup.keep(await startLocalServices());
  const [api = 0] = await freePorts(1);
  environment = {
    HAILMARK_DATA_DIR: data.folder,
    CLICKHOUSE_URL: local.clickhouse_url,
    SCHEMA_REGISTRY_URL: local.registry_url,
    API_PORT: String(api),
  };
  await (await openLog(readConfig(environment))).close();
});
after(() => cleanup.stop());

describe('every command of package.json', { timeout: 500_000 }, () => {
  it('is found here', () => {
    const names = commands.map(({ name }) => name);
    for (const name of ['start', 'kafka', 'keys', 'doctor', 'fuzz', 'simulate', 'kills'])
      assert.ok(names.includes(name), `${name} is not among ${names.join(', ')}`);
  });

  for (const { name, file, words } of commands) {
    it(`${name} explains itself, with an example and its exit codes`, async () => {
      const { exit_code, stdout, stderr } = await run(file, [...words, '--help']);
      assert.deepEqual([exit_code, stderr], [0, '']);
      assert.match(stdout, /^Example:\n {2}\S/m);
      assert.match(stdout, /Exit codes: 0 /);
      assert.match(stdout, /\b64\b/);
      assert.match(stdout, /interrupted|Ctrl-C/i, 'it does not say what an interruption leaves');
    });

    it(`${name} refuses an option that it does not have, in a sentence, with 64`, async () => {
      const { exit_code, stdout, stderr } = await run(file, [...words, '--no-such-option']);
      assert.deepEqual([exit_code, stdout], [64, '']);
      assert.match(stderr, /no-such-option/);
      assert.match(stderr, /--help says more\.\n$/);
      assert.doesNotMatch(stderr, /^\s+at /m, 'a stack is for bugs');
    });
  }

  for (const { name, file, words } of commands) {
    it(`${name} prints JSON and nothing else where it promises to`, async (context) => {
      const promised = (await run(file, [...words, '--help'])).stdout.includes('--json');
      const tried = prints_json[name];
      if (tried === undefined) {
        const elsewhere = proven_elsewhere[name];
        assert.ok(!promised || elsewhere !== undefined, `nothing proves the --json of ${name}`);
        context.diagnostic(promised ? `proven elsewhere: ${elsewhere ?? ''}` : 'promises no JSON');
        return;
      }
      assert.ok(promised, `the help of ${name} does not name --json`);
      const { exit_code, stdout, stderr } = await run(file, [...words, ...tried.words]);
      assert.equal(exit_code, tried.exit_code, stderr);
      for (const line of stdout.split('\n').filter((text) => text !== ''))
        assert.doesNotThrow(() => JSON.parse(line) as unknown, line);
    });
  }
});

describe('a command that is interrupted', { timeout: 300_000 }, () => {
  it('says what it leaves, with 130', async () => {
    const child = spawn(
      process.execPath,
      [
        '--disable-warning=ExperimentalWarning',
        join(project, 'test/simulation/main.ts'),
        '--seeds',
        '1000000',
      ],
      { cwd: project, env: process.env, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    let stderr = '';
    const ended = new Promise<number | null>((done) => child.once('close', (code) => done(code)));
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
      // Its first news: it is in the middle of its work.
      if (/seeds, \d+ a second/.test(text)) child.kill('SIGINT');
    });
    assert.equal(await ended, 130);
    assert.match(stderr, /Interrupted\. .*nothing was written\.\n$/);
  });
});
