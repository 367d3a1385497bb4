import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { gzipSync } from 'node:zlib';
import type { Request, Response } from 'express';
import { isKnown } from '../http/conditional.ts';

/**
 * Scripts and styles come from this service alone: no inline script, no other host, no frame around the page. Styles may stand inline,
 * because the reference's library sets them on its elements.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** A file of the documentation, sent whole or as 304. */
export interface Asset {
  path: string;
  send: (request: Request, response: Response) => void;
}

/** `read` is called at the first request: most processes never show the page, and the library is large. */
export function createAsset(path: string, type: string, read: () => Buffer): Asset {
  let kept: { bytes: Buffer; zipped: Buffer; etag: string } | undefined;
  return {
    path,
    send: (request, response) => {
      kept ??= keep(read());
      const { bytes, zipped, etag } = kept;
      const is_zipped = request.acceptsEncodings('gzip') === 'gzip';
      // Weak: one tag for both encodings.
      response.setHeader('ETag', etag);
      response.setHeader('Cache-Control', 'no-cache');
      response.setHeader('Vary', 'Accept-Encoding');
      response.setHeader('Content-Security-Policy', policy);
      response.setHeader('X-Content-Type-Options', 'nosniff');
      response.setHeader('Referrer-Policy', 'no-referrer');
      if (isKnown(request, etag)) {
        response.status(304).end();
        return;
      }
      if (is_zipped) response.setHeader('Content-Encoding', 'gzip');
      response.type(type).send(is_zipped ? zipped : bytes);
    },
  };
}

/** Files of the library that draws the reference, from the installed package. */
export function libraryFile(name: 'swagger-ui.css' | 'swagger-ui-bundle.js'): Buffer {
  return readFileSync(createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`));
}

function keep(bytes: Buffer): { bytes: Buffer; zipped: Buffer; etag: string } {
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
  return { bytes, zipped: gzipSync(bytes), etag: `W/"${hash}"` };
}
