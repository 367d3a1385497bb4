import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startBroker } from './broker.ts';
import { readConfig } from '../../../services/runtime/config.ts';
import { isHailmarkError } from '../../../services/runtime/errors.ts';
import { requireFreePorts } from '../../../services/runtime/free-ports.ts';

const help = `Runs Apache Kafka on this machine, for trying out and for tests.

  npm run kafka                                        a broker at 127.0.0.1:9092, until Ctrl-C
  KAFKA_BROKERS=127.0.0.1:9092 npm start               in another terminal: the whole service on it

Needs Java 17 and, the first time, Maven. Ports: KAFKA_PORT 9092, and the next one for its controller. Data lives in
HAILMARK_DATA_DIR/kafka (default .hailmark/kafka); a second start goes on with them.`;

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { help: { type: 'boolean' } } });
  if (values.help === true) {
    console.log(help);
    return;
  }
  const config = readConfig();
  const port = config.KAFKA_PORT;
  await requireFreePorts([
    { setting: 'KAFKA_PORT', port },
    { setting: 'KAFKA_PORT + 1', port: port + 1 },
  ]);
  const broker = await startBroker({
    folder: join(config.HAILMARK_DATA_DIR, 'kafka'),
    port,
    controller_port: port + 1,
    onFetch: () => console.log('fetching the jars of Apache Kafka (54 MB, once)'),
  });
  let stopping: Promise<void> | undefined;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (stopping !== undefined) process.exit(130);
      stopping = broker.stop().then(() => process.exit(0));
    });
  }
  console.log(`Apache Kafka listens at ${broker.address}; stop it with Ctrl-C`);
  const words = await broker.exited;
  await stopping;
  console.error(`Apache Kafka has ended. ${words}`);
  process.exit(1);
}

main().catch((error: unknown) => {
  console.error(isHailmarkError(error) && error.kind === 'operator' ? error.message : error);
  process.exit(1);
});
