import { join } from 'node:path';
import { infra, readCompose } from '../support/compose.ts';
import type { StartedContainer } from './engine.ts';
import { account, start_ms, startOnNetwork, urlOf } from './network.ts';
import { images } from './services.ts';

/** Two replicas of ClickHouse and their Keeper, with the files that compose.yaml mounts. */
export interface Cluster {
  replicas: readonly [StartedContainer, StartedContainer];
  url: (replica: StartedContainer) => string;
  user: string;
  password: string;
  stop: () => Promise<void>;
}

export function startCluster(): Promise<Cluster> {
  return startOnNetwork(async ({ GenericContainer, Wait, network, kept }) => {
    const keeper_image = readCompose().services['clickhouse-keeper']?.image ?? '';
    kept(
      await new GenericContainer(keeper_image)
        .withNetwork(network)
        .withNetworkAliases('clickhouse-keeper')
        .withCopyFilesToContainer([
          {
            source: join(infra, 'clickhouse/keeper.xml'),
            target: '/etc/clickhouse-keeper/keeper_config.xml',
          },
        ])
        .withExposedPorts(9182)
        .withWaitStrategy(Wait.forHttp('/ready', 9182).withStartupTimeout(start_ms))
        .start(),
    );
    const replica = async (name: string): Promise<StartedContainer> =>
      kept(
        await new GenericContainer(images.clickhouse)
          .withNetwork(network)
          .withNetworkAliases(name)
          .withCopyFilesToContainer([
            {
              source: join(infra, 'clickhouse/server.xml'),
              target: '/etc/clickhouse-server/config.d/hailmark.xml',
            },
          ])
          .withEnvironment({
            CLICKHOUSE_REPLICA: name,
            CLICKHOUSE_USER: account,
            CLICKHOUSE_PASSWORD: account,
            CLICKHOUSE_DEFAULT_ACCESS_MANAGEMENT: '1',
          })
          .withExposedPorts(8123)
          .withWaitStrategy(Wait.forHttp('/ping', 8123).withStartupTimeout(start_ms))
          .start(),
      );
    const replicas = [await replica('clickhouse-1'), await replica('clickhouse-2')] as const;
    return {
      replicas,
      url: (container: StartedContainer) => urlOf(container, 8123),
      user: account,
      password: account,
    };
  });
}
