import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createCodec, type Codec } from '../../../services/log/codec.ts';
import type { EventLog } from '../../../services/log/event-log.ts';
import { openLog } from '../../../services/log/open-log.ts';
import { topics } from '../../../services/log/topics.ts';
import { pause } from '../../../services/runtime/clock.ts';
import { readConfig } from '../../../services/runtime/config.ts';
import { createStore, type Store } from '../../../services/store/store.ts';
import { startTestGeocoder } from '../../support/census-shaped.ts';
import { createCleanup } from '../../support/cleanup.ts';
import { generator } from '../../support/oracle/questions.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { readChanges, type Changes, type Positions } from './fold.ts';
import { judge, readPositions, type Answer } from './judge.ts';
import { drawQuestion, places, requestOf } from './places.ts';
import { observations_per_s, startWriting } from './writer.ts';

/**
 * `HAILMARK_ANSWERS=20000 HAILMARK_ASKING_S=7200 HAILMARK_ASKERS=8 NODE_OPTIONS=--max-old-space-size=14000` for the full run, which folds some five
 * million messages in memory; whichever comes first ends the asking.
 */
const wanted = Number(process.env['HAILMARK_ANSWERS'] ?? 1_500);
const asking_most_s = Number(process.env['HAILMARK_ASKING_S'] ?? 60);
/** Fewer show nothing: a slow machine takes longer for them. */
const least_answers = 40;
const seed = Number(process.env['HAILMARK_SEED'] ?? 20_261_121);
/** Most of an answer's time is waiting for a batch that writes where it reads, so more of them at once bring more answers. */
const clients = Number(process.env['HAILMARK_ASKERS'] ?? 4);
/** Corrections are under way, and every place has hail, before the first question. */
const facts_before_questions = 5 * observations_per_s;

