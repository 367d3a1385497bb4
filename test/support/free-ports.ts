import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

/** For processes of the service: their operations pages take any free ports, so that tests beside one another never meet. */
export const any_ops_ports: Readonly<Record<string, string>> = {
  API_OPS_PORT: '0',
  FEEDS_OPS_PORT: '0',
  PROJECTOR_OPS_PORT: '0',
  LOCAL_OPS_PORT: '0',
};

/** So many different ports, free a moment ago. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(
    servers.map((server) => {
      const closed = once(server, 'close');
      server.close();
      return closed;
    }),
  );
  return ports;
}
