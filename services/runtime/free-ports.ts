import { createServer } from 'node:net';
import { HailmarkError } from './errors.ts';

/**
 * Looks at all ports before anything is started, so that a taken one is one sentence and not the end of a half-started service. Port 0
 * (any free one) passes.
 */
export async function requireFreePorts(ports: readonly { setting: string; port: number }[]): Promise<void> {
  const twice = ports.filter(
    ({ port }) => port !== 0 && ports.filter((each) => each.port === port).length > 1,
  );
  if (twice.length > 0) {
    const names = twice.map(({ setting, port }) => `${setting} ${port}`).join(', ');
    throw new HailmarkError(
      'HAIL_CONFIG',
      `One port is set for two of: ${names}. Give each a port of its own.`,
    );
  }
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
