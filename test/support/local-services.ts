import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { freePorts } from './free-ports.ts';
import { within } from './within.ts';

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

/**
 * The real engine and registry in a process of their own, on free ports (or the given ones, for starting again in the same place). Not on
 * ports of the system's choice: while a killed one is away, the system would give its port to somebody else.
 */
export async function startLocalServices(
  options: { data_dir?: string; clickhouse_port?: number; registry_port?: number; ops_port?: number } = {},
): Promise<LocalServices> {
  const data_dir = options.data_dir ?? temporaryFolder();
  const [clickhouse_port = 0, registry_port = 0, ops_port = 0] = await freePorts(3);
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', join(project, 'infra/local/main.ts')],
    {
      env: {
        ...process.env,
        HAILMARK_DATA_DIR: data_dir,
        CLICKHOUSE_PORT: String(options.clickhouse_port ?? clickhouse_port),
        REGISTRY_PORT: String(options.registry_port ?? registry_port),
        LOCAL_OPS_PORT: String(options.ops_port ?? ops_port),
        HAILMARK_STOP_WITH_PARENT: '1',
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  const exited = new Promise<void>((done) => child.once('exit', () => done()));
  let last_line = '';
  const saying = new Promise<ReadyLine>((done, fail) => {
    void exited.then(() => fail(new Error(`the local services ended before they were ready: ${last_line}`)));
    createInterface({ input: child.stdout }).on('line', (text) => {
      last_line = text;
      const line = JSON.parse(text) as { msg?: string } & ReadyLine;
      if (line.msg === 'ready') done(line);
    });
  });
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal);
    await within(`the local services end on ${signal}`, exited, () => last_line);
  };
  const ready = await within('the local services are ready', saying, () => last_line).catch(
    async (error: unknown) => {
      await end('SIGKILL');
      throw error;
    },
  );
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
