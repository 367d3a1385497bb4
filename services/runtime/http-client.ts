import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip as gunzipWithCallback } from 'node:zlib';
import { HailmarkError, systemCode } from './errors.ts';
import {
  exchange,
  FetchFailed,
  type Exchange,
  type ExchangeOptions,
  type Slowness,
} from './http-exchange.ts';

const gunzip = promisify(gunzipWithCallback);
const max_redirects = 5;
const usual_slowness: Slowness = { bytes: 1_000, within_ms: 20_000 };

export interface FetchOptions {
  /** The whole exchange, redirects included. */
  timeout_ms: number;
  /** A body larger than this is refused, on the wire while it streams and once its Content-Encoding is undone. */
  max_bytes: number;
  headers?: Record<string, string>;
  /** Below this rate a body is given up; a kilobyte in twenty seconds unless told. */
  slow?: Slowness;
  signal?: AbortSignal;
}

export interface FetchedBody {
  status: number;
  headers: Headers;
  /** What the body says: its Content-Encoding undone, unless the path itself ends in `.gz` and the compression is the document's own. */
  bytes: Buffer;
  /** The bytes as they were served; the same as `bytes` unless there was an encoding to undo. */
  served: Buffer;
  /** SHA-256 of `served`, lower-case hex: the document's identity in provenance. */
  sha256: string;
}

/**
 * GET with a deadline over the whole exchange, a cap on the body and at most five redirects. Every way of not getting an answer (refused,
 * reset, timed out, too slow, too large) is `HAIL_PUBLISHER_UNAVAILABLE` with a `FetchFailed` as its cause; an HTTP status, 304 included, is
 * an answer and is returned. The message never holds the query string.
 */
export async function fetchBody(url: string, options: FetchOptions): Promise<FetchedBody> {
  const { origin, pathname } = new URL(url);
  const deadline = AbortSignal.timeout(options.timeout_ms);
  const signal = options.signal === undefined ? deadline : AbortSignal.any([deadline, options.signal]);
  // Asked for without an encoding, so that what is hashed is what anybody else gets who asks.
  const headers = new Headers({ Accept: '*/*', 'Accept-Encoding': 'identity' });
  for (const [name, value] of Object.entries(options.headers ?? {})) headers.set(name, value);
  const { max_bytes, slow = usual_slowness } = options;
  try {
    const answer = await follow(new URL(url), { headers, max_bytes, slow, signal });
    return {
      status: answer.status,
      headers: answer.headers,
      bytes: pathname.endsWith('.gz') ? answer.served : await decoded(answer, max_bytes),
      served: answer.served,
      sha256: createHash('sha256').update(answer.served).digest('hex'),
    };
  } catch (error) {
    const failed = failureOf(error, deadline.aborted, options.timeout_ms);
    throw new HailmarkError('HAIL_PUBLISHER_UNAVAILABLE', `${origin}${pathname}: ${failed.message}.`, {
      cause: failed,
    });
  }
}

async function follow(first: URL, options: ExchangeOptions): Promise<Exchange> {
  let url = first;
  for (let redirects = 0; ; redirects += 1) {
    const answer = await exchange(url, options);
    const location = answer.headers.get('location');
    if (![301, 302, 303, 307, 308].includes(answer.status) || location === null) return answer;
    const next = URL.canParse(location, url.href) ? new URL(location, url) : null;
    const is_allowed =
      next !== null &&
      (next.protocol === 'https:' || (next.protocol === 'http:' && url.protocol === 'http:'));
    if (!is_allowed) throw new FetchFailed('bad-redirect', 'it redirects to what is not followed');
    if (redirects === max_redirects) {
      throw new FetchFailed('bad-redirect', `more than ${max_redirects} redirects`);
    }
    url = next;
  }
}

async function decoded({ headers, served }: Exchange, max_bytes: number): Promise<Buffer> {
  const encoding = (headers.get('content-encoding') ?? 'identity').trim().toLowerCase();
  if (encoding === 'identity' || encoding === '' || served.length === 0) return served;
  if (encoding !== 'gzip' && encoding !== 'x-gzip') {
    throw new FetchFailed('bad-encoding', 'the body is encoded in a way that was not asked for');
  }
  try {
    return await gunzip(served, { maxOutputLength: max_bytes });
  } catch (error) {
    if (systemCode(error) === 'ERR_BUFFER_TOO_LARGE') {
      throw new FetchFailed('too-large', `the body inflates to more than ${max_bytes} bytes`, {
        cause: error,
      });
    }
    throw new FetchFailed('bad-encoding', 'the body is not the gzip it says it is', { cause: error });
  }
}

function failureOf(error: unknown, is_past_deadline: boolean, timeout_ms: number): FetchFailed {
  if (error instanceof FetchFailed) return error;
  if (is_past_deadline) {
    return new FetchFailed('timed-out', `no whole answer within ${timeout_ms} ms`, { cause: error });
  }
  const code = systemCode(error);
  return new FetchFailed('no-answer', code === undefined ? 'no answer' : `no answer (${code})`, {
    cause: error,
  });
}

/** `base` is an origin, or an origin with a path in front of the publisher's own; `path` begins with a slash. */
export function joinUrl(base: string, path: string): string {
  return base.replace(/\/+$/, '') + path;
}
