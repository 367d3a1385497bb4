import { createServer } from 'node:net';

/** For processes of the service: their operations pages take any free ports, so that tests beside one another never meet. */
export const any_ops_ports: Readonly<Record<string, string>> = {
  API_OPS_PORT: '0',
  FEEDS_OPS_PORT: '0',
  PROJECTOR_OPS_PORT: '0',
  LOCAL_OPS_PORT: '0',
};

/**
 * Below the ports that the system gives by itself, to whoever asks for any (32768 and up on Linux): one of those may be somebody else's by
 * the time its program listens, or while a killed program is away.
 */
const first_port = 12_000;
const ports_in_all = 20_000;
/** Test files are processes of their own: each begins at another place, and never gives a port twice before it has been all round. */
const ports_of_a_process = 40;
let next = (process.pid * ports_of_a_process) % ports_in_all;

/** So many different ports that nobody listens at. */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  for (let looked = 0; ports.length < count; looked += 1) {
    if (looked === ports_in_all) throw new Error(`there are no ${count} free ports from ${first_port} up`);
    const port = first_port + next;
    next = (next + 1) % ports_in_all;
    if (await isFree(port)) ports.push(port);
  }
  return ports;
}

function isFree(port: number): Promise<boolean> {
  return new Promise((done) => {
    const server = createServer();
    server.once('error', () => done(false));
    server.listen(port, '127.0.0.1', () => server.close(() => done(true)));
  });
}
