import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { grace_ms as api_grace_ms } from '../../services/api/app-options.ts';
import { dataFolder, readConfig, type Config } from '../../services/runtime/config.ts';
import { HailmarkError } from '../../services/runtime/errors.ts';
import { allFeeds } from '../../services/feeds/all-feeds.ts';
import { openLog } from '../../services/log/open-log.ts';
import { requireFreePorts } from '../../services/runtime/free-ports.ts';
import { createSupervisor, type ProcessSpec } from './processes.ts';
import { untilAnswering } from './waiting.ts';

export interface ServicePorts {
  api: number;
  registry: number;
  clickhouse: number;
  sandbox: number;
  /** Of the operations pages; any free ones where they are not said. */
  ops?: Readonly<Record<OpsProcess, number>>;
}

/** The processes that have operations pages. */
export type OpsProcess = 'api' | 'feeds' | 'projector' | 'local';

const ops_settings: Readonly<Record<OpsProcess, string>> = {
  api: 'API_OPS_PORT',
  feeds: 'FEEDS_OPS_PORT',
  projector: 'PROJECTOR_OPS_PORT',
  local: 'LOCAL_OPS_PORT',
};

export interface ServiceOptions {
  /** The checkout's folder. */
  project: string;
  data_dir: string;
  ports: ServicePorts;
  /** True reads the live publishers; false the recorded ones of the sandbox. */
  live: boolean;
  /** Settings for the processes; what stands here wins over what this function would choose. */
  env: Readonly<Record<string, string | undefined>>;
  onProgress: (text: string) => void;
  onLine?: (name: string, line: Record<string, unknown>) => void;
}

export interface Service {
  /** The settings that all its processes share. */
  config: Config;
  api_url: string;
  clickhouse_url: string;
  registry_url: string;
  data_dir: string;
  /** Resolves when every feed has settled its first poll since the start. */
  first_polls: Promise<void>;
  /** Rejects with the words of the first process that ended by itself. */
  failure: Promise<never>;
  pid: (name: string) => number | undefined;
  /** Where a process has its operations pages (`/healthz`, `/readyz`, `/metrics`), once it has said so; they come before anything else. */
  ops_url: (name: OpsProcess) => string | undefined;
  /** Ends all processes in order; requests that the API has taken on are answered before. */
  stop: () => Promise<void>;
}

/**
 * A backlog's batches live longer than other garbage: with the heap of the others a third of the projector's work is collecting it (measured).
 * It stays far below this size, which is also what V8 derives from how often it collects.
 */
export const projector_heap = { young_mb: 16, old_mb: 2_048 };

/** A process that is told to stop ends by itself within 8 s; the API has its own time, because it answers what it has taken on. */
const usual_grace_ms = 9_000;
const api_longest_ms = api_grace_ms + 2_000;

/** The ports that the settings name, without those of the operations pages. */
export function configuredPorts(config: Config): Omit<ServicePorts, 'ops'> {
  return {
    api: config.API_PORT,
    registry: config.REGISTRY_PORT,
    clickhouse: config.CLICKHOUSE_PORT,
    sandbox: config.SANDBOX_PORT,
  };
}

