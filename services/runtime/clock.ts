/** Where "now" comes from: epoch milliseconds, UTC. Always a dependency, so that a test or a replay can hold it. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

/** Resolves after `span_ms`, or at once when `signal` aborts (it never rejects: the caller looks at the signal). */
export function pause(span_ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) {
      resolve();
      return;
    }
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, span_ms);
    signal?.addEventListener('abort', done, { once: true });
  });
}
