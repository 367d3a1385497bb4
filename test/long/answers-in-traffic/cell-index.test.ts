import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createCellIndex } from '../../../services/api/cell-index/cell-index.ts';
import { createIndexedAnswers } from '../../../services/api/cell-index/indexed-answers.ts';
import { storeViews } from '../../../services/api/cell-index/store-views.ts';
import { cellOf } from '../../../services/hail/geo/geohash.ts';
import { topics } from '../../../services/log/topics.ts';
import { pause } from '../../../services/runtime/clock.ts';
import { isHailmarkError } from '../../../services/runtime/errors.ts';
import type { PositionedAnswer } from '../../../services/store/answer-at.ts';
import { all_time } from '../../../services/store/observations/query.ts';
import type { Store } from '../../../services/store/store.ts';
import { startBench, type Bench } from '../../integration/projector/bench.ts';
import { foldAt, readToken, textOf } from '../../integration/projector/rebuild.support.ts';
import { generator } from '../../support/oracle/questions.ts';
import { correctedHistory, radarDrafts } from '../../unit/projector/history.ts';

const answer_topics = [topics.observation.name, topics.grid.name];
const mrms_product = 'MESH_Max_60min';

describe('the cell index over the real store', { timeout: 240_000 }, () => {
  let bench: Bench;
  let cells: number[];
  let statements: string[];
  let ask: (own: readonly number[]) => Promise<PositionedAnswer>;

  before(async () => {
    bench = await startBench();
    const facts = correctedHistory(radarDrafts().slice(0, 42));
    await bench.appendFacts(facts);
    const standings = facts.flatMap((fact) => [fact, ...fact.supersedes]);
    cells = [
      ...new Set(
        standings.flatMap(({ lat, lon }) => (lat === null || lon === null ? [] : [cellOf(lat, lon)])),
      ),
    ];
    const store = bench.store('indexed');
    statements = [];
    const told: Store = {
      ...store,
      rows: (sql, ...rest) => {
        statements.push(sql);
        return store.rows(sql, ...rest);
      },
    };
    const answers = createIndexedAnswers({
      index: createCellIndex({ max_bytes: 10_000_000 }),
      now_ms: () => performance.now(),
      pause,
    });
    const views = storeViews(told, { topics: answer_topics, mrms_product });
    ask = (own) =>
      answers.read(views, { version: 1, topics: answer_topics, cells: own, ...all_time, mrms_product });
  });
  after(() => bench.stop());

  it('answers as the log has it at the token, to several at once, while a projector is writing', async () => {
    const running = await bench.begin('indexed', { batch_messages: 4 });
    const facts = await bench.facts();
    const random = generator(7);
    const state = { done: false };
    const tokens = new Set<string>();
    const reached: number[] = [];
    let [exact, ranges] = [0, 0];
    const done = bench.untilPassed('indexed').then(() => (state.done = true));
    const client = async (): Promise<void> => {
      while (!state.done) {
        const own = cells.filter(() => random() < 0.3);
        const known = [...reached];
        const { observations, token } = await ask(own);
        const { from, to } = readToken(token);
        for (const [partition, offset] of from.entries()) {
          assert.ok(offset >= (known[partition] ?? 0), `${token} is older than what was answered before`);
          reached[partition] = Math.max(reached[partition] ?? 0, offset);
        }
        tokens.add(token);
        if (to === null) assert.deepEqual(textOf(observations), foldAt(facts, from, own), token);
        if (to === null) exact += 1;
        else ranges += 1;
      }
    };
    await Promise.all([client(), client(), done]);
    await running.leave();
    assert.ok(exact > 3 && tokens.size > 1, `${exact} exact, ${ranges} ranges, ${tokens.size} tokens`);
  });

  it('reads no observation twice while nothing happens, and asks where the store stands every time', async () => {
    const first = await ask(cells);
    statements.length = 0;
    const second = await ask(cells);
    assert.deepEqual([textOf(second.observations), second.token], [textOf(first.observations), first.token]);
    assert.deepEqual(readToken(second.token).from, await bench.log.endOffsets(topics.observation.name));
    assert.equal(statements.length, 1);
    assert.doesNotMatch(statements.join(), /observations_v1/);
  });

  it('answers nothing while the store is away, whatever it holds', async () => {
    await ask(cells);
    await bench.local.kill9();
    await assert.rejects(ask(cells), (error) => isHailmarkError(error, 'HAIL_STORE_UNAVAILABLE'));
  });
});
