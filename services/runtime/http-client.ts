import { createHash } from 'node:crypto';
import { HailmarkError } from './errors.ts';

export interface FetchOptions {
  timeout_ms: number;
  /** A body larger than this is refused while it streams; nothing is buffered past it. */
  max_bytes: number;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

export interface FetchedBody {
  status: number;
  headers: Headers;
  bytes: Buffer;
  /** SHA-256 of `bytes`, lower-case hex: the document's identity in provenance. */
  sha256: string;
}

/**
 * GET with a deadline over the whole exchange and a cap on the body. Every way of not getting an answer (refused, reset, timed out,
 * too large) is `HAIL_PUBLISHER_UNAVAILABLE`; an HTTP status is an answer and is returned. The message never holds the query string.
 */
export async function fetchBody(url: string, options: FetchOptions): Promise<FetchedBody> {
  const { origin, pathname } = new URL(url);
  const deadline = AbortSignal.timeout(options.timeout_ms);
  const signal = options.signal === undefined ? deadline : AbortSignal.any([deadline, options.signal]);
  try {
    const response = await fetch(url, { headers: options.headers ?? {}, signal, redirect: 'follow' });
    const bytes = await boundedBytes(response, options.max_bytes);
    return {
      status: response.status,
      headers: response.headers,
      bytes,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    };
  } catch (error) {
    const why = deadline.aborted ? `no whole answer within ${options.timeout_ms} ms` : 'no answer';
    throw new HailmarkError('HAIL_PUBLISHER_UNAVAILABLE', `${origin}${pathname}: ${why}.`, { cause: error });
  }
}

async function boundedBytes(response: Response, max_bytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  if (response.body === null) return Buffer.alloc(0);
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > max_bytes) throw new RangeError(`the body is larger than ${max_bytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

/** `base` is an origin, or an origin with a path in front of the publisher's own; `path` begins with a slash. */
export function joinUrl(base: string, path: string): string {
  return base.replace(/\/+$/, '') + path;
}
