import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { censusGeocoder } from './geocoder/handler.ts';
import type { Handler, SandboxResponse } from './handler.ts';
import { textResponse } from './handler.ts';
import { stormEventsDirectory } from './noaa_sed/handler.ts';
import { swdiService } from './swdi/handler.ts';

const recordings = join(import.meta.dirname, 'recordings');

/** Recorded publishers at their own paths, on one port. The caller listens and closes. */
export function createSandbox(): Server {
  const handlers: Handler[] = [
    stormEventsDirectory(recordings),
    swdiService(recordings),
    censusGeocoder(recordings),
  ];
  return createServer((request, response) => {
    const { status, headers, body } = answer(handlers, request.method, request.url ?? '/', request.headers);
    response.writeHead(status, { ...headers, 'Content-Length': body.length });
    response.end(request.method === 'HEAD' ? undefined : body);
  });
}

function answer(
  handlers: readonly Handler[],
  method: string | undefined,
  target: string,
  headers: Parameters<Handler>[0]['headers'],
): SandboxResponse {
  if (method !== 'GET' && method !== 'HEAD') return textResponse(405, 'text/plain', 'Method not allowed\n');
  const url = new URL(target, 'http://sandbox');
  if (url.pathname === '/')
    return textResponse(200, 'text/plain', 'Recorded publishers; see infra/sandbox/README.md\n');
  for (const handler of handlers) {
    const response = handler({ url, headers });
    if (response !== null) return response;
  }
  return textResponse(404, 'text/plain', 'Nothing is recorded at this path.\n');
}
