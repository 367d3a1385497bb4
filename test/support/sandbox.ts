import type { AddressInfo } from 'node:net';
import { createSandbox, type SandboxOptions } from '../../infra/sandbox/server.ts';

export interface TestSandbox {
  url: string;
  /** The time that the publishers answer by from now on; it stands still. */
  setTime: (at: string) => void;
  get: (path: string, headers?: Record<string, string>) => Promise<Response>;
  text: (path: string) => Promise<string>;
  bytes: (path: string) => Promise<Buffer>;
  stop: () => Promise<void>;
}

/** The sandbox on a free port, its time set by hand. */
export async function startTestSandbox(
  at: string,
  options: Omit<SandboxOptions, 'clock'> = {},
): Promise<TestSandbox> {
  let now_ms = Date.parse(at);
  const server = createSandbox({ ...options, clock: () => now_ms });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const get: TestSandbox['get'] = (path, headers = {}) => fetch(url + path, { headers });
  return {
    url,
    setTime: (to) => (now_ms = Date.parse(to)),
    get,
    text: async (path) => (await get(path)).text(),
    bytes: async (path) => Buffer.from(await (await get(path)).arrayBuffer()),
    stop: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}
