import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClock, pause } from '../../services/runtime/clock.ts';
import { createKey } from '../../services/api/keys/admin.ts';
import { withLog } from '../../services/log/with-log.ts';
import type { Service } from './service.ts';

/** Whoever tries the service out, or measures it, is not to be stopped by a partner's limits. */
const demo = { partner: 'demo', per_minute: 1_000_000, per_day: 100_000_000 };

/**
 * The key of a data folder for trying out: made at the first start and kept beside the data, readable by its owner alone. A partner's key is
 * shown once and never kept; this one is a door to recorded data on loopback.
 */
export async function demoKey(service: Pick<Service, 'config' | 'data_dir' | 'api_url'>): Promise<string> {
  const file = join(service.data_dir, 'demo-key');
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  const { key } = await withLog(service.config, (facts) =>
    createKey({ ...facts, clock: createClock(service.config) }, demo),
  );
  writeFileSync(file, `${key}\n`, { mode: 0o600 });
  await untilAccepted(service.api_url, key);
  return key;
}

/** The API follows the keys' topic; a moment passes before it knows a new one. A request without parameters is then 400, no longer 401. */
async function untilAccepted(api_url: string, key: string): Promise<void> {
  const headers = { Authorization: `Bearer ${key}` };
  while ((await fetch(`${api_url}/v1/property/verify`, { headers })).status === 401) await pause(25);
}
