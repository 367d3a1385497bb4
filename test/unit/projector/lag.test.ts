import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { topics } from '../../../services/log/topics.ts';
import type { EventLog } from '../../../services/log/event-log.ts';
import { createLagReader } from '../../../services/projector/lag.ts';
import { projectionAt } from '../../../services/projector/all-projections.ts';
import { HailmarkError } from '../../../services/runtime/errors.ts';
import type { Store } from '../../../services/store/store.ts';
import { createMemoryLog } from '../../support/memory-log.ts';

const topic = topics.feed_poll.name;

interface PositionRow {
  projection: string;
  version: number;
  topic: string;
  partition: number;
  log_id: string;
  next_offset: string;
}

/** The positions as the store gives them, and a store that can be away or silent. */
function storeOf(positions: PositionRow[]): {
  store: Store;
  state: { is: 'there' | 'away' | 'silent' };
  asked: () => number;
} {
  const state: { is: 'there' | 'away' | 'silent' } = { is: 'there' };
  let asked = 0;
  const unused = (): never => assert.fail('lag reads and nothing else');
  return {
    state,
    asked: () => asked,
    store: {
      rows: <T>() => {
        asked += 1;
        if (state.is === 'there') return Promise.resolve([...positions] as T[]);
        if (state.is === 'silent') return new Promise<T[]>(() => undefined);
        return Promise.reject(new HailmarkError('HAIL_STORE_UNAVAILABLE', 'Away (NOT REAL).'));
      },
      ...{ command: unused, insert: unused, insertBlock: unused, ping: unused, close: unused },
    },
  };
}

async function setUp(): Promise<{
  log: EventLog;
  positions: PositionRow[];
  at: (next_offset: number) => PositionRow;
  now: { ms: number };
  append: (appended_at: number) => Promise<void>;
}> {
  const now = { ms: 0 };
  const log = createMemoryLog({ clock: () => now.ms, id: 'this-log' }).open();
  await log.ensureTopics([topics.feed_poll]);
  return {
    log,
    now,
    positions: [],
    at: (next_offset) => ({
      ...{ projection: 'feeds', version: 1, topic, partition: 0, log_id: 'this-log' },
      next_offset: String(next_offset),
    }),
    append: async (appended_at) => {
      now.ms = appended_at;
      await log.append(topic, [{ key: 'storm_events', value: Buffer.from('x') }]);
    },
  };
}

const feeds = projectionAt('feeds', 1);
assert.ok(feeds);
const running = [feeds];

describe('the lag of the projections that run', () => {
  it('is what lies between position and end, and the age of the oldest message there', async () => {
    const { log, positions, at, now, append } = await setUp();
    for (const appended_at of [1_000, 2_000, 5_000]) await append(appended_at);
    now.ms = 9_000;
    const { store } = storeOf(positions);
    const read = createLagReader({ log, store, clock: () => now.ms }, () => running);
    const lags = async (): Promise<unknown> =>
      (await read())?.map(({ projection, waiting_ms, lags }) => [
        projection,
        lags.map(({ lag }) => lag),
        waiting_ms,
      ]);
    assert.deepEqual(await lags(), [['feeds.v1', [3], 8_000]], 'without a position it is at the beginning');
    positions.push(at(1));
    assert.deepEqual(await lags(), [['feeds.v1', [2], 7_000]]);
    now.ms = 10_000;
    assert.deepEqual(await lags(), [['feeds.v1', [2], 8_000]], 'one that still waits grows older');
    positions.push(at(3));
    positions.shift();
    assert.deepEqual(await lags(), [['feeds.v1', [0], 0]]);
  });

  it('leaves positions of another log and of other versions alone', async () => {
    const { log, positions, at, append } = await setUp();
    await append(1_000);
    positions.push({ ...at(1), log_id: 'other' }, { ...at(1), version: 2 });
    const read = createLagReader({ log, store: storeOf(positions).store, clock: () => 1_000 }, () => running);
    assert.deepEqual(
      (await read())?.[0]?.lags.map(({ lag }) => lag),
      [1],
    );
  });

  it('goes on growing while the store is away, and is not known before it was there once', async () => {
    const { log, positions, at, now, append } = await setUp();
    await append(1_000);
    positions.push(at(1));
    const { store, state } = storeOf(positions);
    const read = createLagReader({ log, store, clock: () => now.ms }, () => running);
    state.is = 'away';
    assert.equal(await read(), null);
    state.is = 'there';
    assert.deepEqual((await read())?.[0]?.waiting_ms, 0);
    state.is = 'away';
    await append(2_000);
    now.ms = 4_000;
    const [lag] = (await read()) ?? [];
    assert.deepEqual([lag?.lags.map((each) => each.lag), lag?.waiting_ms], [[1], 2_000]);
  });

  it('is told beside a store that is silent, which is asked once', async () => {
    const { log, positions, at, append } = await setUp();
    await append(1_000);
    positions.push(at(0));
    const { store, state, asked } = storeOf(positions);
    const read = createLagReader({ log, store, clock: () => 1_000 }, () => running, 10);
    await read();
    state.is = 'silent';
    const before = asked();
    for (let time = 0; time < 2; time += 1) {
      assert.deepEqual(
        (await read())?.[0]?.lags.map(({ lag }) => lag),
        [1],
      );
    }
    assert.equal(asked(), before + 1);
  });
});
