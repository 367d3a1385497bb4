import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { createCellIndex } from '../../../services/api/cell-index/cell-index.ts';
import { createIndexedAnswers } from '../../../services/api/cell-index/indexed-answers.ts';
import { generator } from '../../support/oracle/questions.ts';
import { cells, createModel, middle_ms, textOf, topics, versions } from './cell-index.model.ts';

const seeds = Number(process.env['HAILMARK_SEEDS'] ?? 30);
const turns = 1_500;
const asking_at_once = 5;

interface Counts {
  exact: number;
  ranges: number;
  /** Exact answers for which no cell was read. */
  from_memory: number;
  evicting: number;
}

/** One life of an index: everything that can happen, in an order that the seed decides. */
async function live(seed: number): Promise<Counts> {
  const random = generator(seed);
  const model = createModel(random);
  // From a quiet log to one in which batches are hardly ever not under way.
  const pace = [0.01, 0.03, 0.06, 0.14][seed % 4] ?? 0;
  // Of every three lives one has room for all cells, one for a few, one for hardly any.
  const max_bytes = [1_000_000, 3_500, 1_000][seed % 3] ?? 0;
  const index = createCellIndex({ max_bytes });
  const counts: Counts = { exact: 0, ranges: 0, from_memory: 0, evicting: 0 };
  let [now_ms, asking, serving] = [0, 0, 1];
  const answers = createIndexedAnswers({ index, now_ms: () => now_ms, pause: model.pause });
  const failures: unknown[] = [];

  const ask = async (): Promise<void> => {
    const version = serving;
    const own = cells.filter(() => random() < 0.5);
    const [from_ms, until_ms] = random() < 0.3 ? [0, middle_ms] : [0, Infinity];
    const known = model.positions(version);
    let reads = 0;
    const observationsIn: typeof model.views.observationsIn = (...asked) => {
      reads += 1;
      return model.views.observationsIn(...asked);
    };
    const { observations, token } = await answers.read(
      { ...model.views, observationsIn },
      { version, topics, cells: own, from_ms, until_ms, mrms_product: '' },
    );
    if (token === 'range') {
      counts.ranges += 1;
      return;
    }
    counts.exact += 1;
    if (reads === 0) counts.from_memory += 1;
    const offsets = offsetsOf(token);
    const expected = model.fold(offsets, own).filter((text) => Number(text.split(' ')[1]) < until_ms);
    assert.deepEqual(observations.map(textOf).sort(), expected, `seed ${seed}, ${token}`);
    for (const [topic, of] of known.entries()) {
      for (const [partition, position] of of.entries())
        assert.ok((offsets[topic]?.[partition] ?? 0) >= position, `seed ${seed}: older than what was known`);
    }
    assert.ok(index.size.bytes <= max_bytes, `seed ${seed}: ${index.size.bytes} bytes`);
    if (index.size.cells < cells.length) counts.evicting += 1;
  };

  const begin = (): void => {
    if (asking === asking_at_once) return;
    asking += 1;
    void ask()
      .catch((error: unknown) => failures.push(error))
      .finally(() => (asking -= 1));
  };
  const switchVersion = (): void => {
    serving = versions[Math.floor(random() * versions.length)] ?? 1;
  };
  const steps: [weight: number, step: () => void][] = [
    [pace / 2, model.append],
    [pace, model.project],
    [pace / 4, model.projectBatch],
    [0.002, model.crash],
    [0.002, model.cleanUp],
    [seed % 5 === 0 ? 0.03 : 0.002, switchVersion],
    [0.06, begin],
  ];
  for (now_ms = 0; now_ms < turns || asking > 0; now_ms += 1) {
    let chance = random();
    const step = steps.find(([weight]) => (chance -= weight) < 0)?.[1] ?? model.answerStatement;
    // Towards the end of a life nothing new begins, and everybody gets an answer.
    if (now_ms < turns) step();
    else model.answerStatement();
    // What was answered goes on before anything else happens.
    await turn();
    if (failures.length > 0) throw failures[0];
  }
  return counts;
}

function offsetsOf(token: string): number[][] {
  const [, , ...of_topics] = token.split('.');
  return of_topics.map((of) => of.split('-').map((offset) => parseInt(offset, 36)));
}

describe('answers by the cell index', () => {
  it('equal the plain fold at their positions, whatever happens between two statements', async () => {
    const total: Counts = { exact: 0, ranges: 0, from_memory: 0, evicting: 0 };
    for (let seed = 1; seed <= seeds; seed += 1) {
      const counts = await live(seed);
      for (const name of ['exact', 'ranges', 'from_memory', 'evicting'] as const) total[name] += counts[name];
    }
    // Or the lives had nothing to show.
    assert.ok(total.exact > seeds * 20, JSON.stringify(total));
    assert.ok(total.from_memory > total.exact / 10, JSON.stringify(total));
    assert.ok(total.ranges > 0 && total.evicting > 0, JSON.stringify(total));
  });
});
