import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { createApp, type AppDeps, type AppOptions } from '../../../services/api/app.ts';
import { createHttpServer, server_limits, type ServerLimits } from '../../../services/api/http/server.ts';
import type { KeyDirectory } from '../../../services/api/keys/directory.ts';
import { formKey, keyHash } from '../../../services/api/keys/format.ts';
import { createLimiter } from '../../../services/api/limits/limiter.ts';
import { createMemoryCounter } from '../../../services/api/limits/window-counter.ts';
import type { Geocode, HailReading } from '../../../services/api/ports.ts';
import { stopServer } from '../../../services/runtime/http-server.ts';
import { createReadiness } from '../../../services/runtime/readiness.ts';

export const key = formKey(Buffer.from('0badcafe', 'hex'), Buffer.alloc(18, 7));
export const now_ms = Date.parse('2026-11-21T23:30:00.000Z');

export interface InProcessApi {
  url: string;
  /** GET with the key in the header unless other headers are given. */
  get: (path: string, init?: RequestInit) => Promise<Response>;
  /** Every line that was logged, parsed. */
  lines: Record<string, unknown>[];
  stop: () => Promise<void>;
}

/** Knows `key` alone. */
const knownKey: KeyDirectory = {
  find: (presented) =>
    presented === key
      ? {
          key_id: '0badcafe',
          key_sha256: keyHash(key),
          partner: 'test',
          // Wide enough for every test that is not about limits.
          per_minute: 100_000,
          per_day: 1_000_000,
          created_at: 0,
          revoked_at: null,
          expires_at: null,
          replaced_by: null,
        }
      : null,
  isLoaded: () => true,
  position: () => 0,
  loaded: Promise.resolve(),
  done: Promise.resolve(),
};

/** The app on a free port. What it reads from (views, geocoder) is the test's; where a test gives none, reaching it is an error. */
export async function startInProcess(
  deps: Partial<AppDeps> = {},
  options: Partial<AppOptions> = {},
  limits: Partial<ServerLimits> = {},
): Promise<InProcessApi> {
  const lines: Record<string, unknown>[] = [];
  const sink = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      for (const line of chunk.toString('utf8').trim().split('\n'))
        lines.push(JSON.parse(line) as Record<string, unknown>);
      done();
    },
  });
  const unreached = (): Promise<never> => Promise.reject(new Error('this test must not get here'));
  const keys = deps.keys ?? knownKey;
  const readiness = createReadiness(['keys', 'store']);
  readiness.set('keys', keys.isLoaded);
  readiness.set('store', () => true);
  const app = createApp(
    {
      hail: { observationsNear: unreached, feedsReadThrough: unreached },
      geocoder: { locate: unreached },
      keys,
      clock: () => now_ms,
      wall_clock: () => now_ms,
      limiter: createLimiter({ counter: createMemoryCounter(), clock: () => now_ms }),
      usage: { record: () => undefined },
      createId: randomUUID,
      output: pino({ base: null }, sink),
      isStopping: () => false,
      readiness,
      ...deps,
    },
    {
      public_base_url: 'https://hail.example.com',
      deadline_ms: 20_000,
      concurrency: { in_flight: 16, queue: 128 },
      trust_proxy: false,
      ...options,
    },
  );
  const server = createHttpServer(app, randomUUID, { ...server_limits, ...limits });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    get: (path, init) => fetch(`${url}${path}`, { headers: { Authorization: `Bearer ${key}` }, ...init }),
    lines,
    stop: () => stopServer(server),
  };
}

export interface StructuredError {
  error: { code: string; message: string; request_id: string; detail: Record<string, unknown> };
}

export async function errorOf(response: Response): Promise<StructuredError['error']> {
  return ((await response.json()) as StructuredError).error;
}

export const address = '100 Military Plaza, San Antonio, TX 78205';
export const verify = `/v1/property/verify?address=${encodeURIComponent(address)}&date_of_loss=2026-08-28`;
export const match: Geocode = {
  outcome: 'match',
  resolved_address: '100 MILITARY PLZ, SAN ANTONIO, TX, 78205',
  lat: 29.4243514999,
  lon: -98.4951424999,
  corrections: [],
};
const nothing_found: HailReading = {
  observations: [],
  token: 'v1.test.0',
  coverage: { NOAA_SED: 'partial', NEXRAD_SWDI: 'none', MRMS_MESH: 'none', COCORAHS: 'none' },
};
/** An app whose every question ends in the same place without hail. */
export const answering: Partial<AppDeps> = {
  geocoder: { locate: () => Promise.resolve(match) },
  hail: {
    observationsNear: () => Promise.resolve(nothing_found),
    feedsReadThrough: () => Promise.resolve(new Map()),
  },
};
