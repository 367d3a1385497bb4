import type { Problem } from '../errors/api-error.ts';
import type { RequestContext } from '../http/request-context.ts';
import type { SentValues } from '../parameters/check.ts';

export interface Answer {
  /** The `data` of the envelope, or the whole body where the operation is flat. */
  data: unknown;
  headers?: Readonly<Record<string, string>>;
}

/**
 * One operation of the API: a value that the app mounts. Path, parameters and answers are declared in `schemas/openapi.json` under the
 * same path; what stands here is what a schema cannot say.
 */
export interface Operation {
  /** Also `operationId` in `openapi.json` and the name in log lines. */
  name: string;
  path: string;
  /**
   * Legacy shape: the data without an envelope, errors as one string, unknown parameters ignored, under `/api/v1` alone.
   */
  flat?: true;
  /** `Link` of every answer under the path, errors among them: who is refused by a legacy operation should learn of its successor too. */
  links?: readonly string[];
  /** Problems between parameters or with the clock, from the values as sent. */
  problems?: (values: SentValues, now_ms: number) => Problem[];
  /** `query` has passed every check and carries the declared defaults. */
  answer: (query: Readonly<Record<string, unknown>>, context: RequestContext) => Promise<Answer>;
}
