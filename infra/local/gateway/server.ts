import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { readBody } from './body.ts';
import type { Engine } from './engine.ts';
import { asEngineError } from './errors.ts';
import { respondWithBlocks, respondWithError } from './respond.ts';
import { readQuestion } from './statement.ts';

export interface GatewayOptions {
  max_request_bytes: number;
}

/** ClickHouse's HTTP interface before an engine. The caller listens and closes. */
export function createGateway(engine: Engine, options: GatewayOptions): Server {
  const server = createServer(
    { keepAliveTimeout: 30_000, maxHeaderSize: 1024 * 1024 },
    (request, response) => {
      void answer(request, response);
    },
  );
  return server;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://gateway');
    if (request.method === 'GET' && (url.pathname === '/ping' || url.pathname === '/replicas_status')) {
      response.writeHead(200, { 'Content-Type': 'text/html; charset=UTF-8' }).end('Ok.\n');
      return;
    }
    if (url.pathname !== '/') {
      response.writeHead(404, { 'Content-Type': 'text/plain' }).end(`There is no handle ${url.pathname}\n`);
      return;
    }
    if (request.method === 'GET' && url.search === '') {
      response.writeHead(200, { 'Content-Type': 'text/html; charset=UTF-8' }).end('Ok.\n');
      return;
    }
    let query_id = url.searchParams.get('query_id') ?? randomUUID();
    try {
      const body = await readBody(request, options.max_request_bytes);
      const question = readQuestion(request, url, body);
      query_id = question.query_id ?? query_id;
      await engine.run(question.lane, question.statement, (blocks) =>
        respondWithBlocks(
          request,
          response,
          { query_id, format: question.statement.format, compress: question.compress },
          blocks,
        ),
      );
    } catch (error) {
      request.resume();
      respondWithError(response, query_id, asEngineError(error));
    }
  }
}
