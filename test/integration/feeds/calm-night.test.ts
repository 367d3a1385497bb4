import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Faults } from '../../../infra/sandbox/faults.ts';
import { createHealth } from '../../../services/api/operations/health.ts';
import { mrmsMesh } from '../../../services/feeds/mrms/feed.ts';
import { topics } from '../../../services/log/topics.ts';
import { startTestSandbox } from '../../support/sandbox.ts';
import { startFeedBench, type FeedBench } from './bench.ts';

const hour_ms = 3_600_000;
const midnight = Date.parse('2027-01-15T00:00:00Z');
/** A granule of an hour is there three minutes after it. */
const polled_after_ms = 300_000;

/** What health says of the hail grids at an instant, of the newest reading that their live polls have proved. */
async function statusAt(bench: FeedBench, now_ms: number): Promise<unknown> {
  const proved = (await bench.polls()).filter(
    ({ mode, read_through }) => mode === 'live' && read_through !== null,
  );
  const cursor = proved.at(-1)?.read_through;
  const read = new Map(typeof cursor === 'number' ? [['mrms_mesh', cursor]] : []);
  const hail = {
    feedsReadThrough: () => Promise.resolve(read),
    observationsNear: () => Promise.reject(new Error('health reads no hail')),
  };
  const { signal } = new AbortController();
  const context = {
    request_id: 'r',
    computed_at_ms: now_ms,
    operation: 'health',
    key: null,
    geohash_4: null,
    deadline_ms: 1_000,
    signal,
  };
  const { data } = (await createHealth({ hail }).answer({}, context)) as {
    data: { feeds: { feed: string; status: string; last_observation_at: string | null }[] };
  };
  const said = data.feeds.find(({ feed }) => feed === 'mrms_mesh');
  return [said?.status, said?.last_observation_at];
}

const iso = (at_ms: number): string => new Date(at_ms).toISOString();

describe('a calm night in winter', { timeout: 120_000 }, () => {
  it('stays fresh by granules without hail, and goes stale six hours after the last of them', async () => {
    const faults: Faults = new Map();
    const sandbox = await startTestSandbox(iso(midnight), { faults });
    const bench = await startFeedBench();
    const feed = mrmsMesh({
      MRMS_URL: sandbox.url,
      MRMS_SCHEDULE: '0 0 1 1 *',
      MRMS_PRODUCT: 'MESH_Max_60min',
      MRMS_REREAD_HOURS: 1,
      MRMS_HISTORY: '',
    });
    try {
      const last_hour = 5;
      for (let hour = 0; hour <= last_hour; hour += 1) {
        const stamp = midnight + hour * hour_ms;
        bench.clock.now = stamp + polled_after_ms;
        sandbox.setTime(iso(bench.clock.now));
        assert.deepEqual(await bench.poll(feed), []);
        assert.deepEqual(await statusAt(bench, bench.clock.now), ['fresh', iso(stamp)]);
      }
      let granules = 0;
      for await (const page of bench.log.scan(topics.grid.name)) {
        for (const { value } of page) {
          const decoded = await bench.codec.decode(topics.grid.name, value);
          assert.ok(decoded.outcome === 'ok');
          // All of the mosaic's 3,500 rows of 7,000 cells were seen, and nothing in them.
          const { cells, sizes, dropped, covered } = decoded.fact;
          assert.deepEqual([cells, sizes, dropped, covered], [[], [], [], 24_500_000]);
          granules += 1;
        }
      }
      assert.equal(granules, last_hour + 1);

      // The bucket falls silent: a failed poll proves nothing, and age alone makes the feed stale.
      faults.set('mrms_mesh', '500');
      const last = midnight + last_hour * hour_ms;
      bench.clock.now = last + 6 * hour_ms;
      assert.deepEqual(await bench.poll(feed), ['http-status']);
      assert.deepEqual(await statusAt(bench, last + 6 * hour_ms), ['fresh', iso(last)]);
      assert.deepEqual(await statusAt(bench, last + 6 * hour_ms + 1), ['stale', iso(last)]);
    } finally {
      await bench.stop();
      await sandbox.stop();
    }
  });
});
