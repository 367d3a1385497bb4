import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { startBroker, type Broker } from '../../infra/local/kafka/broker.ts';
import { missingForKafka } from '../../infra/local/kafka/jars.ts';
import { freePorts } from './free-ports.ts';
import { temporaryFolder } from './local-services.ts';

/** A broker to test against. */
export interface TestKafka {
  /** For `KAFKA_BROKERS`. */
  brokers: string;
  /** Where all that the broker writes lies. */
  folder: string;
  /** Kills the broker and starts it again on the same data and port. */
  killAndRestart: () => Promise<void>;
  /** The two halves of it, for a test that has something to see in between. */
  kill: () => Promise<void>;
  start: () => Promise<void>;
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
  const [port = 0, controller_port = 0] = await freePorts(2);
  const options = { settings, folder: join(folder, 'broker'), port, controller_port };
  let broker: Broker = await startBroker(options);
  const kill = (): Promise<void> => broker.kill9();
  const start = async (): Promise<void> => {
    broker = await startBroker(options);
  };
  return {
    brokers: broker.address,
    folder,
    killAndRestart: async () => {
      await kill();
      await start();
    },
    kill,
    start,
    stop: async () => {
      await broker.kill9();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
