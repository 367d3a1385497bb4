/** Where "now" comes from: epoch milliseconds, UTC. Always a dependency, so that a test or a replay can hold it. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

/**
 * The machine's clock moved by a fixed offset; it runs on. What is dated by it are facts and answers: time-outs, leases and a broker's own
 * times stay real.
 */
export function createClock({ HAILMARK_CLOCK_OFFSET_MS }: { HAILMARK_CLOCK_OFFSET_MS: number }): Clock {
  return () => Date.now() + HAILMARK_CLOCK_OFFSET_MS;
}

/** The clock of answers: held where the configuration says at what time, so that the same question has the same answer. */
export function createAnswerClock(
  config: Parameters<typeof createClock>[0] & { HAILMARK_HOLD_CLOCK_AT?: string | undefined },
): Clock {
  const { HAILMARK_HOLD_CLOCK_AT: held_at } = config;
  return held_at === undefined ? createClock(config) : () => Date.parse(held_at);
}

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
