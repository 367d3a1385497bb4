import type { ServerResponse } from 'node:http';
import type { FaultKind } from './faults.ts';
import type { SandboxResponse } from './handler.ts';

const page = Buffer.from(
  '<!DOCTYPE html>\n<html><body><h1>Sorry, something is not right</h1></body></html>\n',
);
const html = { 'Content-Type': 'text/html' };
const endless_piece = Buffer.alloc(64 * 1024, 'NOT REAL, without end\n');

export interface SendOptions {
  /** True for HEAD: the head alone. */
  head_only: boolean;
  /** The pause after each byte of a slow answer. */
  slow_byte_ms: number;
}

/** Sends the answer as it is. A 304 has no length: it would be that of an answer of none. */
export function send(
  response: ServerResponse,
  { status, headers, body }: SandboxResponse,
  { head_only }: Pick<SendOptions, 'head_only'>,
): void {
  response.writeHead(status, status === 304 ? headers : { ...headers, 'Content-Length': body.length });
  response.end(head_only ? undefined : body);
}

/** Sends the answer in the way of the fault. What goes on after the call ends with the connection. */
export function sendFaulty(
  response: ServerResponse,
  answer: SandboxResponse,
  kind: FaultKind,
  options: SendOptions,
): void {
  switch (kind) {
    case 'dead':
      response.socket?.resetAndDestroy();
      return;
    case 'hang':
      return;
    case 'slow':
      sendSlowly(response, answer, options);
      return;
    case 'truncated':
      response.writeHead(answer.status, { ...answer.headers, 'Content-Length': answer.body.length });
      response.write(answer.body.subarray(0, answer.body.length / 2), () => response.destroy());
      return;
    case 'endless':
      sendEndlessly(response, answer);
      return;
    case '403':
    case '500':
      send(response, { status: Number(kind), headers: html, body: page }, options);
      return;
    case 'html':
      send(response, { status: 200, headers: html, body: page }, options);
      return;
    case 'retry-after':
      send(response, { status: 429, headers: { ...html, 'Retry-After': '1' }, body: page }, options);
      return;
    case 'stale-listing':
      send(response, answer, options);
      return;
  }
}

function sendSlowly(
  response: ServerResponse,
  { status, headers, body }: SandboxResponse,
  { slow_byte_ms }: SendOptions,
): void {
  response.writeHead(status, { ...headers, 'Content-Length': body.length });
  response.flushHeaders();
  let sent = 0;
  const timer = setInterval(() => {
    if (sent < body.length) response.write(body.subarray(sent, ++sent));
    else response.end();
  }, slow_byte_ms);
  response.once('close', () => clearInterval(timer));
}

/** Pieces as fast as the reader takes them, and never more in memory than the connection holds. */
function sendEndlessly(response: ServerResponse, { status, headers }: SandboxResponse): void {
  response.writeHead(status, headers);
  const more = (): void => {
    if (response.destroyed) return;
    if (response.write(endless_piece)) setImmediate(more);
    else response.once('drain', more);
  };
  more();
}
