import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createHolds } from '../../../services/projector/holds.ts';
import type { RebuildEvent } from '../../../services/projector/rebuild/deps.ts';
import { createMeter } from '../../../services/projector/rebuild/watch.ts';
import type { Store } from '../../../services/store/store.ts';

const topic = 'hail.observation.v1';

describe('a hold, as a projector sees it', () => {
  const setUp = (): {
    holds: ReturnType<typeof createHolds>;
    at: (span_ms: number) => Promise<number | null>;
    put: (hold_at: number, beat: number) => void;
    lift: () => void;
    reads: () => number;
  } => {
    let now = 1_000_000;
    let reads = 0;
    let stored: unknown[] = [];
    const rows = (): Promise<never[]> => {
      reads += 1;
      return Promise.resolve(stored as never[]);
    };
    const holds = createHolds({ store: { rows } as Partial<Store> as Store, clock: () => now }, 15_000);
    return {
      holds,
      at: (span_ms) => {
        now += span_ms;
        return holds.at('observations', topic, 3);
      },
      put: (hold_at, beat) => {
        stored = [{ projection: 'observations', topic, partition: 3, hold_at: String(hold_at), beat }];
      },
      lift: () => {
        stored = [];
      },
      reads: () => reads,
    };
  };

  it('binds its own projection and partition until it is lifted', async () => {
    const { holds, at, put, lift } = setUp();
    assert.equal(await at(0), null);
    put(70, 1);
    assert.equal(await at(1_000), 70);
    assert.equal(await holds.at('observations', topic, 2), null);
    assert.equal(await holds.at('feeds', topic, 3), null);
    put(90, 2);
    assert.equal(await at(0), 90);
    lift();
    assert.equal(await at(0), null);
  });

  it('binds as long as its beat grows, and one lease longer', async () => {
    const { at, put } = setUp();
    put(70, 5);
    assert.equal(await at(0), 70);
    assert.equal(await at(14_000), 70);
    put(70, 6);
    assert.equal(await at(900), 70);
    assert.equal(await at(14_900), 70);
    assert.equal(await at(200), null);
    put(70, 7);
    assert.equal(await at(1_000), 70);
  });

  it('is looked for once a second, and with every question while there is one', async () => {
    const { at, put, reads } = setUp();
    for (let question = 0; question < 10; question += 1) await at(10);
    assert.equal(reads(), 1);
    put(70, 1);
    await at(1_000);
    for (let question = 0; question < 10; question += 1) await at(10);
    assert.equal(reads(), 12);
  });
});

describe('what is told while a version is built', () => {
  it('is a rate, the time that remains, and that nothing moves', () => {
    let now = 0;
    const said: RebuildEvent[] = [];
    const meter = createMeter({ clock: () => now, say: (event) => said.push(event) }, 'observations.v2');
    for (; now <= 20_000; now += 500) meter.read(Math.min(now, 4_000), 10_000);
    const progress = said.flatMap((event) => (event.event === 'progress' ? [event] : []));
    assert.deepEqual(progress.at(0), {
      ...{ event: 'progress', version: 'observations.v2', done: 2_000, total: 10_000 },
      ...{ per_second: 1_000, remaining_s: 8 },
    });
    assert.equal(progress.at(-1)?.remaining_s, null);
    const standing = said.flatMap((event) => (event.event === 'standing' ? [event.for_s] : []));
    assert.deepEqual(standing, [10]);
  });
});
