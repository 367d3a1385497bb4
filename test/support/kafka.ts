import { rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { startBroker, type Broker } from '../../infra/local/kafka/broker.ts';
import { missingForKafka } from '../../infra/local/kafka/jars.ts';
import { temporaryFolder } from './local-services.ts';

/** A broker to test against. */
export interface TestKafka {
  /** For `KAFKA_BROKERS`. */
  brokers: string;
  /** Kills the broker and starts it again on the same data and port. */
  killAndRestart: () => Promise<void>;
  stop: () => Promise<void>;
}

/** Why the tests on Kafka cannot run here, in words; false where they can. */
export async function kafkaIsMissing(): Promise<string | false> {
  const missing = await missingForKafka();
  return missing === null ? false : `needs ${missing}`;
}

/** A broker of the test's own, in a folder and on ports of its own. */
export async function startTestKafka(settings: Readonly<Record<string, string>> = {}): Promise<TestKafka> {
  const folder = temporaryFolder('hailmark-kafka-');
  const options = {
    settings,
    folder: join(folder, 'broker'),
    port: await freePort(),
    controller_port: await freePort(),
  };
  let broker: Broker = await startBroker(options);
  return {
    brokers: broker.address,
    killAndRestart: async () => {
      await broker.kill9();
      broker = await startBroker(options);
    },
    stop: async () => {
      await broker.kill9();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A port that was free a moment ago. */
export function freePort(): Promise<number> {
  return new Promise((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => done(port));
    });
  });
}
