import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRegistry } from '../../infra/local/registry/registry.ts';
import { createRegistryServer } from '../../infra/local/registry/server.ts';
import { openJournal } from '../../infra/local/registry/store.ts';
import { freePorts } from '../support/free-ports.ts';

export interface TestServer {
  url: string;
  /** Paths that were asked, in order. */
  asked: string[];
  stop: () => Promise<void>;
}

/** The local registry itself, in this process, counting what it is asked; `port` to bring one back where it was. */
export async function startRegistry(folder: string, port = 0): Promise<TestServer> {
  const journal = openJournal(folder);
  const server = await serve(createRegistryServer(createRegistry(journal)), port);
  return {
    ...server,
    stop: async () => {
      await server.stop();
      journal.close();
    },
  };
}

/** Something that answers where a registry should. */
export function startImpostor(answer: RequestListener): Promise<TestServer> {
  return serve(createServer(answer), 0);
}

export function temporaryFolder(): { folder: string; stop: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'hailmark-codec-'));
  return { folder, stop: () => rmSync(folder, { recursive: true, force: true }) };
}

async function serve(server: Server, port: number): Promise<TestServer> {
  const asked: string[] = [];
  server.prependListener('request', (request) => asked.push(request.url ?? ''));
  // A port that stays free for it while it is away.
  const [own = 0] = port === 0 ? await freePorts(1) : [port];
  server.listen(own, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    stop: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
