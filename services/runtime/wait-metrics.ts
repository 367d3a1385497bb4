import { isHailmarkError, type ErrorCode } from './errors.ts';
import type { Metrics } from './metrics.ts';

const causes: Partial<Record<ErrorCode, string>> = {
  HAIL_LOG_UNAVAILABLE: 'log',
  HAIL_STORE_UNAVAILABLE: 'store',
  HAIL_REGISTRY_UNAVAILABLE: 'registry',
};

/** Told of a wait that begins, with the error it is for; what it returns is called when that wait is over. */
export type OnWait = (error: unknown) => () => void;

/** `hailmark_<process>_waiting{for}`: 1 while anything of the process waits for the log, the store or the registry. */
export function createWaitMetrics(metrics: Metrics, process: string): OnWait {
  const gauge = metrics.gauge(
    `${process}_waiting`,
    '1 while work of the process waits for what is away: the log, the store, the registry, or something else.',
    ['for'],
  );
  const waits = new Map<string, number>();
  const change = (cause: string, by: number): void => {
    const count = (waits.get(cause) ?? 0) + by;
    waits.set(cause, count);
    gauge.set({ for: cause }, count > 0 ? 1 : 0);
  };
  for (const cause of [...Object.values(causes), 'other']) change(cause, 0);
  return (error) => {
    const cause = (isHailmarkError(error) ? causes[error.code] : undefined) ?? 'other';
    change(cause, 1);
    let is_over = false;
    return () => {
      if (is_over) return;
      is_over = true;
      change(cause, -1);
    };
  };
}
