import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface PipelineLimits {
  /** Requests of one connection that are under way at once. */
  of_one: number;
  /** Requests of all connections together. */
  of_all: number;
}

/** Of one connection more than any client has use for; of all, what fits into the heap of a small machine beside everything else. */
export const pipeline_limits: PipelineLimits = { of_one: 16, of_all: 4_000 };

/**
 * Node hands over every request that it finds in what it has read of a connection, and each holds its memory until it is answered: without
 * a bound a few clients that write a thousand requests without waiting end the process. Those within the bound are answered in their order,
 * the last with `Connection: close`; what came behind them is not begun, and its client asks again over a new connection (RFC 9112 9.3.2).
 * A connection that comes when all have enough to do is closed. `onExcess` is told once of each connection that is ended so. What the
 * server finds wrong with a connection that `isEnding` is no matter any more: it stopped reading in the middle of a request itself.
 */
export function boundPipelines(
  app: RequestListener,
  limits: PipelineLimits,
  onExcess: () => void,
): { listener: RequestListener; isEnding: (socket: Socket) => boolean } {
  const under_way = new WeakMap<Socket, { count: number; last: ServerResponse | undefined }>();
  const ending = new WeakSet<Socket>();
  let in_all = 0;

  const end = (socket: Socket, last: ServerResponse | undefined): void => {
    ending.add(socket);
    onExcess();
    if (last === undefined) {
      socket.destroy();
      return;
    }
    // Nothing more is read; what is owed still goes out.
    socket.pause();
    last.shouldKeepAlive = false;
    last.once('close', () => socket.destroySoon());
  };
  const listener: RequestListener = (request, response) => {
    const { socket } = request;
    if (ending.has(socket)) return;
    const own = under_way.get(socket) ?? { count: 0, last: undefined };
    if (own.count >= limits.of_one || in_all >= limits.of_all) {
      end(socket, own.last);
      return;
    }
    own.count += 1;
    own.last = response;
    under_way.set(socket, own);
    in_all += 1;
    response.once('close', () => {
      own.count -= 1;
      if (own.last === response) own.last = undefined;
      in_all -= 1;
    });
    app(request, response);
  };
  return { listener, isEnding: (socket) => ending.has(socket) };
}
