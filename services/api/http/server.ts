import { createServer, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { systemCode } from '../../runtime/errors.ts';

/** The request line and all headers together; an address, its parameters and a key need a tenth of it. */
const max_header_bytes = 16 * 1024;
const headers_timeout_ms = 10_000;
const request_timeout_ms = 15_000;
const keep_alive_timeout_ms = 5_000;

/**
 * The HTTP server with its bounds. What is no HTTP, or too large, or too slow, never reaches the app; it is answered here in the shape of
 * every other error, with an id of its own.
 */
export function createHttpServer(app: RequestListener, createId: () => string): Server {
  const server = createServer(
    {
      maxHeaderSize: max_header_bytes,
      headersTimeout: headers_timeout_ms,
      requestTimeout: request_timeout_ms,
      keepAliveTimeout: keep_alive_timeout_ms,
    },
    app,
  );
  server.on('clientError', (error: Error, socket: Socket) => {
    if (!socket.writable || systemCode(error) === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    socket.end(refusal(systemCode(error), createId()));
  });
  return server;
}

function refusal(code: string | undefined, request_id: string): string {
  const [line, message] =
    code === 'HPE_HEADER_OVERFLOW'
      ? ['431 Request Header Fields Too Large', 'The request line and headers are larger than 16 KiB.']
      : code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? ['408 Request Timeout', 'The request was not sent in time.']
        : ['400 Bad Request', 'The request is not valid HTTP.'];
  const body = JSON.stringify({ error: { code: 'bad_request', message, request_id, detail: {} } });
  return (
    `HTTP/1.1 ${line}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
    `X-Request-Id: ${request_id}\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n${body}`
  );
}
