import { resolve } from 'node:path';
import { createCodec, type Codec } from '../../services/log/codec.ts';
import type { EventLog } from '../../services/log/event-log.ts';
import { openLog } from '../../services/log/open-log.ts';
import { createClock, systemClock, type Clock } from '../../services/runtime/clock.ts';
import type { Config } from '../../services/runtime/config.ts';
import { createStore, type Store } from '../../services/store/store.ts';

export interface DoctorOptions {
  /** The deadline of each check. */
  timeout_ms: number;
  /** Whether publishers and geocoders that are not on this machine are asked. */
  live: boolean;
  /** API processes to ask; empty asks the one of the configuration, if it answers. */
  api_urls: readonly string[];
  min_free_bytes: number;
  most_lag_ms: number;
}

/** What the checks look at. Opened when the first of them asks, once, and only ever read. */
export interface Around {
  environment: Readonly<Record<string, string | undefined>>;
  config: Config;
  data_dir: string;
  options: DoctorOptions;
  /** The time that facts are dated by. */
  clock: Clock;
  machine_clock: Clock;
  openLog: () => Promise<EventLog>;
  store: Store;
  codec: Codec;
  close: () => Promise<void>;
}

export function createAround(
  environment: Around['environment'],
  config: Config,
  options: DoctorOptions,
): Around {
  let opening: Promise<EventLog> | undefined;
  const store = createStore(config, { timeout_ms: options.timeout_ms });
  return {
    ...{ environment, config, options, store },
    data_dir: resolve(config.HAILMARK_DATA_DIR),
    clock: createClock(config),
    machine_clock: systemClock,
    openLog: () => (opening ??= openLog(config, { make: 'nothing' })),
    codec: createCodec({
      registry_url: config.SCHEMA_REGISTRY_URL,
      registry_timeout_ms: options.timeout_ms / 2,
    }),
    async close() {
      const log = await opening?.catch(() => null);
      await log?.close();
      await store.close();
    },
  };
}
