import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { readBody } from './body.ts';
import type { Engine } from './engine.ts';
import { asEngineError, EngineError } from './errors.ts';
import { respondWithAnswer, respondWithError } from './respond.ts';
import { readQuestion } from './statement.ts';

export interface GatewayOptions {
  max_request_bytes: number;
  /** Of people's answers that clients have not read yet, together; an answer beyond is refused. */
  most_unread_bytes: number;
  /** A person's connection is closed when nothing of an answer was read for so long. A notebook that works through a stream takes its time. */
  longest_pause_ms: number;
}

/** Of a person's lane a place is free as soon as the engine is done: without this count, each client that does not read would hold an answer. */
interface Unread {
  bytes: number;
}

/** ClickHouse's HTTP interface before an engine. The caller listens and closes. */
export function createGateway(engine: Engine, options: GatewayOptions): Server {
  const unread: Unread = { bytes: 0 };
  return createServer({ keepAliveTimeout: 30_000, maxHeaderSize: 1024 * 1024 }, (request, response) => {
    void respond(engine, { ...options, unread }, request, response);
  });
}

/** Never rejects: an error that escaped would end the process, and with it every other client's answer. */
async function respond(
  engine: Engine,
  { max_request_bytes, most_unread_bytes, longest_pause_ms, unread }: GatewayOptions & { unread: Unread },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  let query_id: string = randomUUID();
  try {
    const { path, parameters } = target(request);
    const asked_without_query = request.method === 'GET' && path === '/' && parameters.size === 0;
    if (asked_without_query || (request.method !== 'POST' && ['/ping', '/replicas_status'].includes(path))) {
      response.writeHead(200, { 'Content-Type': 'text/html; charset=UTF-8' }).end('Ok.\n');
      return;
    }
    if (path !== '/') {
      response.writeHead(404, { 'Content-Type': 'text/plain' }).end('There is no handle for this path.\n');
      return;
    }
    query_id = parameters.get('query_id') ?? query_id;
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const question = readQuestion(request, parameters, await readBody(request, max_request_bytes));
    query_id = question.query_id ?? query_id;
    const answer = await engine.run(question.lane, question.statement, gone.signal);
    if (question.lane === 'people' && !response.destroyed) {
      const { length } = answer.bytes;
      if (unread.bytes + length > most_unread_bytes) {
        throw new EngineError(
          202,
          'The memory for answers is full of some that have not been read: read them or close them, and ask again, or ask for less. ' +
            '(TOO_MANY_SIMULTANEOUS_QUERIES)',
        );
      }
      unread.bytes += length;
      response.once('close', () => {
        unread.bytes -= length;
      });
      response.setTimeout(longest_pause_ms);
    }
    await respondWithAnswer(
      request,
      response,
      { query_id, format: question.statement.format, compress: question.compress },
      answer,
    );
  } catch (error) {
    // What is left of a refused body is read and dropped, so that the client gets to see the answer.
    request.resume();
    respondWithError(response, query_id, asEngineError(error));
  }
}

/** Split by hand: a target such as `//` is no URL, and a parser that throws on it is one more way to fail. */
function target(request: IncomingMessage): { path: string; parameters: URLSearchParams } {
  const [path = '/', ...rest] = (request.url ?? '/').split('?');
  return { path, parameters: new URLSearchParams(rest.join('?')) };
}
