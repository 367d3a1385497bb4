import { pause } from '../../services/runtime/clock.ts';

/** A process that is started here answers sooner; what is named by a setting may not be there at all, and somebody watches. */
const silent_ms = 10_000;

/**
 * Resolves when the URL answers 200; a starting process refuses, resets or answers 503 until then. Bounded by whoever races it. `onSlow` is
 * told once what is still being waited for.
 */
export async function untilAnswering(
  url: string,
  onSlow: (sentence: string) => void = () => undefined,
  signal?: AbortSignal,
): Promise<void> {
  const since_ms = performance.now();
  let is_said = false;
  while (signal?.aborted !== true) {
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
      await response.arrayBuffer();
      if (response.ok) return;
    } catch {
      // Not listening yet.
    }
    if (!is_said && performance.now() - since_ms > silent_ms) {
      is_said = true;
      onSlow(`still waiting for ${url} to answer; npm run doctor says what is away`);
    }
    await pause(50, signal);
  }
}
