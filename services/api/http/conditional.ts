import type { Express, Request } from 'express';

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

/**
 * Takes the decision away from the framework, which would answer 304 to `If-None-Match: *` also where there is no ETag: an answer that is
 * computed for one request is nobody's to keep.
 */
export function decideConditionsHere(app: Express): void {
  Object.defineProperty(app.request, 'fresh', { value: false });
}
