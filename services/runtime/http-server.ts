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
    server.once('error', (error) => fail(cannotListen(error, options)));
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

/** What an operator can mend in a sentence; everything else as it is. */
function cannotListen(
  error: Error,
  { host, port, setting }: { host: string; port: number; setting: string },
): Error {
  const code = systemCode(error) ?? '';
  if (code === 'EADDRINUSE')
    return new HailmarkError(
      'HAIL_PORT_IN_USE',
      `Port ${port} is in use: stop the program that holds it, or set ${setting} to a free port.`,
      { cause: error },
    );
  if (code === 'EACCES')
    return new HailmarkError(
      'HAIL_CONFIG',
      `${setting}: this user may not listen at port ${port} (EACCES); set it to one from 1024 on, with a proxy in front.`,
      { cause: error },
    );
  if (['ENOTFOUND', 'EAI_AGAIN', 'EADDRNOTAVAIL'].includes(code))
    return new HailmarkError(
      'HAIL_CONFIG',
      `${host} is no address of this machine (${code}), so nothing can listen there for ${setting}: ` +
        'set API_HOST or OPS_HOST to one, such as 127.0.0.1, or 0.0.0.0 for all of them.',
      { cause: error },
    );
  return error;
}
