import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { observationsProjection } from '../../services/projector/projections/observations.ts';
import { rebuild } from '../../services/projector/rebuild/rebuild.ts';
import { pause, systemClock } from '../../services/runtime/clock.ts';
import { isHailmarkError } from '../../services/runtime/errors.ts';
import { projectionNames } from '../../services/projector/all-projections.ts';
import { prepareStore } from '../../services/projector/prepare.ts';
import { dropVersion } from '../../services/store/migrations.ts';
import { readPositions, writePosition, type Position } from '../../services/store/positions.ts';
import {
  readProjections,
  servingVersion,
  writeProjection,
  writeProjections,
  type ProjectionState,
} from '../../services/store/projections.ts';
import type { Store } from '../../services/store/store.ts';
import { dumpTables } from '../support/store-tables.ts';
import { temporaryLog, type TemporaryLog } from '../support/temporary-log.ts';
import { correctedHistory, radarDrafts } from '../unit/projector/history.ts';
import { poll } from '../unit/projector/polls.ts';
import { startBench, type Bench } from '../integration/projector/bench.ts';
import { beginVersions, rebuildDeps } from '../integration/projector/rebuild.support.ts';

const observations = 'hail.observation.v1';

/** How far a version of the observations has read the topic of that name. */
async function reachedBy(store: Store, version: number): Promise<Position[]> {
  const positions = await readPositions(store, 'observations', version);
  return positions.filter(({ topic }) => topic === observations);
}

