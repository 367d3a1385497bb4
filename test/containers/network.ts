import { createCleanup } from '../support/cleanup.ts';
import { loadDriver, type Driver, type StartedContainer, type StartedNetwork } from './engine.ts';

/** How long one container may take until it serves. */
export const start_ms = 180_000;
/** User and password of the stores in containers. NOT REAL. */
export const account = 'hailmark';

export interface Parts extends Driver {
  network: StartedNetwork;
  /** Hands back a container that has been started, to be stopped with the others. */
  kept: (container: StartedContainer) => StartedContainer;
}

/**
 * Starts containers on a network of their own. What was kept stops in reverse order, the network last: when the result is stopped, or at
 * once where the start fails, because a container outlives the test that has started it.
 */
export async function startOnNetwork<T extends object>(
  start: (parts: Parts) => Promise<T>,
): Promise<T & { stop: () => Promise<void> }> {
  const driver = await loadDriver();
  const started = createCleanup();
  const kept = (container: StartedContainer): StartedContainer => {
    started.keep({
      stop: async () => {
        await container.stop();
      },
    });
    return container;
  };
  try {
    const network = started.keep(await new driver.Network().start());
    const { GenericContainer, Network, Wait } = driver;
    const services = await start({ GenericContainer, Network, Wait, network, kept });
    return { ...services, stop: async () => started.stop() };
  } catch (error) {
    await started.stop();
    throw error;
  }
}

/** Where a port of a container is on this machine; another one after a restart. */
export function urlOf(container: StartedContainer, port: number): string {
  return `http://${container.getHost()}:${container.getMappedPort(port)}`;
}
