import type { Clock } from '../../runtime/clock.ts';
import type { LogOutput } from '../../runtime/log-output.ts';
import type { Geocoder } from '../ports.ts';

export interface BreakerOptions {
  /** In log lines. */
  name: string;
  /** What one question may take, retries and all; the rest of the request's time belongs to others. */
  patience_ms: number;
  /** So many questions without an answer, one after another, open the breaker. */
  failures: number;
  /** So long it stays open before one question tries again. */
  open_ms: number;
}

/**
 * Spares a geocoder that is away, and those who wait for it: after several failures in a row questions are "unavailable" at once, and after a
 * while a single one tries whether it is back. A question whose asker has gone says nothing about the geocoder and counts neither way.
 */
export function createBreaker(
  deps: { geocoder: Geocoder; clock: Clock; output: LogOutput; onState?: (is_open: boolean) => void },
  options: BreakerOptions,
): Geocoder {
  const { name } = options;
  let failures = 0;
  let open_until_ms = -Infinity;
  let probing = false;

  const count = (is_failure: boolean): void => {
    const was_open = failures >= options.failures;
    failures = is_failure ? failures + 1 : 0;
    deps.onState?.(failures >= options.failures);
    if (failures >= options.failures) {
      open_until_ms = deps.clock() + options.open_ms;
      if (!was_open)
        deps.output.warn(
          { geocoder: name, failures },
          'a geocoder does not answer and is left alone for a while',
        );
    } else if (was_open) {
      deps.output.info({ geocoder: name }, 'a geocoder answers again');
    }
  };
  return {
    async locate(address, signal) {
      const is_open = failures >= options.failures;
      if (is_open && (probing || deps.clock() < open_until_ms)) return { outcome: 'unavailable' };
      if (is_open) probing = true;
      try {
        const too_late = AbortSignal.timeout(options.patience_ms);
        const geocode = await deps.geocoder.locate(address, AbortSignal.any([signal, too_late]));
        if (geocode.outcome !== 'unavailable') count(false);
        else if (too_late.aborted || !signal.aborted) count(true);
        return geocode;
      } finally {
        if (is_open) probing = false;
      }
    },
  };
}
