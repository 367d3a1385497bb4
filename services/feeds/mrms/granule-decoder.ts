import { Worker } from 'node:worker_threads';
import type { DecodeReply, DecodeRequest } from './decode-worker.ts';
import type { DecodedGranule, ExpectedGranule } from './decode.ts';
import { GranuleRefused } from './grib2/refused.ts';

/** A granule takes a third of a second; a hundred times that is a thread that hangs. */
const default_deadline_ms = 30_000;
/**
 * What a granule needs is a few rows and its hail; a thread that wants more has lost its way and ends. The small young generation makes
 * the engine give back inflated pieces early: 10 MB less at the peak, and no slower.
 */
const limits = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 1 } as const;

export interface GranuleDecoder {
  /**
   * Decodes an object in the decoder's thread, after those that were asked for before it. Rejects with `GranuleRefused`; the caller keeps
   * its bytes.
   */
  decode: (
    bytes: Uint8Array,
    expected: ExpectedGranule,
    threshold_tenths_mm: number,
  ) => Promise<DecodedGranule>;
  /** Ends the thread once it has nothing to do, and gives its memory back. The next granule starts another. */
  rest: () => Promise<void>;
}

export interface GranuleDecoderOptions {
  deadline_ms?: number;
  /** Another thread, for tests of what a broken one costs. */
  worker_url?: URL;
}

/**
 * Decodes granules in one thread of its own, so that the feeds' loop never stands still for them. A granule that takes too long or ends
 * the thread costs only itself: the next one gets a new thread.
 */
export function createGranuleDecoder({
  deadline_ms = default_deadline_ms,
  worker_url = new URL('./decode-worker.ts', import.meta.url),
}: GranuleDecoderOptions = {}): GranuleDecoder {
  let worker: Worker | null = null;
  let last: Promise<unknown> = Promise.resolve();

  const end = async (): Promise<void> => {
    const ending = worker;
    worker = null;
    await ending?.terminate();
  };

  const start = (): Worker => {
    const started = new Worker(worker_url, { execArgv: [], resourceLimits: limits });
    // A thread that ends while nobody waits for it is replaced by the next granule; without a listener its error would end the process.
    started.on('error', () => undefined);
    started.once('exit', () => {
      if (worker === started) worker = null;
    });
    return started;
  };

  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(work);
    last = turn.catch(() => undefined);
    return turn;
  };

  const ask = async (request: DecodeRequest): Promise<DecodedGranule> => {
    worker ??= start();
    try {
      const reply = await replyOf(worker, request, deadline_ms);
      if (reply.outcome === 'decoded') return reply.granule;
      throw new GranuleRefused(reply.reason, reply.detail);
    } catch (error) {
      if (
        error instanceof GranuleRefused &&
        (error.reason === 'deadline' || error.reason === 'decoder-ended')
      )
        await end();
      throw error;
    }
  };

  return {
    // A copy is handed over: small bodies share their memory with others, and handing that over would take theirs away.
    decode: (bytes, expected, threshold_tenths_mm) =>
      inTurn(() => ask({ bytes: Uint8Array.from(bytes), expected, threshold_tenths_mm })),
    rest: () => inTurn(end),
  };
}

async function replyOf(worker: Worker, request: DecodeRequest, deadline_ms: number): Promise<DecodeReply> {
  const { promise, resolve, reject } = Promise.withResolvers<DecodeReply>();
  const onError = (cause: unknown): void =>
    reject(new GranuleRefused('decoder-ended', 'The decoder failed on the granule.', { cause }));
  const onExit = (): void =>
    reject(new GranuleRefused('decoder-ended', 'The thread of the decoder ended before it answered.'));
  const deadline = setTimeout(() => {
    reject(new GranuleRefused('deadline', `The granule was not decoded within ${deadline_ms} ms.`));
  }, deadline_ms);
  worker.once('message', resolve);
  worker.once('error', onError);
  worker.once('exit', onExit);
  try {
    worker.postMessage(request, [request.bytes.buffer as ArrayBuffer]);
    return await promise;
  } finally {
    clearTimeout(deadline);
    worker.off('message', resolve);
    worker.off('error', onError);
    worker.off('exit', onExit);
  }
}
