import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Kafka, logLevel } from 'kafkajs';
import { startBroker, type Broker } from '../../infra/local/kafka/broker.ts';
import { missingForKafka } from '../../infra/local/kafka/jars.ts';
import { pause } from '../../services/runtime/clock.ts';
import { freePorts } from './free-ports.ts';
import { temporaryFolder } from './local-services.ts';
import { within } from './within.ts';

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

/**
 * A broker takes connections before it can answer, on a busy machine for seconds; who starts a service on it then is told so at once. Resolves
 * when it names itself and its controller.
 */
export async function untilKafkaAnswers(address: string): Promise<void> {
  const over = new AbortController();
  let why = '';
  const answering = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const kafka = new Kafka({ brokers: [address], logLevel: logLevel.NOTHING, retry: { retries: 0 } });
      const admin = kafka.admin();
      try {
        await admin.connect();
        const { brokers, controller } = await admin.describeCluster();
        if (brokers.length > 0 && controller !== null) return;
      } catch (error) {
        why = String(error);
      } finally {
        await admin.disconnect().catch(() => undefined);
      }
      await pause(50, over.signal);
    }
  };
  await within('Kafka answers', answering(), () => why).finally(() => over.abort());
}

/** A broker of the test's own, in a folder and on ports of its own. */
export async function startTestKafka(settings: Readonly<Record<string, string>> = {}): Promise<TestKafka> {
  const folder = temporaryFolder('hailmark-kafka-');
  const [port = 0, controller_port = 0] = await freePorts(2);
  const options = { settings, folder: join(folder, 'broker'), port, controller_port };
  const startOnce = async (): Promise<Broker> => {
    const started = await within('Kafka takes connections', startBroker(options));
    await untilKafkaAnswers(started.address).catch(async (error: unknown) => {
      await started.kill9();
      throw error;
    });
    return started;
  };
  let broker = await startOnce();
  const kill = (): Promise<void> => broker.kill9();
  const start = async (): Promise<void> => {
    broker = await startOnce();
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
