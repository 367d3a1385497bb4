import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { Clock } from '../../runtime/clock.ts';
import type { LogOutput } from '../../runtime/log-output.ts';
import type { ApiObserver } from '../observer.ts';
import { proxiedRequestId } from './request-id.ts';
import { setContext, type RequestContext } from './request-context.ts';

export interface AdmissionDeps {
  clock: Clock;
  createId: () => string;
  output: LogOutput;
  /** True once the process was asked to stop: who is answered then is told to connect anew, elsewhere. */
  isStopping: () => boolean;
  observer?: ApiObserver;
}

/**
 * The first thing every request meets: its id, its one reading of the clock, its deadline, its log line. The line says operation, status,
 * time and key id; never the path's query, an address or a key.
 */
export function admission(deps: AdmissionDeps, options: { deadline_ms: number }): RequestHandler {
  return (request: Request, response: Response, next: NextFunction): void => {
    const began = performance.now();
    deps.observer?.began();
    const gone = new AbortController();
    const context: RequestContext = {
      request_id: proxiedRequestId(request) ?? deps.createId(),
      computed_at_ms: deps.clock(),
      operation: null,
      key: null,
      geohash_4: null,
      signal: AbortSignal.any([gone.signal, AbortSignal.timeout(options.deadline_ms)]),
      deadline_ms: began + options.deadline_ms,
    };
    setContext(response, context);
    response.setHeader('X-Request-Id', context.request_id);
    response.setHeader('Cache-Control', 'no-store');
    if (deps.isStopping()) response.setHeader('Connection', 'close');
    response.on('close', () => {
      gone.abort();
      const seen = {
        operation: context.operation,
        status: response.writableFinished ? response.statusCode : null,
        duration_ms: Math.round((performance.now() - began) * 100) / 100,
      };
      deps.observer?.ended(seen);
      deps.output.info(
        {
          ...seen,
          key_id: context.key?.key_id ?? null,
          request_id: context.request_id,
          ...(response.writableFinished ? {} : { client_gone: true }),
        },
        'request',
      );
    });
    simplify(request);
    next();
  };
}

/**
 * Takes away what no operation reads but the framework would: HEAD is GET (node leaves the body out by itself), an absolute URL is its
 * path (the validator would not recognise the operation and not ask for a key), and a body's type means nothing on GET (the validator
 * would keep a compiled schema for every type that anybody thinks of).
 */
function simplify(request: Request): void {
  if (request.method === 'HEAD') request.method = 'GET';
  const absolute = /^https?:\/\/[^/?#]*/i.exec(request.url);
  if (absolute !== null) {
    const path = request.url.slice(absolute[0].length);
    request.url = path.startsWith('/') ? path : `/${path}`;
    request.originalUrl = request.url;
  }
  delete request.headers['content-type'];
}
