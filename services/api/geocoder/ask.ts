import { pause } from '../../runtime/clock.ts';
import { isHailmarkError } from '../../runtime/errors.ts';
import { fetchBody, joinUrl, type FetchedBody } from '../../runtime/http-client.ts';
import type { Geocode } from '../ports.ts';

const tries = 3;
const first_pause_ms = 150;
const max_answer_bytes = 4 * 1024 * 1024;

/** How a geocoding service is asked over HTTP, whichever it is. */
export interface AskOptions {
  base_url: string;
  /** Of one attempt. */
  timeout_ms: number;
  /** In [0, 1): spreads the retries of many requests. */
  random: () => number;
  user_agent: string;
}

/** What an attempt came to: an answer, or nothing that could be read as one and may be there the next time. */
export type Reading = Geocode | 'again';

/**
 * Asks until an answer can be read, three times at most, with growing pauses and jitter. No answer, a 5xx and what `read` calls `again`
 * are tried again; past that, or once the signal aborts, the service is "unavailable". `path` holds the address and is in no error.
 */
export async function askPatiently(
  path: string,
  options: AskOptions,
  signal: AbortSignal,
  read: (body: FetchedBody) => Reading,
): Promise<Geocode> {
  const url = joinUrl(options.base_url, path);
  for (let attempt = 1; ; attempt += 1) {
    const body = await ask(url, options, signal);
    const reading = body === null || body.status >= 500 ? 'again' : read(body);
    if (reading !== 'again') return reading;
    if (attempt >= tries || signal.aborted) return { outcome: 'unavailable' };
    await pause(first_pause_ms * 2 ** (attempt - 1) * (0.5 + options.random()), signal);
  }
}

async function ask(url: string, options: AskOptions, signal: AbortSignal): Promise<FetchedBody | null> {
  try {
    return await fetchBody(url, {
      timeout_ms: options.timeout_ms,
      max_bytes: max_answer_bytes,
      headers: { accept: 'application/json', 'user-agent': options.user_agent },
      signal,
    });
  } catch (error) {
    if (isHailmarkError(error, 'HAIL_PUBLISHER_UNAVAILABLE')) return null;
    throw error;
  }
}

/** The body as JSON; undefined for HTML, an empty body, and anything else that is none. */
export function jsonOf({ headers, bytes }: FetchedBody): unknown {
  if (!/^application\/(?:[\w.+-]+\+)?json\b/i.test(headers.get('content-type') ?? '')) return undefined;
  try {
    return JSON.parse(bytes.toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}
