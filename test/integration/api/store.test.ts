import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createHailReader } from '../../../services/api/hail-reader.ts';
import { cellOf } from '../../../services/hail/geo/geohash.ts';
import { latToMicro, lonToMicro } from '../../../services/hail/geo/place.ts';
import { day_ms, hour_ms } from '../../../services/hail/time.ts';
import { topics } from '../../../services/log/topics.ts';
import { prepareStore } from '../../../services/projector/prepare.ts';
import { readConfig, type Config } from '../../../services/runtime/config.ts';
import { createReadiness } from '../../../services/runtime/readiness.ts';
import { coverageColumns, coverageValues, type CoverageRow } from '../../../services/store/coverage/row.ts';
import { feedStatusColumns, feedStatusValues } from '../../../services/store/feed_status/row.ts';
import { encodeBlock } from '../../../services/store/native.ts';
import { observationColumns, type ObservationRow } from '../../../services/store/observations/row.ts';
import { writePosition } from '../../../services/store/positions.ts';
import { tableName } from '../../../services/store/projections.ts';
import { createStore, type Store } from '../../../services/store/store.ts';
import { createCleanup } from '../../support/cleanup.ts';
import { startLocalServices, type LocalServices } from '../../support/local-services.ts';
import { sanAntonioRows } from '../../support/recorded.ts';
import { errorOf, now_ms, startInProcess, type InProcessApi } from './in-process.ts';

const place = { lat: 29.904, lon: -98.383 };
const path = '/v1/property/verify?address=100+Main+St&date_of_loss=2026-08-28';

interface Verified {
  verification: {
    window_start: string;
    window_end: string;
    event_count: number;
    verdict: string;
    max_hail_size_in: number;
  };
  events: {
    occurred_at: string;
    distance_mi: number;
    bearing: string;
    size_in: number;
    sources: { record_id: string }[];
  }[];
}

/** A recorded radar row as the store holds it. */
function rowOf(line: string, revision: number): ObservationRow {
  const [time = '', station = '', cell_id = '', , , size = '', lat_text = '', lon_text = ''] =
    line.split(',');
  const [lat, lon, at] = [Number(lat_text), Number(lon_text), Date.parse(time)];
  const id = `${station}/${time}/${cell_id}`;
  return {
    cell: cellOf(lat, lon),
    occurred_at: at,
    publisher: 'NEXRAD_SWDI',
    record_key: id,
    lat: latToMicro(lat),
    lon: lonToMicro(lon),
    ended_at: at,
    size_in: Number(size),
    size_tenths_mm: 0,
    record_id: id,
    status: 'preliminary',
    sevprob: null,
    prob: null,
    reporter: '',
    state: '',
    county: '',
    county_fips: '',
    document_url: 'https://www.ncei.noaa.gov/',
    document_sha256: '0'.repeat(64),
    publisher_version: '',
    retrieved_at: at,
    log_partition: 0,
    revision,
    is_deleted: 0,
  };
}

