import { spawn, type ChildProcess } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { createCleanup } from '../../support/cleanup.ts';
import { temporaryFolder } from '../../support/local-services.ts';
import { within } from '../../support/within.ts';

const main = join(resolve(import.meta.dirname, '../../..'), 'services/api/main.ts');
// Nothing listens on the discard port: store and registry are away.
const nowhere = 'http://127.0.0.1:9';
export const held_at = '2026-11-21T10:15:30.123Z';

export interface ApiProcess {
  child: ChildProcess;
  data_dir: string;
  /** Every line it has logged. */
  stdout: () => string;
  stderr: () => string;
  exited: Promise<number | null>;
  /** Resolves with the port once the process listens; rejects when it ends before. */
  port: Promise<number>;
  /** The same of its operations pages, which come before anything else. */
  ops_url: Promise<string>;
}

/** The API as a process of its own, in a folder of its own unless `env` names one. It is killed and its folder removed by `made`. */
export function startApiProcess(
  made: ReturnType<typeof createCleanup>,
  env: Record<string, string>,
): ApiProcess {
  const data_dir = env['HAILMARK_DATA_DIR'] ?? temporaryFolder();
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main], {
    env: {
      ...process.env,
      HAILMARK_DATA_DIR: data_dir,
      CLICKHOUSE_URL: nowhere,
      SCHEMA_REGISTRY_URL: nowhere,
      API_PORT: '0',
      API_OPS_PORT: '0',
      HAILMARK_HOLD_CLOCK_AT: held_at,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [output, errors] = ['', ''];
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const exited = new Promise<number | null>((done) => child.once('close', (code) => done(code)));
  const ops = Promise.withResolvers<string>();
  const listening = new Promise<number>((done, fail) => {
    createInterface({ input: child.stdout }).on('line', (text) => {
      output += `${text}\n`;
      const line = JSON.parse(text) as { msg: string; port: number; ops_port?: number };
      if (line.ops_port !== undefined) ops.resolve(`http://127.0.0.1:${line.ops_port}`);
      if (line.msg === 'ready') done(line.port);
    });
    void exited.then(() => {
      const error = new Error('the process ended before it listened');
      fail(error);
      ops.reject(error);
    });
  });
  const said = (): string => `${output.trim().split('\n').at(-1) ?? ''} ${errors}`;
  const port = within('the API process listens', listening, said);
  const ops_url = within('the API process says where its pages are', ops.promise, said);
  port.catch(() => undefined);
  ops_url.catch(() => undefined);
  made.keep({
    stop: async () => {
      child.kill('SIGKILL');
      await exited;
      rmSync(data_dir, { recursive: true, force: true });
    },
  });
  return { child, data_dir, stdout: () => output, stderr: () => errors, exited, port, ops_url };
}
