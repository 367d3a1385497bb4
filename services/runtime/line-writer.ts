import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { systemCode } from './errors.ts';

export interface LineWriter {
  /** Resolves when the stream takes more: whoever waits for it holds no more than the stream does. */
  write: (line: string) => Promise<void>;
  /** Resolves when everything is written, or throws because it is not: a full disk must not look like an end. */
  flush: () => Promise<void>;
  /** Aborts when nobody reads any more, as behind `| head`: an end like any other, not a failure. */
  readonly closed: AbortSignal;
}

/** Writes lines to stdout or a stream like it. A failure other than a reader that has gone is thrown by the next `write` or by `flush`. */
export function createLineWriter(stream: Writable): LineWriter {
  const closing = new AbortController();
  let failure: Error | undefined;
  stream.on('error', (error: Error) => {
    if (systemCode(error) !== 'EPIPE') failure = error;
    closing.abort();
  });
  const throwFailure = (): void => {
    if (failure !== undefined) throw failure;
  };
  return {
    closed: closing.signal,
    write: async (line) => {
      throwFailure();
      if (closing.signal.aborted || stream.write(`${line}\n`)) return;
      // Aborted while it waits: the stream will take no more.
      await once(stream, 'drain', { signal: closing.signal }).catch(() => undefined);
    },
    flush: async () => {
      // A stream tells a write's callback of its failure before it tells everybody.
      if (!closing.signal.aborted) {
        await new Promise((written) => stream.write('', () => setImmediate(written)));
      }
      throwFailure();
    },
  };
}
