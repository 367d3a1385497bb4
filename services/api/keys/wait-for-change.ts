import { pause, type Clock } from '../../runtime/clock.ts';
import { readiness_patience_ms } from '../../runtime/readiness.ts';

/** A change of a key holds within this time in every API process that can reach the log (decisions, "Keys"). */
export const holds_within_ms = 10_000;
/** A process whose store hangs answers after its patience, and what it says of its keys counts. */
const ask_ms = 2 * readiness_patience_ms;

export interface WaitedFor {
  /** API processes that were named and have said that they know of the change. */
  seen_by: string[];
  /** Those that have not said so in the time in which they must know. */
  silent: string[];
}

/**
 * Waits until a change of a key holds. An API process says on `/readyz` how far it has read the keys' topic: those whose base URLs are
 * given are asked until they are past the change. Processes that are not named, behind a balancer say, cannot be asked; without any name
 * it waits the whole time in which every process must know. Never longer than that.
 */
export async function waitForChange(
  deps: { clock: Clock; fetch: typeof fetch; look_ms?: number },
  options: { next_offset: number; api_urls: readonly string[]; within_ms?: number },
): Promise<WaitedFor> {
  const { clock, look_ms = 100 } = deps;
  const { next_offset, api_urls, within_ms = holds_within_ms } = options;
  const until_ms = clock() + within_ms;
  let silent = [...api_urls];
  while (clock() < until_ms) {
    const asked = await Promise.all(
      silent.map(async (url) => ((await hasRead(deps.fetch, url, next_offset)) ? null : url)),
    );
    silent = asked.filter((url) => url !== null);
    if (api_urls.length > 0 && silent.length === 0) break;
    await pause(Math.max(1, Math.min(look_ms, until_ms - clock())));
  }
  return { seen_by: api_urls.filter((url) => !silent.includes(url)), silent };
}

/** False also where nobody answers: such a process may still be letting the key in. */
async function hasRead(ask: typeof fetch, url: string, next_offset: number): Promise<boolean> {
  try {
    const response = await ask(`${url.replace(/\/+$/, '')}/readyz`, { signal: AbortSignal.timeout(ask_ms) });
    const said: unknown = await response.json();
    return (
      typeof said === 'object' &&
      said !== null &&
      'keys' in said &&
      said.keys === true &&
      'keys_next_offset' in said &&
      typeof said.keys_next_offset === 'number' &&
      said.keys_next_offset >= next_offset
    );
  } catch {
    return false;
  }
}
