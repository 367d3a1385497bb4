import { join } from 'node:path';
import { startBroker } from './broker.ts';
import { exit_codes, runCommand } from '../../../services/runtime/command.ts';
import { readConfig } from '../../../services/runtime/config.ts';
import { requireFreePorts } from '../../../services/runtime/free-ports.ts';

const help = `Runs Apache Kafka on this machine, for trying out and for tests.

  npm run kafka                                        a broker at 127.0.0.1:9092, until Ctrl-C
  KAFKA_BROKERS=127.0.0.1:9092 npm start               in another terminal: the whole service on it

Needs Java 17 and, the first time, Maven. Ports: KAFKA_PORT 9092, and the next one for its controller. Data lives in
HAILMARK_DATA_DIR/kafka (default .hailmark/kafka); a second start goes on with them. Ctrl-C stops the broker in order; a second one leaves it.

Example:
  HAILMARK_DATA_DIR=.hailmark-kafka KAFKA_PORT=19092 npm run kafka

Exit codes: 0 stopped by Ctrl-C, 1 it failed or the broker ended by itself, 64 the command was not understood.`;

await runCommand({
  help,
  options: {},
  lets_go: true,
  if_interrupted: 'Stopped before the broker listened; the next start begins anew.',
  async run({ signal }) {
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
    const stopped = Promise.withResolvers<undefined>();
    const stop = (): void => void broker.stop().then(() => stopped.resolve(undefined));
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    console.log(`Apache Kafka listens at ${broker.address}; stop it with Ctrl-C`);
    const words = await broker.exited;
    if (signal.aborted) {
      await stopped.promise;
      return exit_codes.done;
    }
    console.error(`Apache Kafka has ended. ${words}`);
    return exit_codes.failed;
  },
});