describe('answers over the real store', () => {
  const made = createCleanup();
  let local: LocalServices;
  let config: Config;
  let store: Store;
  let api: InProcessApi;

  const insert = (row: ObservationRow): Promise<void> =>
    store.insertBlock(tableName('observations', 1), encodeBlock(observationColumns, [row]));
  /** A live poll of radar hail; without an instant it proves nothing but that there was one. */
  const poll = async (
    revision: number,
    read_through: number | null = null,
    end_offset = 0,
  ): Promise<void> => {
    await store.insert(tableName('feed_status', 1), feedStatusColumns, [
      feedStatusValues({
        feed: 'radar_hail',
        log_partition: 0,
        revision,
        publisher: 'NEXRAD_SWDI',
        mode: 'live',
        asked: 'https://www.ncei.noaa.gov/swdiws',
        began_at: now_ms,
        ended_at: now_ms,
        outcome: 'read',
        reason: '',
        detail: '',
        read_through,
        records: 79,
        published: 79,
        withdrawn: 0,
        held: 0,
        end_offsets: [{ topic: topics.observation.name, partition: 0, end_offset }],
      }),
    ]);
    await position('feeds', topics.feed_poll.name, revision + 1);
  };
  const position = (projection: string, topic: string, next_offset: number): Promise<void> =>
    writePosition(store, projection, 1, { topic, partition: 0, log_id: 'log', next_offset }, now_ms);
  /** What a poll has read: no row of coverage stands without its poll's. */
  const cover = async (row: Partial<CoverageRow>): Promise<void> => {
    await poll(row.revision ?? 0);
    await store.insert(tableName('coverage', 1), coverageColumns, [
      coverageValues({
        feed: 'radar_hail',
        slice: 's',
        publisher: 'NEXRAD_SWDI',
        covers_from: Date.parse('2026-08-27'),
        covers_until: Date.parse('2026-08-30'),
        west: -99.5,
        south: 28.5,
        east: -97.5,
        north: 31,
        records: 79,
        publisher_version: '',
        read_at: 0,
        revision: 0,
        ...row,
      }),
    ]);
  };
  const verify = async (more = ''): Promise<{ data: Verified; headers: Headers }> => {
    const response = await api.get(`${path}${more}`);
    const text = await response.text();
    assert.equal(response.status, 200, text);
    return { data: (JSON.parse(text) as { data: Verified }).data, headers: response.headers };
  };

  before(async () => {
    local = await startLocalServices();
    made.keep(local);
    config = readConfig({ CLICKHOUSE_URL: local.clickhouse_url });
    store = createStore(config, { timeout_ms: 10_000 });
    made.keep({ stop: () => store.close() });
    const readiness = createReadiness(['keys', 'store']);
    readiness.set('keys', () => true);
    readiness.set('store', () => store.ping());
    api = made.keep(
      await startInProcess({
        hail: createHailReader(store, { mrms_product: 'MESH_Max_60min' }),
        geocoder: {
          locate: () =>
            Promise.resolve({ outcome: 'match', resolved_address: 'R', ...place, corrections: [] }),
        },
        readiness,
      }),
    );
  });
  after(() => made.stop());

  it('are 503 while there are no tables, and while nothing has been read', async () => {
    for (const prepare of [() => Promise.resolve(), () => prepareStore(config, store, () => now_ms)]) {
      await prepare();
      const response = await api.get(path);
      assert.equal(response.status, 503);
      assert.equal((await errorOf(response)).code, 'internal_error');
      assert.match(response.headers.get('Retry-After') ?? '', /^\d+$/);
      const { data } = (await (await api.get('/v1/meta/health')).json()) as {
        data: { status: string; database: unknown };
      };
      assert.deepEqual([data.status, data.database], ['degraded', { connected: true }]);
    }
  });

  it('are "no hail" with their coverage once something was read', async () => {
    await cover({});
    const { data, headers } = await verify('&window_days=1');
    assert.equal(data.verification.verdict, 'no_hail_in_window');
    assert.equal(data.verification.max_hail_size_in, 0);
    const coverage = 'NOAA_SED=none, NEXRAD_SWDI=complete, MRMS_MESH=none, COCORAHS=none';
    assert.equal(headers.get('X-Data-Coverage'), coverage);
    const wider = await verify('&window_days=2');
    assert.equal(wider.headers.get('X-Data-Coverage'), coverage.replace('complete', 'partial'));
  });

  it('are events of the recorded rows, cited', async () => {
    for (const [revision, line] of sanAntonioRows().entries()) await insert(rowOf(line, revision));
    const { data, headers } = await verify('&window_days=1&radius_mi=1&min_size_in=1');
    assert.equal(data.verification.verdict, 'hail_confirmed');
    assert.equal(data.verification.event_count, data.events.length);
    const [first] = data.events;
    assert.ok(first);
    assert.deepEqual(
      [first.occurred_at, first.size_in, first.distance_mi, first.bearing],
      ['2026-08-27T20:34:56.000Z', 1, 0, 'N'],
    );
    assert.equal(first.sources[0]?.record_id, 'KEWX/2026-08-27T20:34:56Z/J0');
    assert.match(headers.get('X-Data-Position') ?? '', /^v1\./);
  });

  it('hold a window whose start counts and whose end does not', async () => {
    const at = (time: string, cell: string): string =>
      `${time},KEWX,${cell},100,50,3.00,${place.lat},${place.lon}`;
    const times = [
      '2026-08-24T23:59:59Z',
      '2026-08-25T00:00:00Z',
      '2026-08-30T23:59:59Z',
      '2026-08-31T00:00:00Z',
    ];
    for (const [index, time] of times.entries()) await insert(rowOf(at(time, `E${index}`), 1_000 + index));
    const { data } = await verify('&window_days=3&min_size_in=3');
    assert.deepEqual(
      [data.verification.window_start, data.verification.window_end],
      ['2026-08-25T00:00:00.000Z', '2026-08-31T00:00:00.000Z'],
    );
    assert.deepEqual(
      data.events.map(({ occurred_at }) => occurred_at),
      ['2026-08-25T00:00:00.000Z', '2026-08-30T23:59:59.000Z'],
    );
  });

  it('of history hold the whole last day, keep the first events, and say that there are more', async () => {
    const ask = async (
      more: string,
    ): Promise<{ total: number; returned: number; truncated: boolean; items: Record<string, unknown>[] }> => {
      const response = await api.get(
        `/v1/property/history?address=100+Main+St&min_size_in=3&since=2026-08-25&until=2026-08-30${more}`,
      );
      const { data } = (await response.json()) as {
        data: {
          events: { total: number; returned: number; truncated: boolean; items: Record<string, unknown>[] };
        };
      };
      return data.events;
    };
    const all = await ask('');
    assert.deepEqual([all.total, all.returned, all.truncated], [2, 2, false]);
    const first = await ask('&limit=1');
    assert.deepEqual([first.total, first.returned, first.truncated], [2, 1, true]);
    assert.deepEqual(first.items, all.items.slice(0, 1));
    assert.equal(
      first.items.some((item) => 'bearing' in item),
      false,
    );
  });

  it('of two storms of a granule cite it in both events, once in each, and the configured product alone', async () => {
    // NOT REAL: cells a hundredth of a degree apart and, after a gap of six miles, two more; and the same hail by another product.
    const cells = [
      [29.905, 900],
      [29.915, 920],
      [30.005, 950],
      [30.015, 940],
    ] as const;
    const stamp = '2026-07-05T22:00:00Z';
    for (const [revision, [lat, tenths]] of cells.entries()) {
      for (const product of ['MESH_Max_60min', 'MESH']) {
        const id = `${product}/${stamp}`;
        const began = product === 'MESH' ? '2026-07-05T21:58:00Z' : '2026-07-05T21:00:00Z';
        await insert({
          ...rowOf(`${began},,,,,${(Math.round(tenths / 2.54) / 100).toFixed(2)},${lat},-98.385`, revision),
          ...{ publisher: 'MRMS_MESH', record_key: id, record_id: id },
          ...{ ended_at: Date.parse(stamp), size_tenths_mm: tenths },
        });
      }
    }
    const { data } = await verify('&window_days=90&min_size_in=3.5&radius_mi=10');
    assert.deepEqual(
      data.events.map(({ occurred_at, size_in, bearing, sources }) => [
        ...[occurred_at, size_in, bearing],
        ...sources.map(({ record_id }) => record_id),
      ]),
      [
        ['2026-07-05T21:00:00.000Z', 3.74, 'N', 'MESH_Max_60min/2026-07-05T22:00:00Z'],
        ['2026-07-05T21:00:00.000Z', 3.62, 'N', 'MESH_Max_60min/2026-07-05T22:00:00Z'],
      ],
    );
  });

  it('of health speak of polls whose messages can be queried, and of no others', async () => {
    const radar = async (): Promise<Record<string, unknown> | undefined> => {
      const { data } = (await (await api.get('/v1/meta/health')).json()) as {
        data: { feeds: Record<string, unknown>[] };
      };
      return data.feeds.find(({ feed }) => feed === 'radar_hail');
    };
    const reached = (next_offset: number): Promise<void> =>
      position('observations', topics.observation.name, next_offset);
    await poll(1, now_ms - 2 * day_ms, 50);
    await poll(2, now_ms - hour_ms, 79);
    await reached(49);
    assert.equal((await radar())?.['status'], 'unknown');
    await reached(50);
    assert.equal((await radar())?.['hours_since'], 48);
    await reached(79);
    assert.deepEqual([(await radar())?.['hours_since'], (await radar())?.['status']], [1, 'fresh']);
  });

  it('are 500 and "down" when the store dies, and go on when it is back', async () => {
    const { port } = new URL(local.clickhouse_url);
    await local.kill9();
    const response = await api.get(path);
    assert.equal(response.status, 500);
    assert.deepEqual((await errorOf(response)).detail, {});
    const health = await api.get('/v1/meta/health');
    assert.equal(health.status, 200);
    assert.equal(((await health.json()) as { data: { status: string } }).data.status, 'down');
    assert.equal((await api.get('/readyz')).status, 503);
    assert.equal((await api.get('/healthz')).status, 200);

    made.keep(await startLocalServices({ data_dir: local.data_dir, clickhouse_port: Number(port) }));
    const { data } = await verify('&min_size_in=3');
    // A second before and after midnight is one fall of hail.
    assert.deepEqual(
      data.events.map(({ sources }) => sources.length),
      [2, 2],
    );
  });
});
