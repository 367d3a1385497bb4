import { request } from 'node:http';
import { join } from 'node:path';

/** The package that drives the engine. Its name is a value, so that the suite is checked and skipped where it is not installed. */
const driver: string = 'testcontainers';
const ping_ms = 2_000;

/** What is used of the package. */
export interface Driver {
  GenericContainer: new (image: string) => Container;
  Network: new () => { start: () => Promise<StartedNetwork> };
  Wait: {
    forHttp: (path: string, port: number) => WaitStrategy;
    forLogMessage: (pattern: RegExp) => WaitStrategy;
  };
}

export interface StartedNetwork {
  stop: () => Promise<void>;
}

export interface StartedContainer {
  getHost: () => string;
  getMappedPort: (port: number) => number;
  /** Keeps the container's data; its ports are others afterwards. */
  restart: () => Promise<void>;
  exec: (command: string[]) => Promise<{ exitCode: number; output: string }>;
  stop: () => Promise<unknown>;
}

interface WaitStrategy {
  withStartupTimeout: (span_ms: number) => WaitStrategy;
}

interface Container {
  withNetwork: (network: StartedNetwork) => Container;
  withNetworkAliases: (...names: string[]) => Container;
  withCopyFilesToContainer: (files: { source: string; target: string }[]) => Container;
  withEnvironment: (environment: Record<string, string>) => Container;
  withExposedPorts: (...ports: (number | { container: number; host: number })[]) => Container;
  withWaitStrategy: (strategy: WaitStrategy) => Container;
  start: () => Promise<StartedContainer>;
}

export async function loadDriver(): Promise<Driver> {
  return (await import(driver)) as Driver;
}

/** Why containers cannot be run here, as the reason of a skipped suite; false where they can. */
export async function containersAreMissing(): Promise<string | false> {
  const places = enginePlaces();
  const answers = await Promise.all(places.map(isEngine));
  if (!answers.includes(true)) {
    const tried = places.map((place) => place.socketPath ?? `${place.host}:${place.port}`).join(', ');
    return `needs a container engine: none answers at ${tried} (DOCKER_HOST names another)`;
  }
  try {
    import.meta.resolve(driver);
    return false;
  } catch {
    return `needs the package ${driver}: npm install --no-save ${driver}@12.2.0`;
  }
}

type Place = { socketPath: string } | { socketPath?: undefined; host: string; port: number };

/** Where an engine can be: where DOCKER_HOST says, otherwise the usual sockets of Docker, of one's own and of Podman. */
function enginePlaces(): Place[] {
  const { DOCKER_HOST: named = '', XDG_RUNTIME_DIR: own, HOME: home } = process.env;
  if (named.startsWith('unix://')) return [{ socketPath: named.slice('unix://'.length) }];
  if (URL.canParse(named)) {
    const { hostname, port } = new URL(named);
    return [{ host: hostname, port: Number(port === '' ? 2375 : port) }];
  }
  const sockets = ['/var/run/docker.sock'];
  if (own !== undefined) sockets.push(join(own, 'docker.sock'), join(own, 'podman/podman.sock'));
  if (home !== undefined) sockets.push(join(home, '.docker/run/docker.sock'));
  return sockets.map((socketPath) => ({ socketPath }));
}

function isEngine(place: Place): Promise<boolean> {
  return new Promise((done) => {
    const asked = request({ ...place, path: '/_ping', timeout: ping_ms }, (response) => {
      response.resume();
      done(response.statusCode === 200);
    });
    asked.on('timeout', () => asked.destroy());
    asked.on('error', () => done(false));
    asked.end();
  });
}
