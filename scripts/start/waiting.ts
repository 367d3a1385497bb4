import { pause } from '../../services/runtime/clock.ts';

/** Resolves when the URL answers 200; a starting process refuses, resets or answers 503 until then. Bounded by whoever races it. */
export async function untilAnswering(url: string, signal?: AbortSignal): Promise<void> {
  while (signal?.aborted !== true) {
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
      await response.arrayBuffer();
      if (response.ok) return;
    } catch {
      // Not listening yet.
    }
    await pause(50, signal);
  }
}
