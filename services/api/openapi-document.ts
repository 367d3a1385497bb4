import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OpenApiValidatorOpts } from 'express-openapi-validator/dist/openapi.validator.js';
import type { DeclaredParameter } from './parameters/check.ts';

const file = join(import.meta.dirname, '../../schemas/openapi.json');

interface Reference {
  $ref: string;
}

type DocumentedParameter = DeclaredParameter & { in: string };

interface DocumentedOperation {
  parameters: (DocumentedParameter | Reference)[];
  security: unknown[];
}

/** `schemas/openapi.json`, the one source of bounds, defaults and shapes. */
export interface OpenApiDocument {
  bytes: Buffer;
  /** Strong: of the bytes as they are served. */
  etag: string;
  /** A copy that a validator may change as it likes. */
  copy: () => Extract<OpenApiValidatorOpts['apiSpec'], object>;
  /** The query parameters of the GET operation at a path. */
  queryParameters: (path: string) => DeclaredParameter[];
  /** A parameter's declared default, as text. */
  defaultOf: (path: string, parameter: string) => string;
  /** True where the operation at a path asks for a key. */
  isKeyed: (path: string) => boolean;
}

export function readOpenApiDocument(): OpenApiDocument {
  const bytes = readFileSync(file);
  const parse = (): unknown => JSON.parse(bytes.toString('utf8'));
  const document = parse() as {
    paths: Record<string, { get: DocumentedOperation }>;
    components: { parameters: Record<string, DocumentedParameter> };
  };
  const operation = (path: string): DocumentedOperation => {
    const found = document.paths[path]?.get;
    if (found === undefined) throw new Error(`openapi.json declares no GET ${path}`);
    return found;
  };
  const resolve = (parameter: DocumentedParameter | Reference): DocumentedParameter => {
    if (!('$ref' in parameter)) return parameter;
    const found = document.components.parameters[parameter.$ref.replace('#/components/parameters/', '')];
    if (found === undefined) throw new Error(`openapi.json has no ${parameter.$ref}`);
    return found;
  };
  const queryParameters = (path: string): DeclaredParameter[] =>
    operation(path)
      .parameters.map(resolve)
      .filter((parameter) => parameter.in === 'query');
  return {
    bytes,
    etag: `"${createHash('sha256').update(bytes).digest('base64url')}"`,
    copy: () => parse() as Extract<OpenApiValidatorOpts['apiSpec'], object>,
    queryParameters,
    defaultOf: (path, name) => {
      const parameter = queryParameters(path).find((each) => each.name === name);
      if (typeof parameter?.schema.default !== 'string')
        throw new Error(`${path} declares no default of ${name}`);
      return parameter.schema.default;
    },
    isKeyed: (path) => operation(path).security.length > 0,
  };
}
