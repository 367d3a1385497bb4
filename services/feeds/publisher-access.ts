import type { DatabaseSync } from 'node:sqlite';
import { isHailmarkError } from '../runtime/errors.ts';
import { fetchBody, type FetchedBody, type FetchOptions } from '../runtime/http-client.ts';
import { FetchFailed, type FetchFailure, type Slowness } from '../runtime/http-exchange.ts';
import { retryAfterMs } from '../runtime/retry-after.ts';
import type { PollFailure } from '../log/facts.ts';
import type { HostQueue } from './host-queue.ts';
import { PollFailed } from './poll-failure.ts';
import { createValidatorBook, type Validators } from './validators.ts';

export interface AskOptions {
  /** Beside the service's name; an `Accept`, say. */
  headers?: Record<string, string>;
}

/** A body, or the word that it is still the one whose poll fact stands in the log (`sha256` is its). */
export type IfModified = { modified: true; body: FetchedBody } | { modified: false; sha256: string };

export interface PublisherAccess {
  get: (url: string, max_bytes: number, options?: AskOptions) => Promise<FetchedBody>;
  getIfModified: (url: string, max_bytes: number, options?: AskOptions) => Promise<IfModified>;
  /** A question begins: what an earlier one read and did not settle is forgotten. */
  begin: () => void;
  /** The question's poll fact stands in the log: from now on its bodies may be called unmodified. */
  settled: () => void;
}

const reasons: Record<FetchFailure, PollFailure> = {
  'no-answer': 'unreachable',
  'timed-out': 'unreachable',
  'too-slow': 'too-slow',
  'too-large': 'too-large',
  'bad-redirect': 'http-status',
  'bad-encoding': 'not-the-format',
};

/** How one run of a feed asks its publisher: in turn with everybody who asks the same host, by name, and within bounds. */
export function createPublisherAccess(
  deps: {
    queue: HostQueue;
    database: DatabaseSync;
    user_agent: string;
    timeout_ms: number;
    slow?: Slowness;
  },
  signal: AbortSignal,
): PublisherAccess {
  const { queue, timeout_ms, slow } = deps;
  const validators = createValidatorBook(deps.database);
  const unsettled = new Map<string, Validators>();

  const ask = async (url: string, options: FetchOptions): Promise<FetchedBody> => {
    try {
      return await queue.run(
        url,
        async () => {
          const body = await fetchBody(url, options);
          // Before the turn goes to the next in line, who would ask in spite of it.
          if ([403, 429, 503].includes(body.status)) {
            const span_ms = retryAfterMs(body.headers.get('retry-after'), Date.now());
            if (span_ms !== null) queue.hold(url, span_ms);
          }
          return body;
        },
        signal,
      );
    } catch (error) {
      if (!isHailmarkError(error, 'HAIL_PUBLISHER_UNAVAILABLE') || signal.aborted) throw error;
      const failure = error.cause instanceof FetchFailed ? error.cause.failure : 'no-answer';
      throw new PollFailed(reasons[failure], error.message, { cause: error });
    }
  };

  const optionsOf = (max_bytes: number, headers: Record<string, string>): FetchOptions => ({
    ...{ timeout_ms, max_bytes, signal },
    headers: { 'User-Agent': deps.user_agent, ...headers },
    ...(slow === undefined ? {} : { slow }),
  });

  /** A body that is not the known one takes its place, but not before its poll fact stands. */
  const take = (url: string, body: FetchedBody, known: Validators | null): void => {
    if (known !== null && known.sha256 !== body.sha256) validators.forget(url);
    unsettled.set(url, {
      etag: body.headers.get('etag'),
      last_modified: body.headers.get('last-modified'),
      sha256: body.sha256,
    });
  };

  return {
    get: async (url, max_bytes, { headers = {} } = {}) => {
      const body = requireOk(await ask(url, optionsOf(max_bytes, headers)));
      const known = validators.known(url);
      // Remembered only where conditional questions are asked too: they must not take an older body for the newest.
      if (known !== null) take(url, body, known);
      return body;
    },
    getIfModified: async (url, max_bytes, { headers = {} } = {}) => {
      const known = validators.known(url);
      const conditions = {
        ...(typeof known?.etag === 'string' ? { 'If-None-Match': known.etag } : {}),
        ...(typeof known?.last_modified === 'string' ? { 'If-Modified-Since': known.last_modified } : {}),
      };
      const body = await ask(url, optionsOf(max_bytes, { ...headers, ...conditions }));
      if (known !== null && body.status === 304) return { modified: false, sha256: known.sha256 };
      take(url, requireOk(body), known);
      return known?.sha256 === body.sha256
        ? { modified: false, sha256: body.sha256 }
        : { modified: true, body };
    },
    begin: () => unsettled.clear(),
    settled: () => {
      for (const [url, each] of unsettled) validators.remember(url, each);
      unsettled.clear();
    },
  };
}

function requireOk(body: FetchedBody): FetchedBody {
  if (body.status === 200) return body;
  const { status } = body;
  throw new PollFailed('http-status', `The publisher answered with status ${status}.`, { status });
}
