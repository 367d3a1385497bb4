import type { Config } from '../runtime/config.ts';
import type { AppOptions } from './app.ts';

const deadline_ms = 25_000;
/** Nothing that is asked for is cut while it may still be answered. */
export const finish_ms = deadline_ms + 1_000;
/** The rest of the process stops within what is left after that. */
export const grace_ms = finish_ms + 4_000;

/** What the settings say of how requests are answered. */
export function appOptions(
  config: Pick<
    Config,
    'API_HOST' | 'API_PORT' | 'API_CONCURRENCY' | 'API_QUEUE' | 'PUBLIC_BASE_URL' | 'TRUST_PROXY'
  >,
): AppOptions {
  const { API_HOST, API_PORT, API_CONCURRENCY, API_QUEUE, PUBLIC_BASE_URL, TRUST_PROXY } = config;
  return {
    public_base_url: (PUBLIC_BASE_URL ?? `http://${API_HOST}:${API_PORT}`).replace(/\/+$/, ''),
    deadline_ms,
    concurrency: { in_flight: API_CONCURRENCY, queue: API_QUEUE },
    trust_proxy: TRUST_PROXY,
  };
}
