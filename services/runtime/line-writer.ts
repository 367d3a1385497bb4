import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { systemCode } from './errors.ts';

export interface LineWriter {
  /** Resolves when the stream takes more: whoever waits for it holds no more than the stream does. */
  write: (line: string) => Promise<void>;
  /** Aborts when nobody reads any more, as behind `| head`: an end like any other, not a failure. */
  readonly closed: AbortSignal;
}

/** Writes lines to stdout or a stream like it. A failure other than a reader that has gone is thrown by the next `write`. */
export function createLineWriter(stream: Writable): LineWriter {
  const closing = new AbortController();
  let failure: Error | undefined;
  stream.on('error', (error: Error) => {
    if (systemCode(error) !== 'EPIPE') failure = error;
    closing.abort();
  });
  return {
    closed: closing.signal,
    write: async (line) => {
      if (failure !== undefined) throw failure;
      if (closing.signal.aborted || stream.write(`${line}\n`)) return;
      // Aborted while it waits: the stream will take no more.
      await once(stream, 'drain', { signal: closing.signal }).catch(() => undefined);
    },
  };
}
