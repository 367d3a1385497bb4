import { pause, type Clock } from './clock.ts';
import { isTransient } from './errors.ts';
import type { LogOutput } from './log-output.ts';
import type { OnWait } from './wait-metrics.ts';

const first_wait_ms = 100;
const longest_wait_ms = 5_000;
/** An outage of an hour is sixty lines, not seven hundred. */
const say_every_ms = 60_000;

/**
 * Does the work, again and again while it fails with what passes by itself (a store, registry or log that is away or busy), with growing
 * waits and jitter, until it succeeds or the process is asked to stop: then the last error is thrown. Any other error is thrown at once.
 */
export type Patiently = <T>(what: string, work: () => Promise<T>) => Promise<T>;

export function createPatience(
  deps: { clock: Clock; output: LogOutput; random?: () => number; onWait?: OnWait },
  signal: AbortSignal,
): Patiently {
  const { clock, output, random = Math.random, onWait } = deps;
  let said_at = -Infinity;

  return async (what, work) => {
    let said = false;
    // A wait lasts until the next try has come to something: trying takes time too.
    let waited: (() => void) | undefined;
    for (let wait_ms = first_wait_ms; ; wait_ms = Math.min(longest_wait_ms, wait_ms * 2)) {
      try {
        const result = await work();
        waited?.();
        if (said) output.info({ what }, 'goes on');
        return result;
      } catch (error) {
        if (!isTransient(error) || signal.aborted) {
          waited?.();
          throw error;
        }
        const ended = waited;
        waited = onWait?.(error);
        ended?.();
        if (clock() - said_at >= say_every_ms) {
          output.warn({ err: error, what }, 'waiting');
          said_at = clock();
          said = true;
        }
        // Half of the wait is left to chance, so that several that wait for one thing do not come back together.
        await pause(wait_ms * (0.5 + random() / 2), signal);
      }
    }
  };
}
