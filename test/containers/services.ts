import { freePorts } from '../support/free-ports.ts';
import { account, start_ms, startOnNetwork, urlOf } from './network.ts';

/** Real services, wherever they run. */
export interface RealServices {
  brokers: string;
  registry_url: string;
  clickhouse_url: string;
  clickhouse_user: string;
  clickhouse_password: string;
  stop: () => Promise<void>;
}

/** The versions that compose.yaml runs, as near to the local stand-ins as they come. */
export const images = {
  kafka: 'apache/kafka:4.1.0',
  registry: 'confluentinc/cp-schema-registry:7.9.1',
  clickhouse: 'clickhouse/clickhouse-server:26.7',
} as const;

/** Starts Kafka, Confluent's registry on it and a ClickHouse server, each on a port of this machine. */
export function startContainers(): Promise<RealServices> {
  return startOnNetwork(async ({ GenericContainer, Wait, network, kept }) => {
    // The broker tells its clients where it is, so the port must be known before it starts.
    const [kafka_port = 0] = await freePorts(1);
    const kafka = kept(
      await new GenericContainer(images.kafka)
        .withNetwork(network)
        .withNetworkAliases('kafka')
        .withExposedPorts({ container: kafka_port, host: kafka_port })
        .withEnvironment(kafkaEnvironment(kafka_port))
        .withWaitStrategy(Wait.forLogMessage(/Kafka Server started/).withStartupTimeout(start_ms))
        .start(),
    );
    const registry = kept(
      await new GenericContainer(images.registry)
        .withNetwork(network)
        .withExposedPorts(8081)
        .withEnvironment({
          SCHEMA_REGISTRY_HOST_NAME: 'registry',
          SCHEMA_REGISTRY_LISTENERS: 'http://0.0.0.0:8081',
          SCHEMA_REGISTRY_KAFKASTORE_BOOTSTRAP_SERVERS: 'PLAINTEXT://kafka:19092',
        })
        .withWaitStrategy(Wait.forHttp('/subjects', 8081).withStartupTimeout(start_ms))
        .start(),
    );
    const clickhouse = kept(
      await new GenericContainer(images.clickhouse)
        .withExposedPorts(8123)
        .withEnvironment({ CLICKHOUSE_USER: account, CLICKHOUSE_PASSWORD: account })
        .withWaitStrategy(Wait.forHttp('/ping', 8123).withStartupTimeout(start_ms))
        .start(),
    );
    return {
      brokers: `${kafka.getHost()}:${kafka_port}`,
      registry_url: urlOf(registry, 8081),
      clickhouse_url: urlOf(clickhouse, 8123),
      clickhouse_user: account,
      clickhouse_password: account,
    };
  });
}

/** One node: everything that would be kept three times is kept once. The image takes all settings from here or none. */
function kafkaEnvironment(port: number): Record<string, string> {
  return {
    KAFKA_NODE_ID: '1',
    KAFKA_PROCESS_ROLES: 'broker,controller',
    KAFKA_CONTROLLER_QUORUM_VOTERS: '1@localhost:29093',
    KAFKA_CONTROLLER_LISTENER_NAMES: 'CONTROLLER',
    KAFKA_LISTENERS: `CONTROLLER://:29093,PLAINTEXT://:19092,HOST://:${port}`,
    KAFKA_ADVERTISED_LISTENERS: `PLAINTEXT://kafka:19092,HOST://localhost:${port}`,
    KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: 'CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,HOST:PLAINTEXT',
    KAFKA_INTER_BROKER_LISTENER_NAME: 'PLAINTEXT',
    KAFKA_AUTO_CREATE_TOPICS_ENABLE: 'false',
    KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: '1',
    KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR: '1',
    KAFKA_TRANSACTION_STATE_LOG_MIN_ISR: '1',
    KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS: '0',
    KAFKA_GROUP_MIN_SESSION_TIMEOUT_MS: '1000',
  };
}
