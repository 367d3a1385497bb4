import { rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { createSandbox } from '../../../infra/sandbox/server.ts';
import { createKey } from '../../../services/api/keys/admin.ts';
import { createCodec, type Codec } from '../../../services/log/codec.ts';
import type { EventLog } from '../../../services/log/event-log.ts';
import { openLog } from '../../../services/log/open-log.ts';
import { systemClock } from '../../../services/runtime/clock.ts';
import type { createCleanup } from '../../support/cleanup.ts';
import { freePorts } from '../../support/free-ports.ts';
import { startLocalServices, temporaryFolder, type LocalServices } from '../../support/local-services.ts';
import { minute_s, startPrometheus, type PrometheusServer } from '../../support/prometheus.ts';
import { serveStormEvents, startPublisherStub } from '../../support/publisher-stub.ts';
import { recordedYear } from '../../support/recorded.ts';
import { startRedis, type RedisServer } from '../../support/redis.ts';
import { servicePorts, startTestService, type TestService } from '../../support/service.ts';

/** Engine and registry in one process that can be killed and comes back in the same place. */
export interface Killable {
  running: () => LocalServices;
  kill: () => Promise<void>;
  start: () => Promise<void>;
}

/** The whole service, what it stands on, and a Prometheus that watches all of it. */
export interface House {
  service: TestService;
  prometheus: PrometheusServer;
  redis: RedisServer;
  /** Two processes of the same kind: one is used as the store alone, the other as the registry alone, so that each can be away. */
  store: Killable;
  registry: Killable;
  /** The files of Storm Events, which a test may change. */
  storm_events: Map<string, Buffer>;
  /** Switches a fault of the sandbox on, or off with `none`. */
  fault: (feed: string, kind: string) => Promise<void>;
  /** Until then nothing listens where the publisher of CoCoRaHS should be. */
  openCocorahs: () => Promise<void>;
  /** The same log as the service's, for what others write into it. */
  log: EventLog;
  codec: Codec;
  /** A key that has used up what it may after one request a minute. */
  key_of_one: string;
}

type Made = ReturnType<typeof createCleanup>;

export async function startHouse(made: Made): Promise<House> {
  const [store, registry] = await Promise.all([startKillable(made), startKillable(made)]);
  const redis = made.keep(await startRedis());
  const stub = made.keep(await startPublisherStub());
  const { name, bytes } = recordedYear(2017, '20170616');
  const storm_events = new Map([[name, bytes]]);
  serveStormEvents(stub, storm_events);

  const [api = 0, feeds = 0, projector = 0, cocorahs = 0] = await freePorts(4);
  const ports = { ...(await servicePorts()), ops: { api, feeds, projector, local: 0 } };
  const service = made.keep(
    await startTestService({
      ports,
      env: {
        CLICKHOUSE_URL: store.running().clickhouse_url,
        SCHEMA_REGISTRY_URL: registry.running().registry_url,
        REDIS_URL: redis.url,
        NOAA_SED_URL: stub.url,
        NOAA_SED_FIRST_YEAR: '2017',
        COCORAHS_URL: `http://127.0.0.1:${cocorahs}`,
        NWS_SCHEDULE: '* * * * * *',
        // Five minutes, as long as they are in the rules.
        FEEDS_RETRY_MS: String(5_000 * minute_s),
        GEOCODER_TIMEOUT_MS: '1000',
        API_CONCURRENCY: '1',
        API_QUEUE: '1',
      },
    }),
  );
  const prometheus = made.keep(
    await startPrometheus({
      api: `127.0.0.1:${api}`,
      feeds: `127.0.0.1:${feeds}`,
      projector: `127.0.0.1:${projector}`,
      local: new URL(store.running().ops_url).host,
    }),
  );
  const log = await openLog(service.config);
  made.keep({ stop: () => log.close() });
  const codec = createCodec({ registry_url: service.registry_url });
  await codec.registerAll();
  const { key: key_of_one } = await createKey(
    { log, codec, clock: systemClock },
    { partner: 'one a minute', per_minute: 1 },
  );
  return {
    ...{ service, prometheus, redis, store, registry, storm_events, log, codec, key_of_one },
    fault: async (feed, kind) => {
      const url = `http://127.0.0.1:${ports.sandbox}/sandbox/faults?feed=${feed}&kind=${kind}`;
      const response = await fetch(url, { method: 'POST' });
      if (!response.ok) throw new Error(await response.text());
    },
    openCocorahs: async () => void made.keep(closable(await listening(createSandbox(), cocorahs))),
  };
}

async function startKillable(made: Made): Promise<Killable> {
  const data_dir = temporaryFolder();
  made.keep({ stop: () => rmSync(data_dir, { recursive: true, force: true }) });
  let running = await startLocalServices({ data_dir });
  const portOf = (url: string): number => Number(new URL(url).port);
  const places = {
    clickhouse_port: portOf(running.clickhouse_url),
    registry_port: portOf(running.registry_url),
    ops_port: portOf(running.ops_url),
  };
  made.keep({ stop: () => running.kill9() });
  return {
    running: () => running,
    kill: () => running.kill9(),
    start: async () => {
      running = await startLocalServices({ data_dir, ...places });
    },
  };
}

function listening(server: Server, port: number): Promise<Server> {
  return new Promise((done, fail) => {
    server.once('error', fail);
    server.listen(port, '127.0.0.1', () => done(server));
  });
}

function closable(server: Server): { stop: () => Promise<void> } {
  return {
    stop: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}
