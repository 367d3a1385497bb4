import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { pause } from '../../services/runtime/clock.ts';
import { readConfig } from '../../services/runtime/config.ts';
import { openLog } from '../../services/log/open-log.ts';
import { topics } from '../../services/log/topics.ts';
import { createStore, type Store } from '../../services/store/store.ts';
import { createCleanup } from '../support/cleanup.ts';
import { recordedHail } from '../support/oracle/records.ts';
import { startTestService, type TestService } from '../support/service.ts';

/** Who is killed, once so many facts stand in the log: every process at least once, in the middle of the first load. */
const kills: readonly { at: number; name: string }[] = [
  { at: 1_000, name: 'feeds' },
  { at: 6_000, name: 'projector' },
  { at: 12_000, name: 'local' },
  { at: 20_000, name: 'sandbox' },
  { at: 28_000, name: 'api' },
  { at: 36_000, name: 'projector' },
  { at: 50_000, name: 'feeds' },
];

describe('every process killed with -9 while the recordings load', () => {
  const made = createCleanup();
  let service: TestService;
  let store: Store;

  before(async () => {
    service = made.keep(await startTestService({ env: { FEEDS_RETRY_MS: '500' } }));
    store = createStore({ ...readConfig({}), CLICKHOUSE_URL: service.clickhouse_url });
    made.keep({ stop: () => store.close() });
  });
  after(() => made.stop());

  it('ends with every citable record once and no other', { timeout: 120_000 }, async () => {
    const log = await openLog({ HAILMARK_DATA_DIR: service.data_dir });
    made.keep({ stop: () => log.close() });
    for (const { at, name } of kills) {
      await until(async () => sum(await log.endOffsets(topics.observation.name)) >= at);
      await until(() => Promise.resolve(service.pid(name) !== undefined));
      process.kill(service.pid(name) ?? 0, 'SIGKILL');
    }
    await service.untilQueryable();

    const rows = await store.rows<{ id: string; began: number; lat: number; lon: number; size: number }>(
      `SELECT record_id AS id, toUnixTimestamp64Milli(occurred_at) AS began, lat, lon, size_in AS size
       FROM observations_v1 FINAL ORDER BY publisher, id`,
    );
    const expected = recordedHail()
      .map(({ id, began, lat, lon, size }) => ({
        id,
        began,
        lat: Math.round(lat * 1e6),
        lon: Math.round(lon * 1e6),
        size,
      }))
      .map((row) => JSON.stringify(row))
      .sort();
    assert.deepEqual(rows.map((row) => JSON.stringify(row)).sort(), expected);
    const [aside] = await store.rows<{ n: number }>('SELECT count() AS n FROM set_aside_v1 FINAL');
    // 12,585 of 1993 and 1995 without a place, and 159 others of unknown size.
    assert.equal(Number(aside?.n), 12_744);
  });

  it('goes on answering, and health says what was read', { timeout: 30_000 }, async () => {
    await until(async () => (await service.get('/v1/meta/health').catch(() => null))?.status === 200);
    const { data } = (await (await service.get('/v1/meta/health')).json()) as {
      data: { feeds: { feed: string; last_observation_at: string | null }[] };
    };
    const read = new Map(data.feeds.map((feed) => [feed.feed, feed.last_observation_at]));
    assert.equal(read.get('storm_events'), '2017-04-01T04:55:00.000Z');
    assert.equal(read.get('radar_hail'), '2026-08-30T00:00:00.000Z');
    assert.equal(read.get('mrms_mesh'), null);
  });
});

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await pause(5);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
