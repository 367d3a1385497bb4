import { after, before, describe, it } from 'node:test';
import { startApiProcess } from '../../integration/api/api-process.ts';
import { createCleanup } from '../../support/cleanup.ts';
import { freePorts } from '../../support/free-ports.ts';
import { kafkaIsMissing, startTestKafka, type TestKafka } from '../../support/kafka.ts';
import { startPrometheus, why_no_prometheus, type PrometheusServer } from '../../support/prometheus.ts';

const skip = why_no_prometheus ?? (await kafkaIsMissing());

describe('an API process whose broker is killed', { skip, timeout: 600_000 }, () => {
  const made = createCleanup();
  let kafka: TestKafka;
  let prometheus: PrometheusServer;

  before(async () => {
    kafka = made.keep(await startTestKafka());
    const [ops_port = 0] = await freePorts(1);
    const api = startApiProcess(made, { KAFKA_BROKERS: kafka.brokers, API_OPS_PORT: String(ops_port) });
    await api.port;
    prometheus = made.keep(await startPrometheus({ api: `127.0.0.1:${ops_port}` }));
  });
  after(() => made.stop());

  it('says that the log is away and keys are not followed, until the broker is back', async ({ signal }) => {
    const following = { job: 'api' };
    await kafka.kill();
    await prometheus.untilFiring('HailmarkLogAway', following, signal);
    await prometheus.untilFiring('HailmarkKeysNotFollowed', following, signal);
    await kafka.start();
    await prometheus.untilOver('HailmarkLogAway', following, signal);
    await prometheus.untilOver('HailmarkKeysNotFollowed', following, signal);
  });
});
