import type { RefusalReason } from '../limits/limiter.ts';
import type { AnsweredError, CapacityReason } from '../observer.ts';

/** Codes of structured errors (contract 7.1, and decisions for 404 and 405). */
export type ApiErrorCode =
  | 'bad_request'
  | 'unauthorized'
  | 'not_found'
  | 'method_not_allowed'
  | 'unprocessable_entity'
  | 'rate_limited'
  | 'internal_error';

/** One thing wrong with one parameter. The message never repeats the value. */
export interface Problem {
  parameter: string;
  message: string;
}

/** A refusal that the caller is told about, as it is answered. `detail` may hold the caller's own address; it is never logged. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: ApiErrorCode;
  readonly detail: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
  /** What is counted of it, where it is counted. */
  readonly counted: AnsweredError | null;

  constructor(
    status: number,
    code: ApiErrorCode,
    message: string,
    more: {
      detail?: Readonly<Record<string, unknown>>;
      headers?: Readonly<Record<string, string>>;
      counted?: AnsweredError | null;
    } = {},
  ) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.code = code;
    this.detail = more.detail ?? {};
    this.headers = more.headers ?? {};
    this.counted = more.counted ?? null;
  }
}

export function badRequest(problems: readonly Problem[]): ApiError {
  const message = problems.map(({ parameter, message: what }) => `${parameter}: ${what}`).join('; ');
  return new ApiError(400, 'bad_request', message, { detail: { errors: problems } });
}

/** One answer for a missing, a wrong and a revoked key. */
export function unauthorized(): ApiError {
  return new ApiError(401, 'unauthorized', 'A valid API key is required: Authorization: Bearer <API_KEY>.', {
    headers: { 'WWW-Authenticate': 'Bearer' },
  });
}

export function notFound(): ApiError {
  return new ApiError(404, 'not_found', 'There is no such path.');
}

export function methodNotAllowed(): ApiError {
  return new ApiError(405, 'method_not_allowed', 'This path answers GET and HEAD.', {
    headers: { Allow: 'GET, HEAD' },
  });
}

export function notGeocoded(address: string, candidates?: readonly string[]): ApiError {
  const message =
    candidates === undefined
      ? 'The address could not be geocoded.'
      : 'The address could not be geocoded to one house; the candidates may hold the one that was meant.';
  return new ApiError(422, 'unprocessable_entity', message, {
    detail: candidates === undefined ? { address } : { address, candidates },
  });
}

/** The key has used what it may in a minute or a day. `Retry-After` and the body name the same seconds. */
export function rateLimited(reason: RefusalReason, retry_after_seconds: number): ApiError {
  const message = `Rate limit exceeded (${reason}); try again in ${retry_after_seconds} seconds.`;
  return new ApiError(429, 'rate_limited', message, {
    detail: { retry_after_seconds, reason },
    headers: { 'Retry-After': String(retry_after_seconds) },
    counted: { kind: 'limited', reason },
  });
}

export function geocoderUnavailable(): ApiError {
  return new ApiError(500, 'internal_error', 'the geocoding service is unavailable');
}

/** For now nothing can be answered, and trying again later is right; `reason` where it is for want of room or time. */
export function notNow(message: string, retry_after_s: number, reason?: CapacityReason): ApiError {
  return new ApiError(503, 'internal_error', message, {
    headers: { 'Retry-After': String(retry_after_s) },
    counted: reason === undefined ? null : { kind: 'refused', reason },
  });
}

export function internalError(): ApiError {
  return new ApiError(500, 'internal_error', 'The request could not be answered; try again later.');
}
