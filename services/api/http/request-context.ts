import type { Request, Response } from 'express';
import type { ApiKeyFact } from '../../log/facts.ts';

/** What is known of one request. */
export interface RequestContext {
  request_id: string;
  /** The one reading of the clock: every "now" of the answer is this one. */
  computed_at_ms: number;
  /** Operation id once the path is known. */
  operation: string | null;
  /** The key that let the request in; null on open operations. */
  key: ApiKeyFact | null;
  /** The cell of about 20 by 39 km that the property lies in, once it is known: all that usage keeps of a place. */
  geohash_4: string | null;
  /** Aborts when the request has taken its time or the client has gone. */
  signal: AbortSignal;
  /** When it will have taken its time, by `performance.now()`. */
  deadline_ms: number;
}

const name = 'hailmark_context';

export function setContext(response: Response, context: RequestContext): void {
  response.locals[name] = context;
}

export function contextOf(response: Response): RequestContext {
  const context = (response.locals as Record<string, unknown>)[name];
  if (context === undefined) throw new Error('a request has its context before anything else');
  return context as RequestContext;
}

/** The validator hands its handlers the request alone; express keeps the response beside it. */
export function contextOfRequest(request: Request): RequestContext {
  if (request.res === undefined) throw new Error('express sets the response of a request');
  return contextOf(request.res);
}
