import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createHealth } from '../../../services/api/operations/health.ts';
import { hour_ms } from '../../../services/hail/time.ts';
import { HailmarkError } from '../../../services/runtime/errors.ts';

interface Health {
  status: string;
  database: { connected: boolean };
  data_freshness_ok: boolean;
  feeds: {
    feed: string;
    publisher: string;
    status: string;
    last_observation_at: string | null;
    hours_since: number | null;
    threshold_hours: number;
  }[];
}

const now_ms = Date.parse('2026-11-21T12:00:00.000Z');
const thresholds = {
  mrms_mesh: 6,
  radar_hail: 168,
  storm_events: 3600,
  local_storm_reports: 48,
  cocorahs_hail: 72,
  nws_alerts: 1,
};

async function healthWith(read: () => Promise<ReadonlyMap<string, number>>): Promise<Health> {
  const operation = createHealth({
    hail: {
      feedsReadThrough: read,
      observationsNear: () => Promise.reject(new Error('health reads no hail')),
    },
  });
  const answer = await operation.answer(
    {},
    {
      request_id: 'r',
      computed_at_ms: now_ms,
      operation: 'health',
      key: null,
      geohash_4: null,
      signal: new AbortController().signal,
      deadline_ms: Infinity,
    },
  );
  return answer.data as Health;
}

describe('health', () => {
  it('lists six feeds with their publishers and thresholds, unknown while never read', async () => {
    const health = await healthWith(() => Promise.resolve(new Map()));
    assert.equal(health.status, 'degraded');
    assert.equal(health.database.connected, true);
    assert.deepEqual(
      Object.fromEntries(health.feeds.map((each) => [each.feed, each.threshold_hours])),
      thresholds,
    );
    assert.deepEqual(
      health.feeds.map(({ publisher }) => publisher),
      ['MRMS_MESH', 'NEXRAD_SWDI', 'NOAA_SED', 'SPC_LSR', 'COCORAHS', 'NWS_ALERT'],
    );
    for (const feed of health.feeds) {
      assert.deepEqual([feed.status, feed.last_observation_at, feed.hours_since], ['unknown', null, null]);
    }
  });

  it('is healthy when every feed is as old as its threshold, and degraded a millisecond later', async () => {
    const ages = (more_ms: number): Map<string, number> =>
      new Map(Object.entries(thresholds).map(([feed, hours]) => [feed, now_ms - hours * hour_ms - more_ms]));
    const fresh = await healthWith(() => Promise.resolve(ages(0)));
    assert.deepEqual([fresh.status, fresh.data_freshness_ok], ['healthy', true]);
    const stale = await healthWith(() => Promise.resolve(ages(1)));
    assert.deepEqual([stale.status, stale.data_freshness_ok], ['degraded', false]);
    assert.ok(stale.feeds.every(({ status }) => status === 'stale'));
  });

  it('rounds hours to two decimals', async () => {
    const health = await healthWith(() =>
      Promise.resolve(new Map([['radar_hail', now_ms - 1.239 * hour_ms]])),
    );
    const radar = health.feeds.find(({ feed }) => feed === 'radar_hail');
    assert.equal(radar?.hours_since, 1.24);
    assert.equal(radar.last_observation_at, '2026-11-21T10:45:39.600Z');
  });

  it('is down, and still an answer, without the store', async () => {
    const away = (): Promise<never> =>
      Promise.reject(new HailmarkError('HAIL_STORE_UNAVAILABLE', 'The store does not answer.'));
    const health = await healthWith(away);
    assert.deepEqual(
      [health.status, health.database.connected, health.data_freshness_ok],
      ['down', false, false],
    );
    assert.equal(health.feeds.length, 6);
    assert.ok(health.feeds.every(({ status }) => status === 'unknown'));
  });

  it('does not hide an error of our own', async () => {
    await assert.rejects(
      healthWith(() => Promise.reject(new TypeError('a bug'))),
      TypeError,
    );
  });
});
