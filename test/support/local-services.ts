import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

export interface LocalServices {
  clickhouse_url: string;
  registry_url: string;
  /** Of the operations pages. */
  ops_url: string;
  data_dir: string;
  pid: number | undefined;
  kill9: () => Promise<void>;
  /** Ends the process; removes the data folder unless it was given. */
  stop: () => Promise<void>;
}

interface ReadyLine {
  registry_port: number;
  clickhouse_port: number;
  ops_port: number;
}

const project = resolve(import.meta.dirname, '../..');

export function temporaryFolder(name = 'hailmark-'): string {
  return mkdtempSync(join(tmpdir(), name));
}

/** The real engine and registry in a process of their own, on free ports (or the given ones, for starting again in the same place). */
export async function startLocalServices(
  options: { data_dir?: string; clickhouse_port?: number; registry_port?: number; ops_port?: number } = {},
): Promise<LocalServices> {
  const data_dir = options.data_dir ?? temporaryFolder();
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', join(project, 'infra/local/main.ts')],
    {
      env: {
        ...process.env,
        HAILMARK_DATA_DIR: data_dir,
        CLICKHOUSE_PORT: String(options.clickhouse_port ?? 0),
        REGISTRY_PORT: String(options.registry_port ?? 0),
        LOCAL_OPS_PORT: String(options.ops_port ?? 0),
        HAILMARK_STOP_WITH_PARENT: '1',
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  const exited = new Promise<void>((done) => child.once('exit', () => done()));
  const ready = await new Promise<ReadyLine>((done, fail) => {
    void exited.then(() => fail(new Error('the local services ended before they were ready')));
    createInterface({ input: child.stdout }).on('line', (text) => {
      const line = JSON.parse(text) as { msg?: string } & ReadyLine;
      if (line.msg === 'ready') done(line);
    });
  });
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal);
    await exited;
  };
  return {
    clickhouse_url: `http://127.0.0.1:${ready.clickhouse_port}`,
    registry_url: `http://127.0.0.1:${ready.registry_port}`,
    ops_url: `http://127.0.0.1:${ready.ops_port}`,
    data_dir,
    pid: child.pid,
    kill9: () => end('SIGKILL'),
    stop: async () => {
      await end('SIGTERM');
      if (options.data_dir === undefined) rmSync(data_dir, { recursive: true, force: true });
    },
  };
}