/**
 * Starts the whole service on one machine: engine and registry, recorded publishers unless live, projector, feeds, API, each a process of
 * its own, in the order of the data's needs. Resolves when the API answers; the feeds go on loading.
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const data_dir = dataFolder(resolve(options.data_dir));
  const log_folder = dataFolder(resolve(data_dir, 'logs'));
  mkdirSync(log_folder, { recursive: true });
  const { ports } = options;
  const sandbox_url = `http://127.0.0.1:${ports.sandbox}`;
  const clickhouse_url = options.env['CLICKHOUSE_URL'] ?? `http://127.0.0.1:${ports.clickhouse}`;
  const registry_url = options.env['SCHEMA_REGISTRY_URL'] ?? `http://127.0.0.1:${ports.registry}`;
  const api_url = `http://127.0.0.1:${ports.api}`;
  const own_infrastructure =
    options.env['CLICKHOUSE_URL'] === undefined || options.env['SCHEMA_REGISTRY_URL'] === undefined;
  const ops_ports = (Object.keys(ops_settings) as OpsProcess[]).map((name) => ({
    ...{ name, setting: ops_settings[name], port: ports.ops?.[name] ?? 0 },
  }));

  await requireFreePorts([
    { setting: 'API_PORT', port: ports.api },
    ...(own_infrastructure
      ? [
          { setting: 'REGISTRY_PORT', port: ports.registry },
          { setting: 'CLICKHOUSE_PORT', port: ports.clickhouse },
        ]
      : []),
    ...(options.live ? [] : [{ setting: 'SANDBOX_PORT', port: ports.sandbox }]),
    ...ops_ports.filter(({ name }) => name !== 'local' || own_infrastructure),
  ]);

  const sandbox_settings: Record<string, string> = options.live
    ? {}
    : {
        NOAA_SED_URL: sandbox_url,
        SWDI_URL: sandbox_url,
        MRMS_URL: sandbox_url,
        SPC_URL: sandbox_url,
        COCORAHS_URL: sandbox_url,
        NWS_URL: sandbox_url,
        GEOCODER_URL: sandbox_url,
        // What is recorded lies before the stretches that every poll reads again.
        SWDI_HISTORY: '2011-05-24/2011-05-25',
        MRMS_HISTORY: '2026-06-10/2026-06-11',
        SPC_HISTORY: '2013-05-19/2013-05-21,2013-05-24/2013-05-25,2024-04-26/2024-04-27',
        COCORAHS_HISTORY: '2026-06-01/2026-06-02',
        // One calm hour is like the other: a day of them would only make the first start longer.
        MRMS_REREAD_HOURS: '6',
      };
  const env = definedOnly({
    ...sandbox_settings,
    ...options.env,
    HAILMARK_DATA_DIR: data_dir,
    CLICKHOUSE_URL: clickhouse_url,
    SCHEMA_REGISTRY_URL: registry_url,
    API_PORT: String(ports.api),
    REGISTRY_PORT: String(ports.registry),
    CLICKHOUSE_PORT: String(ports.clickhouse),
    SANDBOX_PORT: String(ports.sandbox),
    ...Object.fromEntries(ops_ports.map(({ setting, port }) => [setting, String(port)])),
  });

  const config = readConfig(env);
  // Processes wait for brokers that are away; a person who has just typed the command had better hear of it.
  if (config.KAFKA_BROKERS !== undefined) await (await openLog(config)).close();
  const feeds = allFeeds(config).map(({ feed }) => feed);
  const polled = new Set<string>();
  const listening = new Map<string, number>();
  const firstPolls = Promise.withResolvers<undefined>();
  const failing = Promise.withResolvers<never>();
  failing.promise.catch(() => undefined);
  const supervisor = createSupervisor({
    project: options.project,
    log_folder,
    onLine: (name, line) => {
      if (line['msg'] === 'poll finished' && typeof line['feed'] === 'string') polled.add(line['feed']);
      if (typeof line['ops_port'] === 'number') listening.set(name, line['ops_port']);
      if (feeds.every((feed) => polled.has(feed))) firstPolls.resolve(undefined);
      options.onLine?.(name, line);
    },
    onFailure: (name, words) => {
      const why = words === '' ? `its log is ${resolve(log_folder, `${name}.log`)}` : words;
      failing.reject(new HailmarkError('HAIL_NOT_STARTED', `The process ${name} ended: ${why}`));
    },
    onRestart: (name) => options.onProgress(`${name} was killed and is started again`),
  });
  const start = (name: string, main: string, old_mb = 256, young_mb = 4): void => {
    const grace_ms = name === 'api' ? api_longest_ms : usual_grace_ms;
    const spec: ProcessSpec = { name, main, env, heap: { young_mb, old_mb }, grace_ms };
    supervisor.start(spec);
  };
  const service: Service = {
    config,
    api_url,
    clickhouse_url,
    registry_url,
    data_dir,
    first_polls: firstPolls.promise,
    failure: failing.promise,
    pid: (name) => supervisor.pid(name),
    ops_url: (name) => {
      const port = listening.get(name);
      return port === undefined ? undefined : `http://${reachable(config.OPS_HOST)}:${port}`;
    },
    stop: supervisor.stop,
  };

  try {
    if (own_infrastructure) {
      start('local', 'infra/local/main.ts');
      await Promise.race([untilAnswering(`${clickhouse_url}/ping`, options.onProgress), failing.promise]);
      await Promise.race([untilAnswering(`${registry_url}/subjects`, options.onProgress), failing.promise]);
      options.onProgress('schema registry and ClickHouse engine are up');
    }
    if (!options.live) {
      start('sandbox', 'infra/sandbox/main.ts');
      await Promise.race([untilAnswering(`${sandbox_url}/`, options.onProgress), failing.promise]);
      options.onProgress('recorded publishers are up');
    }
    start('projector', 'services/projector/main.ts', projector_heap.old_mb, projector_heap.young_mb);
    start('feeds', 'services/feeds/main.ts', 384);
    start('api', 'services/api/main.ts', 160);
    await Promise.race([untilAnswering(`${api_url}/readyz`, options.onProgress), failing.promise]);
    options.onProgress(`the API answers at ${api_url}`);
    return service;
  } catch (error) {
    await service.stop();
    throw error;
  }
}

/** An address to connect to, of one to listen on: all of a machine's are no address. */
function reachable(host: string): string {
  return ['0.0.0.0', '::', ''].includes(host) ? '127.0.0.1' : host;
}

function definedOnly(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
