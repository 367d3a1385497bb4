import type { Request } from 'express';
import type { KeyDirectory } from '../keys/directory.ts';
import { contextOfRequest } from './request-context.ts';

/** RFC 9745: since when a key in the query is deprecated; `Link` says where that is written. */
const deprecated_since = '@1795219200';

const bearer = /^Bearer +([^\s]+) *$/i;

/**
 * The two security schemes of `openapi.json`. Where a request carries an Authorization header, that alone counts, even when it is wrong:
 * a client that moves to the header must notice that its header does not work.
 */
export function securityHandlers(
  directory: KeyDirectory,
  public_base_url: string,
): Record<'bearer' | 'api_key', (request: Request) => boolean> {
  const admit = (request: Request, key: string): boolean => {
    const fact = directory.find(key);
    if (fact === null) return false;
    contextOfRequest(request).key = fact;
    return true;
  };
  return {
    bearer: (request) => {
      const key = bearer.exec(request.headers.authorization ?? '')?.[1];
      return key !== undefined && admit(request, key);
    },
    api_key: (request) => {
      const key = request.query['api_key'];
      if (request.headers.authorization !== undefined || typeof key !== 'string') return false;
      if (!admit(request, key)) return false;
      const document = `${public_base_url}/api/v1/openapi.json`;
      request.res?.setHeader('Deprecation', deprecated_since);
      // Beside the link that a legacy path has already.
      request.res?.append('Link', `<${document}>; rel="deprecation"; type="application/json"`);
      return true;
    },
  };
}
