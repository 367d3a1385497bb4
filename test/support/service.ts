import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { demoKey } from '../../scripts/start/demo-key.ts';
import { untilQueryable } from '../../scripts/start/loading.ts';
import { startService, type Service, type ServicePorts } from '../../scripts/start/service.ts';
import { pause } from '../../services/runtime/clock.ts';
import { freePorts } from './free-ports.ts';
import { temporaryFolder } from './local-services.ts';
import { within } from './within.ts';

const project = resolve(import.meta.dirname, '../..');

export interface TestService extends Service {
  key: string;
  get: (
    path: string,
    parameters?: Record<string, string>,
    headers?: Record<string, string>,
  ) => Promise<Response>;
  untilQueryable: () => Promise<void>;
  /** Kills one of its processes without warning, once it runs: it may just be on its way back from the kill before. */
  kill9: (name: string) => Promise<void>;
}

/** The recordings are read and stored in half a minute; a machine that is slow and busy may take some times that. */
const loading_ms = 240_000;

/** Granules take most of a start's time, and most suites have no use for a day of them. */
const few_granules = { MRMS_HISTORY: '', MRMS_REREAD_HOURS: '1' };

/** The whole service as `npm start` runs it but for few granules, on free ports and in a folder of its own. */
export async function startTestService(
  options: { env?: Record<string, string>; data_dir?: string; ports?: ServicePorts } = {},
): Promise<TestService> {
  const data_dir = options.data_dir ?? temporaryFolder();
  let last_said = '';
  const starting = startService({
    project,
    data_dir,
    ports: options.ports ?? (await servicePorts()),
    live: false,
    env: { ...process.env, ...few_granules, ...options.env },
    onProgress: (text) => (last_said = text),
  });
  const service = await within('the service is up', starting, () => last_said);
  const key = await within('the demo key is known', demoKey(service));
  return {
    ...service,
    key,
    get: (path, parameters = {}, headers = { Authorization: `Bearer ${key}` }) =>
      fetch(`${service.api_url}${path}?${new URLSearchParams(parameters).toString()}`, { headers }),
    untilQueryable: () =>
      within(
        'all that was read can be queried',
        untilQueryable(service, (text) => (last_said = text)),
        () => last_said,
        loading_ms,
      ),
    kill9: async (name) => {
      const known = async (): Promise<number> => {
        for (;;) {
          const pid = service.pid(name);
          if (pid !== undefined) return pid;
          await pause(5);
        }
      };
      process.kill(await within(`the process ${name} runs`, known()), 'SIGKILL');
    },
    stop: async () => {
      await service.stop();
      if (options.data_dir === undefined) rmSync(data_dir, { recursive: true, force: true });
    },
  };
}

export interface Ports {
  api: number;
  registry: number;
  clickhouse: number;
  sandbox: number;
}

/** Ports for a service, free a moment ago. */
export async function servicePorts(): Promise<Ports> {
  const [api = 0, registry = 0, clickhouse = 0, sandbox = 0] = await freePorts(4);
  return { api, registry, clickhouse, sandbox };
}
