import type { RequestHandler } from 'express';
import { methodology } from '../../hail/methodology/methodology.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { ApiKeyFact } from '../../log/facts.ts';
import { rateLimited } from '../errors/api-error.ts';
import { rateLimitHeaders } from './headers.ts';
import type { Limiter } from './limiter.ts';
import type { Usage } from '../usage/usage.ts';
import { contextOf, type RequestContext } from '../http/request-context.ts';

export interface KeyedRequestDeps {
  limiter: Limiter;
  usage: Pick<Usage, 'record'>;
  /** Runs on also where the answers' clock is held: days of limits pass by it. */
  wall_clock: Clock;
}

/**
 * What every request with a live key meets right after its key: the limits (429), and the record of its use once its answer is out. Open
 * operations pass. A client that goes away before its answer has used its place; an answer in 5xx has not.
 */
export function keyedRequests({ limiter, usage, wall_clock }: KeyedRequestDeps): RequestHandler {
  return async (_request, response, next) => {
    const context = contextOf(response);
    const { key } = context;
    if (key === null) {
      next();
      return;
    }
    const at = wall_clock();
    const began = performance.now();
    let giveBack: (() => Promise<void>) | null = null;
    response.on('close', () => {
      const status = response.writableFinished ? response.statusCode : null;
      usage.record(factOf(context, key, { status, at, duration_ms: performance.now() - began }));
      if (status !== null && status >= 500) void giveBack?.();
    });
    const decision = await limiter.admit(key);
    for (const [name, value] of Object.entries(rateLimitHeaders(key, decision.standings)))
      response.setHeader(name, value);
    if (decision.outcome === 'refused') throw rateLimited(decision.reason, decision.retry_after_s);
    giveBack = decision.giveBack;
    next();
  };
}

/** Neither the address nor the key: the cell of about 20 by 39 km and the key's public id. */
function factOf(
  { request_id, operation, geohash_4 }: RequestContext,
  { key_id }: ApiKeyFact,
  { status, at, duration_ms }: { status: number | null; at: number; duration_ms: number },
): Parameters<Usage['record']>[0] {
  return {
    request_id,
    key_id,
    operation: operation ?? 'unknown',
    status,
    duration_ms: Math.round(duration_ms * 100) / 100,
    methodology_version: methodology.version,
    geohash_4,
    at,
  };
}
