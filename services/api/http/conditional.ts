import type { Request } from 'express';

/**
 * Whether the client names this ETag in If-None-Match (RFC 9110, 13.1.2: compared weakly). Decided here, because the framework answers in
 * full whenever a client also sends `Cache-Control: no-cache`, which every fetch client does beside If-None-Match.
 */
export function isKnown(request: Request, etag: string | undefined): boolean {
  const sent = request.headers['if-none-match'];
  if (sent === undefined || etag === undefined) return false;
  if (sent.trim() === '*') return true;
  const opaque = (tag: string): string => tag.trim().replace(/^W\//, '');
  return sent.split(',').some((tag) => opaque(tag) === opaque(etag));
}
