import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createCleanup } from '../support/cleanup.ts';
import { startTestGeocoder, type TestGeocoder } from '../support/census-shaped.ts';
import { historyAnswer, verifyAnswer } from '../support/oracle/contract.ts';
import { seededQuestions, type SeededQuestion } from '../support/oracle/questions.ts';
import { recordedHail } from '../support/oracle/records.ts';
import { servicePorts, startTestService, type Ports, type TestService } from '../support/service.ts';
import { temporaryFolder } from '../support/local-services.ts';

const count = 200;
/** Who ask side by side. */
const clients = 4;
const seed = Number(process.env['HAILMARK_TEST_SEED'] ?? randomInt(2 ** 31));
// Half a year after the newest recording, so that every loss date a question may name has come.
const clock = '2027-06-01T12:00:00.000Z';

describe(`answers from HTTP against a brute-force reading of the recorded files (HAILMARK_TEST_SEED=${seed})`, () => {
  const records = recordedHail();
  const questions = seededQuestions(records, seed, count);
  const made = createCleanup();
  let geocoder: TestGeocoder;
  let service: TestService;
  let data_dir: string;
  let ports: Ports;
  let bodies: string[];

  const start = (): Promise<TestService> =>
    startTestService({ data_dir, ports, env: { GEOCODER_URL: geocoder.url, HAILMARK_HOLD_CLOCK_AT: clock } });
  const ask = (question: SeededQuestion, at: number, prefix = '/v1'): Promise<Response> =>
    service.get(`${prefix}/property/${question.operation}`, {
      address: addressOf(at),
      radius_mi: String(question.radius_mi),
      min_size_in: String(question.min_size_in),
      ...(question.operation === 'verify'
        ? { date_of_loss: question.loss_day, window_days: String(question.window_days) }
        : { since: question.since, until: question.until_day, limit: '5000' }),
    });
  const askAll = async (): Promise<string[]> => {
    const all: string[] = [];
    const waiting = [...questions.entries()];
    const client = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const [at, question] = next;
        const response = await ask(question, at);
        const text = await response.text();
        assert.equal(response.status, 200, text);
        all[at] = withoutRequestId(text);
      }
    };
    await Promise.all(Array.from({ length: clients }, client));
    return all;
  };

  before(async () => {
    geocoder = made.keep(await startTestGeocoder());
    questions.forEach(({ lat, lon }, at) => geocoder.add(addressOf(at), lat, lon));
    data_dir = temporaryFolder();
    ports = await servicePorts();
    made.keep({ stop: () => rmSync(data_dir, { recursive: true, force: true }) });
    service = made.keep(await start());
    await service.untilQueryable();
    bodies = await askAll();
  });
  after(() => made.stop());

  it('asks enough of each kind of question', () => {
    const of = (kind: 'with_event' | 'at_edge' | 'many_sources'): number =>
      questions.filter((each) => each[kind]).length;
    assert.ok(of('with_event') >= 150, `${of('with_event')} with an event`);
    assert.ok(of('at_edge') >= 30, `${of('at_edge')} at an edge`);
    assert.ok(of('many_sources') >= 30, `${of('many_sources')} with many sources`);
  });

  it('finds the same events with the same numbers and sources, none missing, none invented', () => {
    for (const [at, question] of questions.entries()) {
      const { data } = JSON.parse(bodies[at] ?? '') as { data: Record<string, unknown> };
      const { property, ...answered } = data;
      assert.ok(property !== undefined);
      const { loss_day: date_of_loss, since, until_day: until } = question;
      assert.deepEqual(
        answered,
        question.operation === 'verify'
          ? verifyAnswer(records, { ...place(question), date_of_loss, window_days: question.window_days })
          : historyAnswer(records, { ...place(question), since, until, limit: 5_000 }),
        `question ${at}`,
      );
    }
  });

  it('answers the same bytes under both prefixes', async () => {
    for (const at of questions.keys()) {
      if (at % 5 !== 0) continue;
      const question = questions[at];
      if (question === undefined) continue;
      assert.equal(withoutRequestId(await (await ask(question, at, '/api/v1')).text()), bodies[at]);
    }
  });

  it('answers the same bytes when the store is lost and the log is replayed', async () => {
    await service.stop();
    rmSync(join(data_dir, 'clickhouse'), { recursive: true });
    service = made.keep(await start());
    await service.untilQueryable();
    assert.deepEqual(await askAll(), bodies);
  });
});

function addressOf(at: number): string {
  return `${at + 1} Recorded Hail Rd, Testville, TX 00000`;
}

function withoutRequestId(body: string): string {
  return body.replace(/"request_id":"[^"]*"/, '"request_id":""');
}

function place({
  lat,
  lon,
  radius_mi,
  min_size_in,
}: SeededQuestion): Pick<SeededQuestion, 'lat' | 'lon' | 'radius_mi' | 'min_size_in'> {
  return { lat, lon, radius_mi, min_size_in };
}
