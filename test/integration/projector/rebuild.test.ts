import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type { ObservationFact } from '../../../services/hail/observation.ts';
import type { RebuildEvent } from '../../../services/projector/rebuild/deps.ts';
import { rebuild } from '../../../services/projector/rebuild/rebuild.ts';
import { pause } from '../../../services/runtime/clock.ts';
import { readAtPosition } from '../../../services/store/answer-at.ts';
import { readProjections, servingVersion } from '../../../services/store/projections.ts';
import { poll } from '../../unit/projector/polls.ts';
import { startBench, type Bench } from './bench.ts';
import {
  beginVersions,
  endlessCells,
  endlessHistory,
  foldAt,
  readToken,
  rebuildDeps,
  textOf,
} from './rebuild.support.ts';

const topic = 'hail.observation.v1';
const options = { verify_only: false, accept: false, sampled_cells: 20 };
const cells = endlessCells();

interface Answer {
  cells: number[];
  version: number;
  text: string[];
  token: string;
}

/** So many answers at least must name one position, which makes them comparable. */
const least_exact = 11;

describe('a rebuild', { timeout: 250_000 }, () => {
  let bench: Bench;

  before(async () => {
    bench = await startBench();
  });
  after(() => bench.stop());

  /** Asks as the API does: the serving version first, then one answer of it. */
  async function ask(database: string, own: number[]): Promise<Answer> {
    const store = bench.store(database);
    const version = servingVersion(await readProjections(store), 'observations');
    assert.ok(version !== null, 'no version serves');
    const { observations, token } = await readAtPosition(store, {
      ...{ version, topics: [topic, 'hail.grid.v1'], cells: own },
      ...{ from_ms: 0, until_ms: 4e12, mrms_product: 'MESH_Max_60min' },
    });
    return { cells: own, version, text: textOf(observations), token };
  }

  it('goes unnoticed while facts flow: every answer is the log at its position, before, during and after', async () => {
    const database = 'live';
    const history = endlessHistory();
    const next = (count: number): ObservationFact[] =>
      Array.from({ length: count }, () => history.next().value as ObservationFact);
    await bench.appendFacts(next(200));
    await bench.appendPolls([poll()]);
    const projector = await beginVersions(bench, database, { batch_messages: 200 });
    const flow = { on: true, written: 0 };
    const writing = (async () => {
      while (flow.on) {
        await bench.appendFacts(next(3));
        flow.written += 3;
        await pause(400);
      }
    })();
    const answers: Answer[] = [];
    const asking = (async () => {
      while (flow.on) {
        const turn = answers.length % 7;
        answers.push(
          await ask(
            database,
            cells.filter((_, at) => at % 7 === turn),
          ),
        );
        await pause(100);
      }
    })();
    while (answers.length < 7) await pause(5);
    const events: RebuildEvent['event'][] = [];
    assert.equal(
      await rebuild(
        rebuildDeps(bench, database, (event) => events.push(event.event)),
        'observations',
        options,
      ),
      'switched',
    );
    const written = flow.written;
    while (flow.written < written + 15) await pause(5);
    const seen = answers.length;
    while (answers.length < seen + 7) await pause(5);
    // Beside a batch that stays open long an answer names a range: on a busy machine many do, and it is asked on.
    while (answers.filter(({ token }) => readToken(token).to === null).length < least_exact) await pause(5);
    flow.on = false;
    await Promise.all([writing, asking]);
    assert.equal(projector.failed(), undefined);
    await projector.leave();

    const stored = await bench.facts();
    const last = new Map<number, number>();
    let exact = 0;
    for (const { cells: own, text, token } of answers) {
      const { from, to } = readToken(token);
      if (to === null) {
        exact += 1;
        assert.ok(
          isDeepStrictEqual(text, foldAt(stored, from, own)),
          `another answer than the log gives at ${token}`,
        );
      }
      from.forEach((offset, partition) => {
        assert.ok(offset >= (last.get(partition) ?? 0), 'an answer is older than one before it');
        last.set(partition, offset);
      });
    }
    for (const event of ['planned', 'held', 'compared', 'sampled', 'switched'] as const)
      assert.ok(events.includes(event), event);
    assert.ok(exact >= least_exact, `${exact} of ${answers.length} exact`);
    assert.deepEqual([...new Set(answers.map(({ version }) => version))], [1, 2]);
  });
});
