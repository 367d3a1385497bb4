import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readConfig } from '../../services/runtime/config.ts';
import { createStore } from '../../services/store/store.ts';
import { createCleanup } from '../support/cleanup.ts';
import { startTestService, type TestService } from '../support/service.ts';

interface Feed {
  feed: string;
  status: 'fresh' | 'stale' | 'unknown';
  last_observation_at: string | null;
  hours_since: number | null;
}

interface Health {
  status: string;
  data_freshness_ok: boolean;
  feeds: Feed[];
}

/** What health has to say of a feed: its status, and through when it was read; `now` is some instant since the start. */
type Said = readonly [status: Feed['status'], last_observation_at: string | null];

/**
 * By the decisions' thresholds and the recordings alone. The newest event of the newest Storm Events file (2017) is of 2017-04-01T04:55Z
 * (688747; 3,600 hours later it is stale, on 29 August). The inventory's catalogue ends on 2026-08-30, and today is never a whole day. A
 * granule comes three minutes after its hour, with hail or without. Storm reports and alerts are answered at any time, and an empty
 * answer was read too. A day of CoCoRaHS is read when it is over everywhere, 12:00Z of the next, and ends at 04:00Z in the east.
 */
const instants: Readonly<Record<string, { status: string; feeds: Readonly<Record<string, Said>> }>> = {
  // The day between the two recorded days of storm reports. No event has happened yet by this clock: nothing of the file proves anything.
  '2013-05-20T17:05:00Z': {
    status: 'degraded',
    feeds: {
      mrms_mesh: ['fresh', '2013-05-20T17:00:00.000Z'],
      radar_hail: ['fresh', '2013-05-20T00:00:00.000Z'],
      storm_events: ['unknown', null],
      local_storm_reports: ['fresh', 'now'],
      cocorahs_hail: ['fresh', '2013-05-20T04:00:00.000Z'],
      nws_alerts: ['fresh', 'now'],
    },
  },
  // Three months after the newest event.
  '2017-07-01T11:05:00Z': {
    status: 'healthy',
    feeds: {
      mrms_mesh: ['fresh', '2017-07-01T11:00:00.000Z'],
      radar_hail: ['fresh', '2017-07-01T00:00:00.000Z'],
      storm_events: ['fresh', '2017-04-01T04:55:00.000Z'],
      local_storm_reports: ['fresh', 'now'],
      // The 30th of June is not over in Hawaii.
      cocorahs_hail: ['fresh', '2017-06-30T04:00:00.000Z'],
      nws_alerts: ['fresh', 'now'],
    },
  },
  // The instant that the help of `npm start -- --at` names, and five minutes: the evening of the recorded radar hail.
  '2026-08-29T03:05:00Z': {
    status: 'degraded',
    feeds: {
      mrms_mesh: ['fresh', '2026-08-29T03:00:00.000Z'],
      radar_hail: ['fresh', '2026-08-29T00:00:00.000Z'],
      storm_events: ['stale', '2017-04-01T04:55:00.000Z'],
      local_storm_reports: ['fresh', 'now'],
      cocorahs_hail: ['fresh', '2026-08-28T04:00:00.000Z'],
      nws_alerts: ['fresh', 'now'],
    },
  },
  // A calm night in winter, after the inventory's end.
  '2027-01-15T06:05:00Z': {
    status: 'degraded',
    feeds: {
      mrms_mesh: ['fresh', '2027-01-15T06:00:00.000Z'],
      radar_hail: ['stale', '2026-08-30T00:00:00.000Z'],
      storm_events: ['stale', '2017-04-01T04:55:00.000Z'],
      local_storm_reports: ['fresh', 'now'],
      cocorahs_hail: ['fresh', '2027-01-14T04:00:00.000Z'],
      nws_alerts: ['fresh', 'now'],
    },
  },
};

/** Starts the service at an instant, as `npm start -- --at` does, and hands it over once all that was read can be queried. */
async function withServiceAt(at: string, test: (service: TestService) => Promise<void>): Promise<void> {
  const made = createCleanup();
  try {
    const env = {
      HAILMARK_CLOCK_OFFSET_MS: String(Date.parse(at) - Date.now()),
      MRMS_REREAD_HOURS: '3',
      // The years before say nothing about freshness.
      NOAA_SED_FIRST_YEAR: '2017',
    };
    const service = made.keep(await startTestService({ env }));
    await service.untilQueryable();
    await test(service);
  } finally {
    await made.stop();
  }
}

async function healthOf(service: TestService): Promise<{ health: Health; computed_at: number }> {
  const response = await service.get('/v1/meta/health');
  assert.equal(response.status, 200);
  const { data, meta } = (await response.json()) as { data: Health; meta: { computed_at: string } };
  return { health: data, computed_at: Date.parse(meta.computed_at) };
}

describe('the service at an instant', { timeout: 240_000 }, () => {
  for (const [at, expected] of Object.entries(instants)) {
    it(`knows at ${at} how fresh each feed is`, async () => {
      await withServiceAt(at, async (service) => {
        const { health, computed_at } = await healthOf(service);
        const since_start = (text: string | null): string | null =>
          text !== null && Date.parse(text) >= Date.parse(at) && Date.parse(text) <= computed_at
            ? 'now'
            : text;
        assert.deepEqual(
          Object.fromEntries(
            health.feeds.map(({ feed, status, last_observation_at }) => [
              feed,
              [status, since_start(last_observation_at)],
            ]),
          ),
          expected.feeds,
        );
        for (const { last_observation_at, hours_since } of health.feeds) {
          const age = last_observation_at === null ? null : computed_at - Date.parse(last_observation_at);
          assert.equal(hours_since, age === null ? null : Math.floor(age / 36_000 + 0.5) / 100);
        }
        assert.equal(health.status, expected.status);
        assert.equal(health.data_freshness_ok, expected.status === 'healthy');
        if (at.startsWith('2027')) await assertCalm(service);
      });
    });
  }
});

/** Granules without hail have been read, each a complete reading of nothing, and no row stands for any of them. */
async function assertCalm({ clickhouse_url }: TestService): Promise<void> {
  const store = createStore({ ...readConfig({}), CLICKHOUSE_URL: clickhouse_url });
  try {
    const read = await store.rows<{ slice: string; records: number }>(
      `SELECT slice, toUInt32(records) AS records FROM coverage_v1 FINAL WHERE feed = 'mrms_mesh' ORDER BY slice`,
    );
    const hours = ['04', '05', '06'];
    assert.deepEqual(
      read.map(({ slice, records }) => [slice, records]),
      // A granule is a record, with hail or without.
      hours.map((hour) => [`MESH_Max_60min/2027-01-15T${hour}:00:00Z`, 1]),
    );
    const rows = await store.rows(`SELECT record_id FROM observations_v1 WHERE publisher = 'MRMS_MESH'`);
    assert.deepEqual(rows, []);
  } finally {
    await store.close();
  }
}
