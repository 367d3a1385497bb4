import type { Request, Response } from 'express';
import type { Problem } from './errors/api-error.ts';
import { withinDeadline } from './http/deadline.ts';
import { envelope } from './http/envelope.ts';
import { isKnown } from './http/conditional.ts';
import { contextOf } from './http/request-context.ts';
import { sendJson } from './http/send.ts';
import type { OpenApiDocument } from './openapi-document.ts';
import type { Operation } from './operations/operation.ts';
import {
  isKnownParameter,
  mergeProblems,
  sentValues,
  syntaxProblems,
  type DeclaredParameter,
} from './parameters/check.ts';
import { readRawQuery } from './parameters/raw-query.ts';

/** What a path answers with. */
export interface Route {
  /** In log lines. */
  name: string;
  keyed: boolean;
  /** False for pages beside the API, which no document declares. */
  documented: boolean;
  /** True where even errors have the legacy shape. */
  flat: boolean;
  /** `Link` of every answer, errors among them. */
  links: readonly string[];
  declared: readonly DeclaredParameter[];
  /** Every problem of the query, those of the schema validator among them. */
  problems: (url: string, now_ms: number, of_schema: readonly Problem[]) => Problem[];
  respond: (request: Request, response: Response) => Promise<void> | void;
}

/** Both prefixes of the contract: one set of operations, published twice. */
const prefixes = ['/api/v1', '/v1'] as const;

export function operationRoutes(
  operations: readonly Operation[],
  document: OpenApiDocument,
): [path: string, route: Route][] {
  return operations.flatMap((operation) => {
    const declared = document.queryParameters(operation.path);
    const route: Route = {
      name: operation.name,
      keyed: document.isKeyed(operation.path),
      documented: true,
      flat: operation.flat === true,
      links: operation.links ?? [],
      declared,
      problems: problemsOf(declared, operation),
      respond: async (request, response) => {
        const context = contextOf(response);
        const query = request.query as Readonly<Record<string, unknown>>;
        const answer = await withinDeadline(operation.answer(query, context), context.signal);
        for (const [name, value] of Object.entries(answer.headers ?? {})) response.setHeader(name, value);
        if (isKnown(request, answer.headers?.['ETag'])) {
          // As the whole answer has it, which is encoded as the client takes it (RFC 9110, 15.4.5).
          response.vary('Accept-Encoding').status(304).end();
        } else sendJson(response, 200, operation.flat ? answer.data : envelope(answer.data, context));
      },
    };
    return (operation.flat ? prefixes.slice(0, 1) : prefixes).map((prefix): [string, Route] => [
      `${prefix}${operation.path}`,
      route,
    ]);
  });
}

/** GET /api/v1/openapi.json (contract 4.7): the file, with servers and links that begin with the public base URL. */
export function documentRoute(document: OpenApiDocument): [path: string, route: Route] {
  return [
    '/api/v1/openapi.json',
    {
      name: 'openapi',
      keyed: false,
      documented: true,
      flat: false,
      links: [],
      declared: [],
      problems: problemsOf([], {}),
      respond: (request, response) => {
        response.setHeader('ETag', document.etag);
        response.setHeader('Cache-Control', 'no-cache');
        if (isKnown(request, document.etag)) response.status(304).end();
        else response.type('application/json').send(document.bytes);
      },
    },
  ];
}

/** A page beside the API: no key, no envelope, its query is not looked at. */
export function pageRoute(
  path: string,
  respond: (response: Response, request: Request) => Promise<void> | void,
): [path: string, route: Route] {
  return [
    path,
    {
      name: path.slice(1),
      keyed: false,
      documented: false,
      flat: false,
      links: [],
      declared: [],
      problems: () => [],
      respond: (request, response) => respond(response, request),
    },
  ];
}

function problemsOf(
  declared: readonly DeclaredParameter[],
  { flat, problems: more }: Pick<Operation, 'flat' | 'problems'>,
): Route['problems'] {
  return (url, now_ms, of_schema) => {
    const sent = readRawQuery(url);
    const pairs = flat ? sent.filter(({ name }) => isKnownParameter(name, declared)) : sent;
    const own = syntaxProblems(declared, pairs);
    return mergeProblems(declared, [...own, ...(more?.(sentValues(pairs), now_ms) ?? [])], of_schema);
  };
}
