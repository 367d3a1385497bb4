import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';

/** Why no body came of an exchange; stable. An HTTP status is an answer and none of these. */
export type FetchFailure =
  'no-answer' | 'timed-out' | 'too-slow' | 'too-large' | 'bad-redirect' | 'bad-encoding';

export class FetchFailed extends Error {
  readonly failure: FetchFailure;

  constructor(failure: FetchFailure, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'FetchFailed';
    this.failure = failure;
  }
}

/** A body of which fewer than `bytes` arrive in any `within_ms` is given up: a trickle would hold its host's turn until the deadline. */
export interface Slowness {
  bytes: number;
  within_ms: number;
}

export interface Exchange {
  status: number;
  headers: Headers;
  /** The body as it came over the wire, no encoding undone. */
  served: Buffer;
}

export interface ExchangeOptions {
  headers: Headers;
  max_bytes: number;
  slow: Slowness;
  signal: AbortSignal;
}

/**
 * One GET, without following redirects. node:http and not `fetch`, which undoes a Content-Encoding before anybody can see, hash or count
 * the bytes that were served. Rejects with `FetchFailed`, or with the system's error where the connection failed.
 */
export async function exchange(url: URL, options: ExchangeOptions): Promise<Exchange> {
  const response = await respond(url, options);
  const { statusCode: status = 0 } = response;
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(response.headersDistinct)) {
    for (const value of values) headers.append(name, value);
  }
  return { status, headers, served: await boundedBytes(response, options) };
}

function respond(url: URL, options: ExchangeOptions): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const start = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const request = start(url, { headers: Object.fromEntries(options.headers), signal: options.signal });
    request.once('response', resolve);
    // Also after the response has begun, when nobody waits for it any more: the body's reader hears of that itself.
    request.on('error', reject);
    request.end();
  });
}

async function boundedBytes(
  response: IncomingMessage,
  { max_bytes, slow }: ExchangeOptions,
): Promise<Buffer> {
  const tooLarge = (): FetchFailed =>
    new FetchFailed('too-large', `the body is larger than ${max_bytes} bytes`);
  if (Number(response.headers['content-length'] ?? 0) > max_bytes) {
    response.destroy();
    throw tooLarge();
  }
  const chunks: Buffer[] = [];
  let size = 0;
  let size_before = 0;
  const isSlow = (): boolean => size - size_before < slow.bytes;
  const watch = setInterval(() => {
    if (!isSlow()) {
      size_before = size;
      return;
    }
    // Looked at again after what has arrived was taken in: while this process was busy with something else, nothing was.
    setImmediate(() => {
      const why = `fewer than ${slow.bytes} bytes in ${slow.within_ms} ms`;
      if (isSlow()) response.destroy(new FetchFailed('too-slow', why));
      else size_before = size;
    });
  }, slow.within_ms);
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.byteLength;
      // Leaving the loop destroys the response: an endless body ends here.
      if (size > max_bytes) throw tooLarge();
      chunks.push(chunk);
    }
  } finally {
    clearInterval(watch);
  }
  return Buffer.concat(chunks, size);
}
