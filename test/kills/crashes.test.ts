import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { pause } from '../../services/runtime/clock.ts';
import { topics } from '../../services/log/topics.ts';
import { committedVector } from '../integration/projector/positions.ts';
import { correctedHistory, radarDrafts, stormDrafts, truthOf } from '../unit/projector/history.ts';
import { poll } from '../unit/projector/polls.ts';
import { startBench, type Bench } from '../integration/projector/bench.ts';
import { viewOf } from '../integration/projector/view.ts';

describe('the tables', { timeout: 600_000 }, () => {
  let bench: Bench;
  let expected: Awaited<ReturnType<Bench['project']>>;

  before(async () => {
    bench = await startBench();
    const storms = (await stormDrafts()).slice(0, 14);
    const facts = correctedHistory([...radarDrafts().slice(0, 28), ...storms]);
    const halfway = Math.floor(facts.length / 2);
    await bench.appendFacts(facts.slice(0, halfway));
    await bench.appendPolls([
      poll(),
      poll({ outcome: 'failed', reason: 'unreachable', readings: [], read_through: null }),
    ]);
    await bench.appendFacts(facts.slice(halfway));
    await bench.appendPolls([
      poll({ mode: 'backfill' }),
      poll({ feed: 'storm_events', publisher: 'NOAA_SED' }),
    ]);
    expected = await bench.project('whole');
  });
  after(() => bench.stop());

  it('show the newest message of every record, once, and all polls', async () => {
    assert.deepEqual(viewOf(expected), truthOf(await bench.facts()));
    assert.equal(expected.feed_status.length, 4);
    assert.equal(expected.coverage.length, 3);
  });

  for (const batch_messages of [1, 2, 7]) {
    it(`are the same from batches of ${batch_messages}`, async () => {
      assert.deepEqual(await bench.project(`batches_of_${batch_messages}`, { batch_messages }), expected);
    });
  }

  it('are the same when everything is delivered twice, in other batches', async () => {
    await bench.project('twice', { batch_messages: 11 });
    // Positions are forgotten, so that the whole log is written a second time over what is there.
    await bench.store('twice').command('TRUNCATE TABLE projector_positions');
    assert.deepEqual(await bench.project('twice', { batch_messages: 4 }), expected);
  });

  // What kill -9 behind each step and at random moments leaves is in test/kills.
  it('are the same when two projectors share the partitions and one is killed', async () => {
    const database = 'shared';
    const first = bench.spawn(database, { batch_messages: 2 });
    const second = bench.spawn(database, { batch_messages: 2 });
    const ends = await bench.log.endOffsets(topics.observation.name);
    const some = Math.floor(ends.reduce((sum, end) => sum + end, 0) / 3);
    for (;;) {
      const reached = await committedVector(bench.store(database)).catch(() => new Map<string, number>());
      if ([...reached.values()].reduce((sum, offset) => sum + offset, 0) > some) break;
      await pause(10);
    }
    first.kill9();
    await first.exited;
    assert.deepEqual(await bench.untilPassed(database), expected);
    second.kill9();
    await second.exited;
  });

  it('are the same when the store and the registry are killed on the way: the projector goes on by itself', async () => {
    const database = 'store_killed';
    let steps = 0;
    const running = await bench.begin(database, {
      batch_messages: 2,
      afterStep: async (step) => {
        if (step === 'rows' && ++steps === 20) await bench.local.kill9();
      },
    });
    let failed: unknown;
    running.done.catch((error: unknown) => (failed = error));
    while (steps < 20) await pause(10);
    await bench.restartLocal();
    assert.deepEqual(await bench.untilPassed(database), expected);
    assert.equal(failed, undefined);
    await running.leave();
  });
});
