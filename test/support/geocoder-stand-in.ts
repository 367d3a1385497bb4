import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export interface StandIn {
  /** Listens on a free port; resolves with its URL, without a path. */
  start: () => Promise<string>;
  stop: () => void;
  /** Answers the n-th question from now on with the n-th handler, the last one from then on. The array fills with what is asked. */
  answerWith: (handlers: readonly Handler[]) => URL[];
}

/** A server in a geocoder's place, whose answers each test writes. */
export function createStandIn(): StandIn {
  let handlers: readonly Handler[] = [];
  let asked: URL[] = [];
  const server = createServer((request, response) => {
    const handler = handlers[Math.min(asked.length, handlers.length - 1)];
    asked.push(new URL(request.url ?? '/', 'http://geocoder'));
    assert.ok(handler);
    handler(request, response);
  });
  return {
    start: async () => {
      await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    },
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
    answerWith: (next) => {
      handlers = next;
      asked = [];
      return asked;
    },
  };
}
