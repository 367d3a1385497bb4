import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { pause } from '../../services/runtime/clock.ts';
import { openLog } from '../../services/log/open-log.ts';
import { topics } from '../../services/log/topics.ts';
import { createCleanup } from '../support/cleanup.ts';
import { startTestGeocoder, type TestGeocoder } from '../support/census-shaped.ts';
import { kafkaIsMissing, startTestKafka, type TestKafka } from '../support/kafka.ts';
import { seededQuestions } from '../support/oracle/questions.ts';
import { recordedHail } from '../support/oracle/records.ts';
import { startTestService, type TestService } from '../support/service.ts';

/** The year with the most sources in one event, and the radar days: enough to compare, soon loaded. */
const years = [2017];
const clock = '2027-06-01T12:00:00.000Z';
const count = 60;
const seed = Number(process.env['HAILMARK_TEST_SEED'] ?? 20_170_306);

describe('the whole service on Apache Kafka', { skip: await kafkaIsMissing() }, () => {
  const questions = seededQuestions(recordedHail({ years }), seed, count);
  const made = createCleanup();
  let geocoder: TestGeocoder;
  let kafka: TestKafka;
  let embedded: string[];

  const start = (env: Record<string, string>): Promise<TestService> =>
    startTestService({
      env: {
        GEOCODER_URL: geocoder.url,
        HAILMARK_HOLD_CLOCK_AT: clock,
        NOAA_SED_FIRST_YEAR: '2000',
        FEEDS_RETRY_MS: '500',
        ...env,
      },
    });
  const askAll = async (service: TestService): Promise<string[]> => {
    const all: string[] = [];
    for (const [at, question] of questions.entries()) {
      const response = await service.get(`/v1/property/${question.operation}`, {
        address: addressOf(at),
        radius_mi: String(question.radius_mi),
        min_size_in: String(question.min_size_in),
        ...(question.operation === 'verify'
          ? { date_of_loss: question.loss_day, window_days: String(question.window_days) }
          : { since: question.since, until: question.until_day, limit: '5000' }),
      });
      const text = await response.text();
      assert.equal(response.status, 200, text);
      assert.match(response.headers.get('x-data-position') ?? '', /^v1\.[0-9a-f]{8}\.[0-9a-z.-]+$/);
      all.push(text.replace(/"request_id":"[^"]*"/, '"request_id":""'));
    }
    return all;
  };

  before(async () => {
    geocoder = made.keep(await startTestGeocoder());
    questions.forEach(({ lat, lon }, at) => geocoder.add(addressOf(at), lat, lon));
    const service = await start({});
    await service.untilQueryable();
    embedded = await askAll(service);
    await service.stop();
    kafka = made.keep(await startTestKafka());
  });
  after(() => made.stop());

  it(
    'gives the answers of the embedded log, byte for byte, through kills of broker, feeds and projector',
    { timeout: 600_000 },
    async () => {
      const service = made.keep(await start({ KAFKA_BROKERS: kafka.brokers, KAFKA_SESSION_MS: '6000' }));
      const log = await openLog(service.config);
      made.keep({ stop: () => log.close() });
      const published = async (): Promise<number> =>
        (await log.endOffsets(topics.observation.name).catch(() => [0])).reduce((sum, end) => sum + end, 0);
      while ((await published()) < 100) await pause(5);
      await service.kill9('projector');
      while ((await published()) < 400) await pause(5);
      await kafka.killAndRestart();
      while ((await published()) < 800) await pause(5);
      await service.kill9('feeds');
      await service.untilQueryable();
      assert.deepEqual(await askAll(service), embedded);
      const sourced = embedded.filter(
        (body) => body.includes('"source_id"') || body.includes('"sources":[{'),
      );
      assert.ok(sourced.length >= count / 2, `${sourced.length} answers of ${count} cite anything`);
    },
  );
});

function addressOf(at: number): string {
  return `${at + 1} Recorded Hail Rd, Testville, TX 00000`;
}
