import { createServer, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { systemCode } from '../../runtime/errors.ts';
import { boundPipelines, pipeline_limits } from './pipeline.ts';

/** The request line and all headers together; an address, its parameters and a key need a tenth of it. */
const max_header_bytes = 16 * 1024;
const headers_timeout_ms = 10_000;
const request_timeout_ms = 15_000;
const keep_alive_timeout_ms = 5_000;
/** Longer than any answer takes. A client that reads or sends nothing for so long holds nothing any more. */
const idle_timeout_ms = 30_000;
/** Each may hold its header and a buffer of its answer: together what a small machine can spare. What comes beyond is closed at once. */
const max_connections = 4_000;
/** How often the two time-outs are looked after: a slow client is closed this much later at most. */
const check_interval_ms = 2_000;

export interface ServerLimits {
  headers_timeout_ms: number;
  request_timeout_ms: number;
  idle_timeout_ms: number;
  check_interval_ms: number;
}
export const server_limits: ServerLimits = {
  headers_timeout_ms,
  request_timeout_ms,
  idle_timeout_ms,
  check_interval_ms,
};

/**
 * The HTTP server with its bounds. What is no HTTP, or too large, or too slow, never reaches the app; it is answered here in the shape of
 * every other error, with an id of its own.
 */
export function createHttpServer(
  app: RequestListener,
  createId: () => string,
  limits: ServerLimits = server_limits,
  /** Told of each refusal that the app never saw. */
  onRefused: (status: number) => void = () => undefined,
): Server {
  const refuse = (socket: Socket, code: string | undefined): void => {
    const { line, message } = refusalOf(code);
    onRefused(Number.parseInt(line, 10));
    socket.end(refusal(line, message, createId()));
  };
  const pipelines = boundPipelines(app, pipeline_limits, () => onRefused(503));
  const server = createServer(
    {
      maxHeaderSize: max_header_bytes,
      headersTimeout: limits.headers_timeout_ms,
      requestTimeout: limits.request_timeout_ms,
      keepAliveTimeout: keep_alive_timeout_ms,
      // Node's own refusal of a request without a host has no body.
      requireHostHeader: false,
      connectionsCheckingInterval: limits.check_interval_ms,
    },
    (request, response) => {
      if (request.headers.host === undefined && request.httpVersion === '1.1') {
        refuse(request.socket, undefined);
      } else pipelines.listener(request, response);
    },
  );
  // What else a client expects but `100-continue` is ignored; node's own refusal has no body.
  server.on('checkExpectation', pipelines.listener);
  server.maxConnections = max_connections;
  server.setTimeout(limits.idle_timeout_ms);
  server.on('clientError', (error: Error, socket: Socket) => {
    if (!socket.writable || systemCode(error) === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    if (!pipelines.isEnding(socket)) refuse(socket, systemCode(error));
  });
  return server;
}

function refusalOf(code: string | undefined): { line: string; message: string } {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return {
        line: '431 Request Header Fields Too Large',
        message: 'The request line and headers are larger than 16 KiB.',
      };
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { line: '408 Request Timeout', message: 'The request was not sent in time.' };
    default:
      return { line: '400 Bad Request', message: 'The request is not valid HTTP.' };
  }
}

function refusal(line: string, message: string, request_id: string): string {
  const body = JSON.stringify({ error: { code: 'bad_request', message, request_id, detail: {} } });
  return (
    `HTTP/1.1 ${line}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
    `X-Request-Id: ${request_id}\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n${body}`
  );
}
