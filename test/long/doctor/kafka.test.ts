import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createKafkaLog } from '../../../services/log/kafka/kafka-log.ts';
import { topics } from '../../../services/log/topics.ts';
import { readConfig } from '../../../services/runtime/config.ts';
import { createCleanup } from '../../support/cleanup.ts';
import { freePorts } from '../../support/free-ports.ts';
import { kafkaIsMissing, startTestKafka, type TestKafka } from '../../support/kafka.ts';
import { temporaryDataFolder } from '../../support/scripts.ts';
import { assertFinding, diagnose, type Diagnosis } from './doctor.ts';

const missing = await kafkaIsMissing();
const cleanup = createCleanup();
let kafka: TestKafka;
let environment: Record<string, string>;
let nobody: string;

function doctor(settings: Record<string, string> = {}): Promise<Diagnosis> {
  return diagnose({ ...environment, ...settings }, '--timeout-s', '30');
}

before(async () => {
  if (missing !== false) return;
  kafka = cleanup.keep(await startTestKafka());
  const data = temporaryDataFolder();
  cleanup.keep(data);
  environment = { KAFKA_BROKERS: kafka.brokers, HAILMARK_DATA_DIR: data.folder };
  const [port = 0] = await freePorts(1);
  nobody = `127.0.0.1:${port}`;
});
after(() => cleanup.stop());

describe('the doctor of a log on Kafka', { skip: missing, timeout: 300_000 }, () => {
  it('finds a cluster that holds no log, and makes none', async () => {
    for (let time = 0; time < 2; time += 1) {
      const diagnosis = await doctor();
      assertFinding(diagnosis, 'log', { state: 'broken', says: /no log/, remedy: /KAFKA_BROKERS/ });
      assert.equal(diagnosis.of('kafka').state, 'ok', diagnosis.of('kafka').says);
    }
  });

  it('finds topics that are not as declared', async () => {
    const log = await createKafkaLog({ ...readConfig(environment), KAFKA_BROKERS: kafka.brokers });
    await log.ensureTopics(
      Object.values(topics).map((spec) => {
        if (spec.name === topics.grid.name) return { ...spec, partitions: 2 };
        return spec.name === topics.alert.name ? { ...spec, retention_ms: 86_400_000 } : spec;
      }),
    );
    await log.close();
    const diagnosis = await doctor();
    assert.equal(diagnosis.of('log').state, 'ok', diagnosis.of('log').says);
    assertFinding(diagnosis, 'topics', {
      state: 'broken',
      says: /hail\.grid\.v1: partitions is 2 instead of 6\..*hail\.alert\.v1: retention_ms is 1 days instead of without limit/,
      remedy: /number of partitions never changes/,
    });
  });

  it('finds one broker of several that is away', async () => {
    const diagnosis = await doctor({ KAFKA_BROKERS: `${nobody},${kafka.brokers}` });
    assertFinding(diagnosis, 'kafka', {
      ...{ state: 'warning', says: new RegExp(`1 of 2 brokers .*${nobody}`), remedy: /KAFKA_BROKERS/ },
    });
  });

  it('finds that all of them are away', async () => {
    await kafka.kill();
    const diagnosis = await doctor();
    assertFinding(diagnosis, 'kafka', {
      state: 'broken',
      says: /No broker answers/,
      remedy: /KAFKA_BROKERS/,
    });
    assertFinding(diagnosis, 'log', { state: 'broken', says: /./, remedy: /Start the brokers/ });
    assert.equal(diagnosis.of('topics').state, 'not-checked');
  });
});