describe('projections and their versions', { timeout: 400_000 }, () => {
  let bench: Bench;
  let other: TemporaryLog;

  before(async () => {
    bench = await startBench();
    other = await temporaryLog();
    await bench.appendFacts(correctedHistory(radarDrafts().slice(0, 21)));
    await bench.appendPolls([poll()]);
  });
  after(async () => {
    await other.dispose();
    await bench.stop();
  });

  it('start as version 1, serving, with a position for every partition of their topics', async () => {
    const [config, store] = [bench.config('fresh'), bench.store('fresh')];
    await prepareStore(config, store, systemClock);
    assert.deepEqual(await readProjections(store), [
      { projection: 'alerts', version: 1, state: 'serving' },
      { projection: 'api-keys', version: 1, state: 'serving' },
      { projection: 'api-requests', version: 1, state: 'serving' },
      { projection: 'dead-letters', version: 1, state: 'serving' },
      { projection: 'feeds', version: 1, state: 'serving' },
      { projection: 'observations', version: 1, state: 'serving' },
    ]);
    const running = await bench.begin('fresh', { log: { ...other.log, id: other.log.id } });
    await running.leave();
    assert.deepEqual(
      (await readPositions(store, 'observations', 1)).map(({ topic, partition, next_offset }) => [
        topic,
        partition,
        next_offset,
      ]),
      ['hail.grid.v1', observations].flatMap((topic) =>
        [0, 1, 2, 3, 4, 5].map((partition) => [topic, partition, 0]),
      ),
    );
  });

  it('are built beside one another, and come out the same', async () => {
    const [config, store] = [bench.config('versions'), bench.store('versions')];
    await prepareStore(config, store, systemClock);
    for (const projection of ['observations', 'feeds'])
      await writeProjection(store, { projection, version: 2, state: 'building' }, systemClock());
    const tables = await bench.project('versions', { batch_messages: 4 });
    const second = await bench.begin('versions', { batch_messages: 9 });
    for (;;) {
      const reached = await reachedBy(store, 2);
      const ends = await bench.log.endOffsets(observations);
      if (ends.every((end, at) => reached.some((each) => each.partition === at && each.next_offset >= end)))
        break;
    }
    await second.leave();
    const { observations: live, set_aside } = await dumpTables(store, 2);
    assert.deepEqual({ live, set_aside }, { live: tables.observations, set_aside: tables.set_aside });
  });

  it('take up a removed version no more', async () => {
    const [config, store] = [bench.config('versions'), bench.store('versions')];
    await writeProjection(store, { projection: 'observations', version: 2, state: 'removed' }, systemClock());
    const made = await prepareStore(config, store, systemClock);
    assert.deepEqual(made.map(({ name, version }) => `${name}.v${version}`).sort(), [
      'alerts.v1',
      'api-keys.v1',
      'api-requests.v1',
      'dead-letters.v1',
      'feeds.v1',
      'feeds.v2',
      'observations.v1',
    ]);
  });

  it('are taken up while the projector runs, and let go of when they are removed', async () => {
    const store = bench.store('listed_later');
    const running = await beginVersions(bench, 'listed_later');
    const write = (version: number, state: ProjectionState): Promise<void> =>
      writeProjection(store, { projection: 'observations', version, state }, systemClock());
    await write(2, 'building');
    await until(async () => (await bench.log.groups()).includes('projector.observations.v2'));
    const caughtUp = async (version: number): Promise<boolean> => {
      const ends = await bench.log.endOffsets(observations);
      const reached = await reachedBy(store, version);
      return ends.every((end, at) => reached.find(({ partition }) => partition === at)?.next_offset === end);
    };
    await until(() => caughtUp(2));
    // Its tables go under its hands: only this version ends by it.
    await write(2, 'removed');
    await dropVersion(store, observationsProjection(2).schema_files, 2);
    const stood = await readPositions(store, 'observations', 2);
    await bench.appendFacts(correctedHistory(radarDrafts().slice(21, 28)));
    await until(() => caughtUp(1));
    assert.deepEqual(await readPositions(store, 'observations', 2), stood);
    assert.equal(running.failed(), undefined);
    await running.leave();
  });

  const isOtherLog = (error: unknown): boolean => {
    assert.ok(isHailmarkError(error, 'HAIL_OTHER_LOG'));
    assert.equal(error.kind, 'operator');
    assert.match(error.message, /rebuild.*remove the folder clickhouse/);
    return true;
  };

  it('refuse another log in one sentence, before anything is written', async () => {
    const before = await bench.project('other_log');
    const log = { ...other.log, id: other.log.id };
    await assert.rejects(bench.begin('other_log', { log }), isOtherLog);
    assert.deepEqual(await dumpTables(bench.store('other_log')), before);
  });

  it('leave tables of another log as they stand while a version of this log is built beside them', async () => {
    const before = await bench.project('left_as_it_is');
    const store = bench.store('left_as_it_is');
    const log = { ...other.log, id: other.log.id };
    for (const projection of projectionNames)
      await writeProjection(store, { projection, version: 2, state: 'building' }, systemClock());
    const running = await beginVersions(bench, 'left_as_it_is', { log });
    const positions = await readPositions(store, 'observations', 2);
    assert.deepEqual(new Set(positions.map(({ log_id }) => log_id)), new Set([other.log.id]));
    assert.deepEqual(await dumpTables(store), before);

    // What cannot be compared is switched to when it is accepted, and only then.
    const deps = { ...rebuildDeps(bench, 'left_as_it_is'), log };
    const options = { verify_only: false, accept: false, sampled_cells: 1 };
    await assert.rejects(rebuild(deps, 'observations', options), (error) =>
      isHailmarkError(error, 'HAIL_REBUILD'),
    );
    assert.equal(await rebuild(deps, 'observations', { ...options, accept: true }), 'switched');
    assert.deepEqual(await dumpTables(store), before);
    await running.leave();
  });

  it('switch at once: whoever looks finds exactly one that serves, however often the pointer moves', async () => {
    const [config, store] = [bench.config('pointer'), bench.store('pointer')];
    await prepareStore(config, store, systemClock);
    const moves = { on: true };
    let looks = 0;
    const looking = (async () => {
      for (; moves.on; looks += 1) {
        const listed = (await readProjections(store)).filter(({ projection }) => projection === 'feeds');
        assert.equal(listed.filter(({ state }) => state === 'serving').length, 1);
      }
    })();
    const states = ['kept', 'serving'] as const;
    // On until somebody has looked often enough.
    for (let move = 1; move <= 20 || (looks <= 5 && move <= 1_000); move += 1) {
      const [one = 'kept', two = 'kept'] = [states[(move + 1) % 2], states[move % 2]];
      // A clock that stands still, or goes back, must not decide which row counts.
      await writeProjections(
        store,
        [
          { projection: 'feeds', version: 1, state: one },
          { projection: 'feeds', version: 2, state: two },
        ],
        1_000 - move,
      );
      assert.equal(servingVersion(await readProjections(store), 'feeds'), one === 'serving' ? 1 : 2);
    }
    moves.on = false;
    await looking;
    assert.ok(looks > 5);
  });

  it('refuse it when only one partition was ever written to', async () => {
    const [config, store] = [bench.config('one_partition'), bench.store('one_partition')];
    await prepareStore(config, store, systemClock);
    const position = { topic: observations, partition: 5, log_id: 'another', next_offset: 1 };
    await writePosition(store, 'observations', 1, position, 0);
    await assert.rejects(bench.begin('one_partition'), isOtherLog);
    assert.equal((await readPositions(store, 'observations', 1)).length, 1);
  });

  it("refuse a position beyond the log's end", async () => {
    await bench.project('beyond');
    const [end = 0] = await bench.log.endOffsets(observations);
    const position = { topic: observations, partition: 0, log_id: bench.log.id, next_offset: end + 1 };
    await writePosition(bench.store('beyond'), 'observations', 1, position, 0);
    await assert.rejects(bench.begin('beyond'), isOtherLog);
  });

  it('never go back, whatever is written after', async () => {
    const store = bench.store('never_back');
    await bench.project('never_back');
    const before = await readPositions(store, 'observations', 1);
    for (const position of before) {
      const next_offset = Math.min(1, position.next_offset);
      await writePosition(store, 'observations', 1, { ...position, next_offset }, systemClock());
    }
    assert.deepEqual(await readPositions(store, 'observations', 1), before);
    await store.command('OPTIMIZE TABLE projector_positions FINAL');
    assert.deepEqual(await readPositions(store, 'observations', 1), before);
  });

  it('stop writing to a partition that is no longer theirs', async () => {
    let stale = false;
    const steps: string[] = [];
    const running = await bench.begin('stale', {
      log: {
        ...bench.log,
        id: bench.log.id,
        join: (options) =>
          bench.log.join({
            ...options,
            onBatch: (batch) => options.onBatch({ ...batch, isStale: () => stale }),
          }),
      },
      afterStep: (step) => {
        steps.push(step);
        stale = step === 'rows';
      },
      projections: (made) => made.filter(({ name }) => name === 'observations'),
    });
    while (!steps.includes('rows')) await new Promise((resolve) => setImmediate(resolve));
    await running.leave();
    assert.equal(steps.includes('others'), false);
    const reached = await readPositions(bench.store('stale'), 'observations', 1);
    assert.deepEqual([...new Set(reached.map(({ next_offset }) => next_offset))], [0]);
  });
});

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await pause(10);
}
