import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HailmarkError, systemCode } from './errors.ts';
import type { ProcessContext } from './lifecycle.ts';

/** How long requests in flight may take to finish once a server stops, unless its process says otherwise. */
const usual_finish_ms = 3_000;

/**
 * Listens and resolves with the port that was taken (0 takes any free one). The server stops with the process: no new connections, idle
 * ones closed, requests in flight finished or, after a while, cut. A port in use is one sentence that names the setting.
 */
export async function listen(
  context: ProcessContext,
  server: Server,
  options: { host: string; port: number; setting: string; finish_ms?: number },
): Promise<number> {
  const { host, port, setting, finish_ms } = options;
  await new Promise<void>((done, fail) => {
    server.once('error', (error) =>
      fail(systemCode(error) === 'EADDRINUSE' ? inUse(port, setting, error) : error),
    );
    server.listen(port, host, done);
  });
  context.onStop({ name: setting, stop: () => stopServer(server, finish_ms) });
  return (server.address() as AddressInfo).port;
}

export function stopServer(server: Server, finish_ms = usual_finish_ms): Promise<void> {
  return new Promise((done) => {
    const cut = setTimeout(() => server.closeAllConnections(), finish_ms);
    server.close(() => {
      clearTimeout(cut);
      done();
    });
    server.closeIdleConnections();
  });
}

function inUse(port: number, setting: string, cause: Error): HailmarkError {
  return new HailmarkError(
    'HAIL_PORT_IN_USE',
    `Port ${port} is in use: stop the program that holds it, or set ${setting} to a free port.`,
    { cause },
  );
}
