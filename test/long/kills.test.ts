import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { pause } from '../../services/runtime/clock.ts';
import { readConfig } from '../../services/runtime/config.ts';
import { openLog } from '../../services/log/open-log.ts';
import { topics } from '../../services/log/topics.ts';
import { createStore, type Store } from '../../services/store/store.ts';
import { createCleanup } from '../support/cleanup.ts';
import { recordedHail } from '../support/oracle/records.ts';
import { assertSameRows, liveRows } from '../support/rows.ts';
import { startTestService, type TestService } from '../support/service.ts';

/** The years after 1990: enough to be killed in, and a third of all that is recorded. Their hail rows as data sheets count them. */
const years = [1992, 1993, 1995, 2017];
const hail_rows = 5_687 + 4_215 + 8_370 + 1_184;
const radar_rows = 79 + 4;

/** Who is killed, once so many facts stand in the log: every process at least once, in the middle of the first load. */
const kills: readonly { at: number; name: string }[] = [
  { at: 500, name: 'feeds' },
  { at: 3_000, name: 'projector' },
  { at: 6_000, name: 'local' },
  { at: 9_000, name: 'sandbox' },
  { at: 11_000, name: 'api' },
  { at: 13_000, name: 'projector' },
  { at: 16_000, name: 'feeds' },
];

describe('every process killed with -9 while the recordings load', () => {
  const made = createCleanup();
  let service: TestService;
  let store: Store;

  before(async () => {
    service = made.keep(
      await startTestService({
        // Two publishers' records are counted here; the others are read beside them, and have nothing of today.
        env: { FEEDS_RETRY_MS: '500', NOAA_SED_FIRST_YEAR: '1991', SPC_HISTORY: '', COCORAHS_HISTORY: '' },
      }),
    );
    store = createStore({ ...readConfig({}), CLICKHOUSE_URL: service.clickhouse_url });
    made.keep({ stop: () => store.close() });
  });
  after(() => made.stop());

  it('ends with every citable record once and no other', { timeout: 600_000 }, async () => {
    const log = await openLog(service.config);
    made.keep({ stop: () => log.close() });
    for (const { at, name } of kills) {
      await until(async () => sum(await log.endOffsets(topics.observation.name)) >= at);
      await service.kill9(name);
    }
    const recorded = recordedHail({ years });
    // A killed feed polls again when it is back, and one whose publisher was killed after a while; both end with everything.
    await until(async () => (await liveRows(store).catch(() => [])).length >= recorded.length);
    await until(async () => sum(await log.endOffsets(topics.observation.name)) >= hail_rows + radar_rows);
    await service.untilQueryable();

    assertSameRows(await liveRows(store), recorded);
    const [aside] = await store.rows<{ n: number }>('SELECT count() AS n FROM set_aside_v1 FINAL');
    const citable = recorded.filter(({ publisher }) => publisher === 'NOAA_SED').length;
    assert.equal(Number(aside?.n), hail_rows - citable);
  });

  it('goes on answering, and health says what was read', { timeout: 200_000 }, async () => {
    await until(async () => (await service.get('/v1/meta/health').catch(() => null))?.status === 200);
    const { data } = (await (await service.get('/v1/meta/health')).json()) as {
      data: { feeds: { feed: string; last_observation_at: string | null }[] };
    };
    const read = new Map(data.feeds.map((feed) => [feed.feed, feed.last_observation_at]));
    assert.equal(read.get('storm_events'), '2017-04-01T04:55:00.000Z');
    assert.equal(read.get('radar_hail'), '2026-08-30T00:00:00.000Z');
    assert.match(read.get('mrms_mesh') ?? '', /:00:00\.000Z$/);
  });
});

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await pause(5);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
