import { describe } from 'node:test';
import { kafkaIsMissing } from '../../support/kafka.ts';
import { storm } from './storm.ts';
import { killedBroker } from './twins.ts';

describe('the API in a storm', { skip: await kafkaIsMissing() }, () => {
  storm('on Apache Kafka', killedBroker);
});
