import type { Request, Response } from 'express';
import type { Problem } from './errors/api-error.ts';
import { withinDeadline } from './http/deadline.ts';
import { envelope } from './http/envelope.ts';
import { isKnown } from './http/conditional.ts';
import { contextOf } from './http/request-context.ts';
import { sendJson } from './http/send.ts';
import type { OpenApiDocument } from './openapi-document.ts';
import type { Operation } from './operations/operation.ts';
import { mergeProblems, sentValues, syntaxProblems, type DeclaredParameter } from './parameters/check.ts';
import { readRawQuery } from './parameters/raw-query.ts';

/** What a path answers with. */
export interface Route {
  /** In log lines. */
  name: string;
  keyed: boolean;
  /** False for pages beside the API, which no document declares. */
  documented: boolean;
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
      declared,
      problems: problemsOf(declared, operation.problems),
      respond: async (request, response) => {
        const context = contextOf(response);
        const query = request.query as Readonly<Record<string, unknown>>;
        const answer = await withinDeadline(operation.answer(query, context), context.signal);
        for (const [name, value] of Object.entries(answer.headers ?? {})) response.setHeader(name, value);
        if (isKnown(request, answer.headers?.['ETag'])) response.status(304).end();
        else sendJson(response, 200, envelope(answer.data, context));
      },
    };
    return prefixes.map((prefix): [string, Route] => [`${prefix}${operation.path}`, route]);
  });
}

/** GET /api/v1/openapi.json (contract 4.7), byte for byte the file. */
export function documentRoute(document: OpenApiDocument): [path: string, route: Route] {
  return [
    '/api/v1/openapi.json',
    {
      name: 'openapi',
      keyed: false,
      documented: true,
      declared: [],
      problems: problemsOf([], undefined),
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
  respond: (response: Response) => Promise<void> | void,
): [path: string, route: Route] {
  return [
    path,
    {
      name: path.slice(1),
      keyed: false,
      documented: false,
      declared: [],
      problems: () => [],
      respond: (_request, response) => respond(response),
    },
  ];
}

function problemsOf(declared: readonly DeclaredParameter[], more: Operation['problems']): Route['problems'] {
  return (url, now_ms, of_schema) => {
    const pairs = readRawQuery(url);
    const own = syntaxProblems(declared, pairs);
    return mergeProblems(declared, [...own, ...(more?.(sentValues(pairs), now_ms) ?? [])], of_schema);
  };
}
