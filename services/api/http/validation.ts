import * as OpenApiValidator from 'express-openapi-validator';
import { OpenApiSpecLoader } from 'express-openapi-validator/dist/framework/openapi.spec.loader.js';
import type { Request, RequestHandler } from 'express';
import { unusable, type OpenApiDocument } from '../openapi-document.ts';

type LoaderOptions = ConstructorParameters<typeof OpenApiSpecLoader>[0];

/**
 * The checks that `openapi.json` asks for: key, parameters, and every answer. The validator hooks answers last, so that what it refuses
 * itself (400, 401) would go out unchecked; here its response step comes before security, and each answer below 500 is held against
 * the document. An answer that does not fit becomes a 500.
 */
export function createValidation(
  document: OpenApiDocument,
  handlers: Record<string, (request: Request) => boolean>,
  /** Comes after the key and before the parameters: the limits of that key. */
  afterKey: RequestHandler,
): RequestHandler[] {
  const steps = OpenApiValidator.middleware({
    apiSpec: takingReserved(document.copy()),
    validateApiSpec: true,
    // Unknown parameters are told apart in `parameters/check.ts`, with all other problems and not before them.
    validateRequests: { allErrors: true, allowUnknownQueryParameters: true },
    validateResponses: { allErrors: true },
    validateSecurity: { handlers },
    fileUploader: false,
  }) as RequestHandler[];
  const security = steps.findIndex(({ name }) => name === 'securityMiddleware');
  const responses = steps.findIndex(({ name }) => name === 'responseMiddleware');
  const [response_step] = responses < 0 ? [] : steps.splice(responses, 1);
  if (security < 0 || response_step === undefined) {
    throw new Error('the validator has other steps than this version knows: see createValidation');
  }
  return steps.toSpliced(security + 1, 0, afterKey).toSpliced(security, 0, response_step);
}

/**
 * The validator refuses a comma or an apostrophe that is not percent-encoded unless the document allows it. Here every query parameter does:
 * clients send addresses so. The published document does not say it, because clients that read it send `#` as it is too, which ends the
 * query: "12 Elm St #4, Moore, OK" would arrive as "12 Elm St".
 */
function takingReserved<T extends object>(document: T): T {
  return JSON.parse(JSON.stringify(document), (_name, value: unknown) =>
    isQueryParameter(value) ? { ...value, allowReserved: true } : value,
  ) as T;
}

function isQueryParameter(value: unknown): value is object {
  return (
    typeof value === 'object' && value !== null && 'in' in value && value.in === 'query' && 'schema' in value
  );
}

/**
 * Refuses (`HAIL_NOT_STARTED`) a document that is no OpenAPI document or refers to what is not in it. The validator looks at it when it meets
 * the first request and would answer that one and all after it with 500; here the process ends with a sentence instead.
 */
export async function requireValidDocument(document: OpenApiDocument): Promise<void> {
  try {
    const apiDoc = document.copy() as LoaderOptions['apiDoc'];
    await new OpenApiSpecLoader({ apiDoc, validateApiSpec: true, $refParser: { mode: 'bundle' } }).load();
  } catch (error) {
    throw unusable('it is no valid OpenAPI document', error);
  }
}
