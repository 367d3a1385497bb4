import { join } from 'node:path';
import { kafkaIsMissing, startTestKafka } from '../support/kafka.ts';
import { openTwin } from './event-log.kafka.ts';
import { eventLogContract } from './event-log.suite.ts';

// `.ci/run` starts a broker and says where; otherwise the suite starts one of its own.
const running = process.env['HAILMARK_TEST_KAFKA'];

eventLogContract(
  'Apache Kafka',
  async () => {
    const kafka = running === undefined ? await startTestKafka() : null;
    const brokers = kafka?.brokers ?? running ?? '';
    const log = await openTwin(brokers);
    return {
      log,
      open: () => openTwin(brokers),
      elsewhere: { module: join(import.meta.dirname, 'event-log.kafka.ts'), connection: brokers },
      dispose: async () => {
        await log.close();
        await kafka?.stop();
      },
    };
  },
  running === undefined ? await kafkaIsMissing() : false,
);
