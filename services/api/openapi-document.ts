import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OpenApiValidatorOpts } from 'express-openapi-validator/dist/openapi.validator.js';
import { HailmarkError, systemCode } from '../runtime/errors.ts';
import type { DeclaredParameter } from './parameters/check.ts';

const committed = join(import.meta.dirname, '../../schemas/openapi.json');
/** Stands in the file where a link of this service would, so that the file is a whole document by itself. */
const example_base_url = 'https://hail.example.com';

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
  /** As it is served: servers and links begin with the public base URL. */
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

/** Reads the file, or says in one sentence (`HAIL_NOT_STARTED`) why no API can be served by it. */
export function readOpenApiDocument(options: { public_base_url: string; file?: string }): OpenApiDocument {
  const text = readText(options.file ?? committed);
  const parse = (): unknown => JSON.parse(text);
  const bytes = Buffer.from(withBaseUrl(parse(), options.public_base_url));
  const document = parse() as {
    paths: Record<string, { get: DocumentedOperation }>;
    components: { parameters: Record<string, DocumentedParameter> };
  };
  const operation = (path: string): DocumentedOperation => {
    const found = document.paths[path]?.get;
    if (found === undefined) throw unusable(`it declares no GET ${path}`);
    return found;
  };
  const resolve = (parameter: DocumentedParameter | Reference): DocumentedParameter => {
    if (!('$ref' in parameter)) return parameter;
    const found = document.components.parameters[parameter.$ref.replace('#/components/parameters/', '')];
    if (found === undefined) throw unusable(`it has no ${parameter.$ref}`);
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
        throw unusable(`${path} declares no default of ${name}`);
      return parameter.schema.default;
    },
    isKeyed: (path) => operation(path).security.length > 0,
  };
}

/** A person must act: the file came with the program, and only the file that came with it says what this program answers. */
export function unusable(why: string, cause?: unknown): HailmarkError {
  return new HailmarkError(
    'HAIL_NOT_STARTED',
    `The API cannot start on schemas/openapi.json: ${why}. Put back the file of this version.`,
    { cause },
  );
}

function readText(file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw unusable(`it cannot be read (${systemCode(error) ?? 'unknown cause'})`, error);
  }
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw unusable('it is not JSON', error);
  }
  const has = (name: string): boolean =>
    typeof parsed === 'object' &&
    parsed !== null &&
    typeof (parsed as Record<string, unknown>)[name] === 'object';
  if (!has('paths') || !has('components')) throw unusable('it has no paths or no components');
  return text;
}

/** Servers are relative in the file, because the checks of requests go by path: the public URL may have one that a proxy takes away. */
function withBaseUrl(document: unknown, public_base_url: string): string {
  const replace = (name: string, value: unknown): unknown => {
    if (typeof value !== 'string') return value;
    if (name === 'url' && value.startsWith('/')) return `${public_base_url}${value}`;
    return value.replaceAll(example_base_url, () => public_base_url);
  };
  return `${JSON.stringify(document, replace, 2)}\n`;
}
