import { createServer, type IncomingMessage, type Server } from 'node:http';
import { RegistryError, type Registry } from './registry.ts';

const content_type = 'application/vnd.schemaregistry.v1+json';
const max_body_bytes = 4 * 1024 * 1024;

type Handler = (parts: string[], body: Record<string, unknown>) => unknown;

/** Confluent's REST API of the schema registry, the calls that its clients make. The caller listens and closes. */
export function createRegistryServer(registry: Registry): Server {
  const routes: [string, RegExp, Handler][] = [
    ['GET', /^\/$/, () => ({})],
    ['GET', /^\/schemas\/types$/, () => ['AVRO']],
    ['GET', /^\/subjects$/, () => registry.subjects()],
    [
      'GET',
      /^\/subjects\/([^/]+)\/versions$/,
      ([subject = '']) => registry.versions(subject).map(({ version }) => version),
    ],
    [
      'POST',
      /^\/subjects\/([^/]+)\/versions$/,
      ([subject = ''], body) => ({ id: registry.register(subject, schemaOf(body)) }),
    ],
    ['POST', /^\/subjects\/([^/]+)$/, ([subject = ''], body) => registry.lookup(subject, schemaOf(body))],
    [
      'GET',
      /^\/subjects\/([^/]+)\/versions\/([^/]+)$/,
      ([subject = '', v = '']) => registry.version(subject, v),
    ],
    [
      'GET',
      /^\/subjects\/([^/]+)\/versions\/([^/]+)\/schema$/,
      ([subject = '', v = '']) => JSON.parse(registry.version(subject, v).schema) as unknown,
    ],
    ['GET', /^\/schemas\/ids\/(\d+)$/, ([id]) => ({ schema: registry.schema(Number(id)).schema })],
    [
      'GET',
      /^\/schemas\/ids\/(\d+)\/schema$/,
      ([id]) => JSON.parse(registry.schema(Number(id)).schema) as unknown,
    ],
    ['GET', /^\/schemas\/ids\/(\d+)\/versions$/, ([id]) => registry.schema(Number(id)).versions],
    [
      'GET',
      /^\/schemas\/ids\/(\d+)\/subjects$/,
      ([id]) => registry.schema(Number(id)).versions.map(({ subject }) => subject),
    ],
    ['GET', /^\/config$/, () => ({ compatibilityLevel: registry.level(null) })],
    ['PUT', /^\/config$/, (_, body) => ({ compatibility: registry.setLevel(null, body['compatibility']) })],
    [
      'GET',
      /^\/config\/([^/]+)$/,
      ([subject = '']) => {
        const level = registry.level(subject);
        if (level !== null) return { compatibilityLevel: level };
        throw new RegistryError(
          40408,
          `Subject '${subject}' does not have subject-level compatibility configured`,
        );
      },
    ],
    [
      'PUT',
      /^\/config\/([^/]+)$/,
      ([subject = ''], body) => ({ compatibility: registry.setLevel(subject, body['compatibility']) }),
    ],
    [
      'POST',
      /^\/compatibility\/subjects\/([^/]+)\/versions(?:\/([^/]+))?$/,
      ([subject = '', v = ''], body) => {
        const messages = registry.compatible(subject, v, schemaOf(body));
        return { is_compatible: messages.length === 0, messages };
      },
    ],
  ];

  return createServer((request, response) => {
    void readJson(request)
      .then((body) => {
        const [pathname = '/'] = (request.url ?? '/').split('?');
        for (const [method, pattern, handler] of routes) {
          const parts = pattern.exec(pathname);
          if (parts === null || method !== request.method) continue;
          return handler(
            parts
              .slice(1)
              .map((part) => (part as string | undefined) ?? '')
              .map(decoded),
            body,
          );
        }
        throw new RegistryError(404, 'HTTP 404 Not Found', 404);
      })
      .then(
        (result) => ({ status: 200, result }),
        (error: unknown) =>
          error instanceof RegistryError
            ? { status: error.status, result: { error_code: error.error_code, message: error.message } }
            : { status: 500, result: { error_code: 50001, message: 'Error in the backend datastore' } },
      )
      .then(({ status, result }) => {
        response.writeHead(status, { 'Content-Type': content_type }).end(JSON.stringify(result));
      });
  });
}

function schemaOf(body: Record<string, unknown>): string {
  const type = body['schemaType'];
  if (type !== undefined && type !== 'AVRO')
    throw new RegistryError(42201, 'Only AVRO schemas are kept here.');
  if (Array.isArray(body['references']) && body['references'].length > 0)
    throw new RegistryError(42201, 'References to other subjects are not kept here.');
  if (typeof body['schema'] === 'string') return body['schema'];
  throw new RegistryError(42201, 'Empty schema');
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new RegistryError(400, 'The path is not properly encoded.', 400);
  }
}

async function readJson(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > max_body_bytes) throw new RegistryError(413, 'The request is too large.', 413);
    chunks.push(chunk);
  }
  if (size === 0) return {};
  try {
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    if (typeof body === 'object' && body !== null) return body as Record<string, unknown>;
  } catch {
    // Falls through to the same refusal.
  }
  throw new RegistryError(400, 'The request body is not a JSON object.', 400);
}
