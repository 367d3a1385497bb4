import type { Request } from 'express';

/** What can stand in a log line, a header and a fact's key as it is. */
const safe_id = /^[A-Za-z0-9._-]{8,64}$/;

/**
 * The id that a trusted proxy gave the request (`X-Request-Id`, once and in a safe form), so that its log and ours name the same; null
 * otherwise. Never a client's own: the id is the key of a request's fact, and who sends one id twice would hide the second request.
 */
export function proxiedRequestId(request: Request): string | null {
  const trust = request.app.get('trust proxy fn') as (address: string, hop: number) => boolean;
  const peer = request.socket.remoteAddress;
  if (peer === undefined || !trust(peer, 0)) return null;
  const [id, ...more] = request.headersDistinct['x-request-id'] ?? [];
  return id !== undefined && more.length === 0 && safe_id.test(id) ? id : null;
}
