import compression from 'compression';
import type { RequestHandler } from 'express';

/** Below this a packet is a packet. */
const least_bytes = 1_024;

/**
 * Encodes answers as the client takes them (Brotli, gzip). Not what carries a strong ETag: that names the bytes, and encoded ones are others.
 * Keys are in no answer, so what a client echoes beside them cannot guess them by the length.
 */
export function createCompression(): RequestHandler {
  return compression({
    threshold: least_bytes,
    filter: (request, response) => {
      const etag = response.getHeader('ETag');
      const is_strong = typeof etag === 'string' && !etag.startsWith('W/');
      return !is_strong && compression.filter(request, response);
    },
  });
}