describe('answers while facts flow', { timeout: 480_000 + asking_most_s * 2_000 }, () => {
  const made = createCleanup();
  let service: TestService;
  let log: EventLog;
  let codec: Codec;
  let store: Store;

  before(async () => {
    const geocoder = made.keep(await startTestGeocoder());
    for (const { address, lat, lon } of places) geocoder.add(address, lat, lon);
    service = made.keep(
      await startTestService({
        env: {
          GEOCODER_URL: geocoder.url,
          NOAA_SED_FIRST_YEAR: '2017',
          HAILMARK_HOLD_CLOCK_AT: '2027-06-01T12:00:00.000Z',
        },
      }),
    );
    log = await openLog({ ...readConfig({}), HAILMARK_DATA_DIR: service.data_dir });
    made.keep({ stop: () => log.close() });
    codec = createCodec({ registry_url: service.registry_url });
    await codec.registerAll();
    store = createStore({ ...readConfig({}), CLICKHOUSE_URL: service.clickhouse_url });
    made.keep({ stop: () => store.close() });
    await service.untilQueryable();
  });
  after(() => made.stop());

  it(`equal the plain fold of the log at their positions`, async (test) => {
    const writer = startWriting(log, codec, seed);
    const first = await log.endOffsets(topics.observation.name);
    while (total(await log.endOffsets(topics.observation.name)) < total(first) + facts_before_questions)
      await pause(20);
    const began = performance.now();
    const { answers, refused } = await askMany();
    const asking_s = (performance.now() - began) / 1_000;
    const { observations, granules, elapsed_s } = await writer.stop();
    const changes = await readChanges(log, codec);
    const batch_ends = await readBatchEnds();
    const verdict = judge(answers, changes, batch_ends);

    const { exact, ranges, tokens, changed, too_wide, wrong } = verdict;
    const projected = total(newestOf(answers)) - total(oldestOf(answers));
    test.diagnostic(`seed ${seed}`);
    test.diagnostic(
      `${observations} observations and ${granules} granules written in ${elapsed_s.toFixed(1)} s: ` +
        `${Math.round(observations / elapsed_s)} observations a second`,
    );
    test.diagnostic(
      `${answers.length} answers in ${asking_s.toFixed(1)} s (${refused} more were 503), meanwhile ${Math.round(projected / asking_s)} facts a second projected`,
    );
    test.diagnostic(
      `${exact} exact, ${changed} of them about hail that had changed since the answer before; ${ranges} name a range ` +
        `(${too_wide} too wide to judge); ${tokens} distinct tokens; ${wrong.length} wrong`,
    );
    assert.deepEqual(wrong.slice(0, 1), []);
    assert.ok(answers.length >= least_answers, `${answers.length} answers`);
    assert.ok(refused < answers.length / 10, `${refused} questions were not answered in time`);
    // Or nothing was shown: answers must have been exact, of many positions, and not the same again and again.
    assert.ok(exact > answers.length / 4, `${exact} of ${answers.length} answers name one position`);
    assert.ok(tokens > answers.length / 20, `${tokens} tokens`);
    assert.ok(changed > exact / 5, `${changed} of ${exact} answers had something new to say`);
    assert.ok(too_wide <= ranges / 10, `${too_wide} of ${ranges} ranges were not judged`);
    requireFaultsFound(answers, changes, batch_ends);
  });

  async function askMany(): Promise<{ answers: Answer[]; refused: number }> {
    const random = generator(seed + 1);
    const answers: Answer[] = [];
    const until_ms = performance.now() + asking_most_s * 1_000;
    let asked = 0;
    let refused = 0;
    const client = async (): Promise<void> => {
      while (asked < wanted && (performance.now() < until_ms || answers.length < least_answers)) {
        asked += 1;
        const question = drawQuestion(random);
        const { path, parameters } = requestOf(question);
        const response = await service.get(path, parameters);
        const text = await response.text();
        // A machine that is busy with other things may let the deadline pass; that is asked again.
        if (response.status === 503) {
          refused += 1;
          asked -= 1;
          continue;
        }
        assert.equal(response.status, 200, `${text} ${response.status === 200 ? '' : failures()}`);
        answers.push({ asked: question, text, token: response.headers.get('X-Data-Position') ?? '' });
      }
    };
    await Promise.all(Array.from({ length: clients }, client));
    return { answers, refused };
  }

  /** What the API says of requests that failed on something of ours. */
  function failures(): string {
    const lines = readFileSync(join(service.data_dir, 'logs', 'api.log'), 'utf8').split('\n');
    return lines.filter((line) => line.includes('a request failed')).join('\n');
  }

  /** Where the projector's batches end, by its own books: observations' partitions, then the grids'. */
  async function readBatchEnds(): Promise<Positions[]> {
    const rows = await store.rows<{ topic: string; partition: number; end: number | string }>(
      'SELECT DISTINCT topic, partition, end_offset AS end FROM cell_changes_v1 ORDER BY topic, partition, end',
    );
    return [topics.observation, topics.grid].flatMap(({ name, partitions }) =>
      Array.from({ length: partitions }, (_, partition) =>
        rows.filter((row) => row.topic === name && row.partition === partition).map(({ end }) => Number(end)),
      ),
    );
  }
});

/**
 * The faults that this test is there to find, planted into what was found to be right: answers that stand on a little less of the log than
 * they say, and a log of which the withdrawals and moves away of one place were not projected.
 */
function requireFaultsFound(answers: readonly Answer[], changes: Changes, batch_ends: Positions[]): void {
  const exact = answers.filter(({ token }) => readPositions(token).to === null).slice(0, 400);
  const ordered = exact.toSorted(
    (a, b) => total(readPositions(a.token).from) - total(readPositions(b.token).from),
  );
  const later = ordered.slice(20).map(({ token }, at) => ({ ...(ordered[at] as Answer), token }));
  assert.ok(judge(later, changes, batch_ends).wrong.length > 0, 'answers older than their tokens pass');
  const lost = changes.map((of) => of.filter(({ standings }) => standings.size > 0));
  assert.ok(judge(exact, lost, batch_ends).wrong.length > 0, 'records that are still where they were pass');
}

function newestOf(answers: readonly Answer[]): number[] {
  return extreme(answers, (a, b) => a > b);
}

function oldestOf(answers: readonly Answer[]): number[] {
  return extreme(answers, (a, b) => a < b);
}

function extreme(answers: readonly Answer[], better: (a: number, b: number) => boolean): number[] {
  return answers
    .map(({ token }) => readPositions(token).from)
    .reduce((best, from) => (better(total(from), total(best)) ? from : best));
}

function total(positions: Positions): number {
  return positions.reduce((sum, position) => sum + position, 0);
}
