import { createServer } from 'node:net';
import { HailmarkError } from './errors.ts';

/**
 * Looks at all ports before anything is started, so that a taken one is one sentence and not the end of a half-started service. Port 0
 * (any free one) passes.
 */
export async function requireFreePorts(ports: readonly { setting: string; port: number }[]): Promise<void> {
  const taken: string[] = [];
  for (const { setting, port } of ports) {
    if (!(await isFree(port))) taken.push(`port ${port} (${setting})`);
  }
  if (taken.length === 0) return;
  throw new HailmarkError(
    'HAIL_PORT_IN_USE',
    `In use already: ${taken.join(', ')}. Stop the program that holds it, perhaps another Hailmark, or set another port.`,
  );
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
