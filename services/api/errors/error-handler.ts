import type { ErrorRequestHandler, Request } from 'express';
import type { LogOutput } from '../../runtime/log-output.ts';
import type { ApiObserver } from '../observer.ts';
import { contextOf, type RequestContext } from '../http/request-context.ts';
import { sendJson } from '../http/send.ts';
import { ApiError, badRequest, internalError, unauthorized, type Problem } from './api-error.ts';

/** A long list with one mistake has it thousands of times. */
const most_places_logged = 10;

/** An error of the schema validator: a plain object's shape, known by its fields. */
interface ValidatorError {
  status: number;
  errors: { path: string; message: string; errorCode?: string }[];
}

/**
 * Turns whatever was thrown into a structured error. What the caller may know was thrown as an `ApiError`; everything else is logged and
 * answered with the same sentence, so that no internal text leaves the service.
 */
export function errorHandler(
  output: LogOutput,
  allProblems: (request: Request, now_ms: number, of_schema: readonly Problem[]) => Problem[],
  isFlat: (request: Request) => boolean,
  observer?: Pick<ApiObserver, 'answered'>,
): ErrorRequestHandler {
  const answerTo = (error: unknown, request: Request, context: RequestContext): ApiError => {
    if (error instanceof ApiError) return error;
    if (isValidatorError(error) && error.status === 401) return unauthorized();
    if (isValidatorError(error) && error.status === 400) {
      return badRequest(allProblems(request, context.computed_at_ms, schemaProblems(error)));
    }
    if (isValidatorError(error)) observer?.answered({ kind: 'mismatch' });
    output.error(
      { request_id: context.request_id, operation: context.operation, ...describe(error) },
      'a request failed on an error of our own or of what it needs',
    );
    return internalError();
  };
  return (error: unknown, request, response, next) => {
    const context = contextOf(response);
    const answer = answerTo(error, request, context);
    if (answer.counted !== null) observer?.answered(answer.counted);
    if (response.headersSent) {
      // Nothing can be said any more; express ends the connection, so that half an answer is not taken for a whole one.
      next(answer);
      return;
    }
    for (const [name, value] of Object.entries(answer.headers)) response.setHeader(name, value);
    if (isFlat(request)) {
      sendJson(response, answer.status, flatError(answer));
      return;
    }
    sendJson(response, answer.status, {
      error: {
        code: answer.code,
        message: answer.message,
        request_id: context.request_id,
        detail: answer.detail,
      },
    });
  };
}

/** The legacy shape (contract 7.2): a code that old clients know, with what they read beside it. */
function flatError({ code, message, detail }: ApiError): Record<string, unknown> {
  switch (code) {
    case 'bad_request':
      return { error: `bad_request: ${message}` };
    case 'unprocessable_entity':
      return { error: 'geocode_failed', address: detail['address'] };
    case 'rate_limited':
      return {
        error: `rate_limited (${String(detail['reason'])})`,
        retry_after: detail['retry_after_seconds'],
      };
    default:
      return { error: code };
  }
}

function isValidatorError(error: unknown): error is ValidatorError {
  return (
    typeof error === 'object' &&
    error !== null &&
    'status' in error &&
    typeof error.status === 'number' &&
    'errors' in error &&
    Array.isArray(error.errors)
  );
}

function schemaProblems({ errors }: ValidatorError): Problem[] {
  return errors.map(({ path, message, errorCode }) => ({
    parameter: path.split('/').at(-1) ?? path,
    message: errorCode?.startsWith('required.') === true ? 'is required' : message,
  }));
}

/** What a log line may hold of an error: an answer that does not fit its schema is named by place and rule, never by content. */
function describe(error: unknown): Record<string, unknown> {
  if (!isValidatorError(error)) return { err: error };
  return {
    invalid_answer: error.errors
      .slice(0, most_places_logged)
      .map(({ path, errorCode }) => `${path} ${errorCode ?? ''}`.trim()),
  };
}
