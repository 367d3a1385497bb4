import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { HailQuestion, HailReading } from '../../../services/api/ports.ts';
import type { Observation } from '../../../services/hail/observation.ts';
import { currentScoreModel } from '../../../services/hail/methodology/methodology.ts';
import { roofTypes } from '../../../services/hail/roof/roof-type.ts';
import { scoreRoof } from '../../../services/hail/score/score.ts';
import { address, errorOf, key, match, now_ms, startInProcess, type InProcessApi } from './in-process.ts';

/** The place that the geocoder of these tests gives, rounded; a mile north of it is this much more latitude (6,371.0088 km). */
const place = { lat: 29.424351, lon: -98.495142 };
const mile_deg = 1.609344 / 6371.0088 / (Math.PI / 180);
const day_ms = 86_400_000;

/** NOT REAL: hail `miles` north of the place. */
function hail(miles: number, time: string, parts: Partial<Observation> = {}): Observation {
  const began_ms = Date.parse(time);
  const record_id = parts.record_id ?? `KEWX/${time}/A${Math.round(10 * miles)}`;
  return {
    publisher: 'NEXRAD_SWDI',
    record_key: record_id,
    record_id,
    began_ms,
    ended_ms: began_ms,
    lat: place.lat + miles * mile_deg,
    lon: place.lon,
    size_in: 1.5,
    size_tenths_mm: null,
    sevprob: 60,
    ...parts,
  };
}

/** A granule's cell. NOT REAL. */
function cell(miles: number, time: string, size_tenths_mm: number): Observation {
  const began_ms = Date.parse(time);
  const id = `MESH_Max_60min/${new Date(began_ms + 3_600_000).toISOString().slice(0, 19)}Z`;
  return hail(miles, time, {
    publisher: 'MRMS_MESH',
    record_key: id,
    record_id: id,
    ended_ms: began_ms + 3_600_000,
    size_in: Math.floor(size_tenths_mm / 2.54 + 0.5) / 100,
    size_tenths_mm,
    sevprob: null,
  });
}

interface ScoreData {
  property: Record<string, unknown>;
  score: { value: number; tier: string; max_hail_size_in: number; storm_count: number };
  events: {
    total_in_lookback: number;
    returned: number;
    items: { occurred_at: string; sources: { record_id: string }[] }[];
  };
  parameters: { radius_mi: number; lookback_start: string };
}

const open: InProcessApi[] = [];
after(async () => {
  await Promise.all(open.map((api) => api.stop()));
});

async function start(observations: Observation[]): Promise<{
  api: InProcessApi;
  asked: HailQuestion[];
  score: (more?: string) => Promise<ScoreData>;
  lookup: () => Promise<Record<string, Record<string, unknown>>>;
}> {
  const asked: HailQuestion[] = [];
  const reading: HailReading = {
    observations,
    token: 'v1.test.0',
    coverage: { NOAA_SED: 'partial', NEXRAD_SWDI: 'none', MRMS_MESH: 'none', COCORAHS: 'none' },
  };
  const api = await startInProcess({
    geocoder: { locate: () => Promise.resolve(match) },
    hail: {
      observationsNear: (question) => {
        asked.push(question);
        return Promise.resolve({ ...reading, observations: [...observations] });
      },
      feedsReadThrough: () => Promise.resolve(new Map()),
    },
  });
  open.push(api);
  const json = async (path: string): Promise<unknown> => {
    const response = await api.get(path);
    const text = await response.text();
    assert.equal(response.status, 200, text);
    return JSON.parse(text);
  };
  const query = `address=${encodeURIComponent(address)}`;
  return {
    api,
    asked,
    score: async (more = '') =>
      ((await json(`/v1/property/score?${query}${more}`)) as { data: ScoreData }).data,
    lookup: async () =>
      (await json(`/api/v1/lookup?${query}&bogus=1`)) as Record<string, Record<string, unknown>>,
  };
}

describe('the score of a property', () => {
  it('echoes the roof, names the window, and lists its events newest first', async () => {
    const { score, asked } = await start([
      hail(1, '2019-05-01T22:00:00.000Z', { size_in: 2.25 }),
      hail(2, '2024-05-09T01:00:00.000Z'),
      hail(3, '2024-05-09T13:00:00.000Z'),
      hail(9, '2025-05-09T13:00:00.000Z', { size_in: 4 }),
      hail(1, '2025-06-09T13:00:00.000Z', { size_in: 0.74 }),
    ]);
    const data = await score('&roof_age=12&roof_type=wood_shake');
    assert.deepEqual(data.property, {
      address,
      resolved_address: '100 MILITARY PLZ, SAN ANTONIO, TX, 78205',
      ...place,
      roof_age: 12,
      roof_type: 'wood_shake',
    });
    assert.deepEqual(
      data.events.items.map(({ occurred_at }) => occurred_at),
      ['2024-05-09T13:00:00.000Z', '2024-05-09T01:00:00.000Z', '2019-05-01T22:00:00.000Z'],
    );
    assert.deepEqual([data.events.total_in_lookback, data.events.returned], [3, 3]);
    assert.deepEqual(data.parameters, { radius_mi: 5, lookback_start: '2014-11-21T23:30:00.000Z' });
    // 01:00 on the ninth belongs to the convective day of the eighth: three days.
    assert.deepEqual([data.score.max_hail_size_in, data.score.storm_count], [2.25, 3]);
    assert.deepEqual(asked[0], {
      ...place,
      radius_mi: 5,
      from_ms: Date.parse('2014-11-21T23:30:00.000Z'),
      until_ms: now_ms + 1,
      min_size_in: 0.75,
    });
  });

  it('is that of the records as seen from the property, severe-hail probability among them', async () => {
    const day = '2025-05-09T22:00:00.000Z';
    const { score } = await start([
      hail(1, day, { size_in: 3, sevprob: 100 }),
      hail(0.5, day, { publisher: 'NOAA_SED', record_id: '1', size_in: 1.75, sevprob: null }),
    ]);
    const by_hand = (sevprob: number): number =>
      scoreRoof(currentScoreModel, {
        records: [
          { publisher: 'NEXRAD_SWDI', size_in: 3, distance_mi: 1, sevprob, began_ms: Date.parse(day) },
          {
            publisher: 'NOAA_SED',
            size_in: 1.75,
            distance_mi: 0.5,
            sevprob: null,
            began_ms: Date.parse(day),
          },
        ],
        roof_type: 'asphalt_shingle',
        roof_age_years: 10,
        now_ms,
      }).value;
    const { value } = (await score()).score;
    assert.equal(value, by_hand(100));
    assert.notEqual(value, by_hand(80));
  });

  it('of a granule uses the cell at the house, whatever larger cell speaks for the circle', async () => {
    const time = '2025-05-09T22:00:00.000Z';
    const near = cell(0.1, time, 500);
    const far = cell(4.5, time, 520);
    const both = (await (await start([near, far])).score('&roof_type=wood_shake')).score.value;
    const alone = (await (await start([far])).score('&roof_type=wood_shake')).score.value;
    assert.ok(both > alone, `${both} is not above ${alone}`);
  });

  it('stays as it is when the radius grows from 5 to 25 miles and storms run into one', async () => {
    const time = '2025-05-09T22:00:00.000Z';
    const chain = [0.5, 4.9, 9, 13, 17, 21, 24].map((miles) => hail(miles, time, { size_in: 2.5 }));
    const later = hail(1, '2025-05-09T23:30:00.000Z', { size_in: 2.25 });
    const { score } = await start([...chain, later, hail(24, '2024-04-01T22:00:00.000Z', { size_in: 4 })]);
    const [small, large] = [await score('&radius_mi=5'), await score('&radius_mi=25')];
    assert.ok(small.score.value > 0);
    assert.equal(large.score.value, small.score.value);
    assert.ok(large.events.total_in_lookback > small.events.total_in_lookback);
    assert.equal(large.score.max_hail_size_in, 4);
  });

  it('looks back one year for a roof of age 0, and to now, inclusive', async () => {
    const { score } = await start([
      hail(1, '2025-11-21T23:30:00.000Z'),
      hail(1, '2025-11-21T23:29:59.999Z'),
      hail(2, '2026-11-21T23:30:00.000Z'),
      hail(2, '2026-11-21T23:30:00.001Z'),
    ]);
    const { events, parameters } = await score('&roof_age=0');
    assert.equal(parameters.lookback_start, '2025-11-21T23:30:00.000Z');
    assert.deepEqual(
      events.items.map(({ occurred_at }) => occurred_at),
      ['2026-11-21T23:30:00.000Z', '2025-11-21T23:30:00.000Z'],
    );
  });

  it('lists at most the fifty most recent, and counts all', async () => {
    const many = Array.from({ length: 60 }, (_, index) =>
      hail(1, new Date(now_ms - (index + 1) * 3 * day_ms).toISOString(), { size_in: 1 }),
    );
    const { score } = await start(many);
    const { events } = await score();
    assert.deepEqual([events.total_in_lookback, events.returned, events.items.length], [60, 50, 50]);
    assert.equal(events.items[0]?.occurred_at, new Date(now_ms - 3 * day_ms).toISOString());
  });

  it('without hail is 0 and Low, for every roof', async () => {
    const { score } = await start([]);
    for (const type of roofTypes) {
      assert.deepEqual((await score(`&roof_type=${type}`)).score, {
        value: 0,
        tier: 'Low',
        max_hail_size_in: 0,
        storm_count: 0,
      });
    }
  });
});

describe('lookup', () => {
  const storms = [
    hail(0.5, '2025-05-09T22:00:00.000Z', {
      publisher: 'NOAA_SED',
      record_id: '7',
      size_in: 1.75,
      sevprob: null,
    }),
    hail(1, '2025-05-09T22:05:00.000Z', { size_in: 3 }),
    hail(3, '2026-06-01T22:05:00.000Z', { size_in: 0.99 }),
    hail(7.9, '2024-04-01T22:05:00.000Z', { size_in: 2 }),
    hail(8.1, '2023-04-01T22:05:00.000Z', { size_in: 2 }),
    cell(4, '2026-11-01T20:00:00.000Z', 260),
    cell(4.9, '2026-11-20T20:00:00.000Z', 200),
    cell(5.1, '2026-11-19T20:00:00.000Z', 900),
    cell(1, '2026-10-20T20:00:00.000Z', 130),
  ];

  it('is the score with its defaults, and a summary of the storms, flat', async () => {
    const { lookup, score, asked } = await start(storms);
    const body = await lookup();
    const { score: same } = await score();
    assert.deepEqual(body['score'], {
      value: same.value,
      tier: same.tier,
      max_hail_size_in: same.max_hail_size_in,
    });
    assert.ok(same.value > 0);
    assert.deepEqual(body['request'], {
      address,
      resolved_address: '100 MILITARY PLZ, SAN ANTONIO, TX, 78205',
      ...place,
    });
    // Radar within 8 miles of 0.75 in and more: 2025, June 2026, 2024, 1, 19 and 20 November (26.0, 90.0, 20.0 mm); not 8.1 miles, not 13 mm.
    assert.deepEqual(body['storms'], {
      total_radar_events: 6,
      // 26.0 mm is 1.02 in; 20 days and 3.5 hours before now.
      last_damaging_event: { date: '2026-11-01', size: 1.02, days_ago: 20 },
      claim_window_open: true,
    });
    // 90 mm lies outside five miles, 13 mm more than thirty days back.
    assert.deepEqual(body['live_mrms'], { hail_days_last_30: 1, max_in_last_30: 1.02 });
    assert.equal(body['meta']?.['api_version'], 'v1');
    assert.equal(body['meta']['generated_at'], '2026-11-21T23:30:00.000Z');
    assert.equal((body['meta']['sources'] as string[]).length, 6);
    assert.equal(asked[0]?.radius_mi, 8);
  });

  it('has nulls and a closed claim window where there was nothing', async () => {
    const body = await (await start([])).lookup();
    assert.deepEqual(body['storms'], {
      total_radar_events: 0,
      last_damaging_event: null,
      claim_window_open: false,
    });
    assert.deepEqual(body['live_mrms'], { hail_days_last_30: 0, max_in_last_30: null });
  });

  it('opens the claim window for two calendar years, to the millisecond', async () => {
    for (const [time, is_open] of [
      ['2024-11-21T23:30:00.000Z', true],
      ['2024-11-21T23:29:59.999Z', false],
    ] as const) {
      const body = await (await start([hail(1, time)])).lookup();
      assert.equal(body['storms']?.['claim_window_open'], is_open);
    }
  });

  it('carries the headers of an answer and names its successor, beside the deprecation of a key in the query', async () => {
    const { api } = await start([]);
    const response = await api.get(`/api/v1/lookup?address=12345&api_key=${key}`, { headers: {} });
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('X-Data-Position'), 'v1.test.0');
    assert.equal(response.headers.get('Cache-Control'), 'private, no-store');
    const link = response.headers.get('Link') ?? '';
    assert.match(link, /rel="deprecation"/);
    assert.match(link, /<https:\/\/hail\.example\.com\/api\/v1\/property\/score>; rel="successor-version"/);
  });

  it('fails flat', async () => {
    const { api } = await start([]);
    const said = async (response: Response): Promise<[number, unknown]> => {
      assert.match(response.headers.get('Link') ?? '', /property\/score>; rel="successor-version"/);
      return [response.status, await response.json()];
    };
    assert.deepEqual(await said(await api.get('/api/v1/lookup?other=1')), [
      400,
      { error: 'bad_request: address: is required' },
    ]);
    assert.deepEqual(await said(await api.get('/api/v1/lookup?address=12345&address=12345')), [
      400,
      { error: 'bad_request: address: must be sent once' },
    ]);
    assert.deepEqual(await said(await api.get('/api/v1/lookup?address=12345', { headers: {} })), [
      401,
      { error: 'unauthorized' },
    ]);
    assert.deepEqual(await said(await api.get('/api/v1/lookup?address=12345', { method: 'POST' })), [
      405,
      { error: 'method_not_allowed' },
    ]);
    const nowhere = await startInProcess({
      geocoder: { locate: () => Promise.resolve({ outcome: 'no_match' }) },
    });
    open.push(nowhere);
    assert.deepEqual(await said(await nowhere.get('/api/v1/lookup?address=++12345++')), [
      422,
      { error: 'geocode_failed', address: '  12345  ' },
    ]);
    const broken = await startInProcess({ geocoder: { locate: () => Promise.resolve(match) } });
    open.push(broken);
    assert.deepEqual(await said(await broken.get('/api/v1/lookup?address=12345')), [
      500,
      { error: 'internal_error' },
    ]);
    const unread = await startInProcess({
      geocoder: { locate: () => Promise.resolve(match) },
      hail: {
        observationsNear: () => Promise.resolve(null),
        feedsReadThrough: () => Promise.resolve(new Map()),
      },
    });
    open.push(unread);
    const response = await unread.get('/api/v1/lookup?address=12345');
    assert.ok(response.headers.has('Retry-After'));
    assert.deepEqual(await said(response), [503, { error: 'internal_error' }]);
    assert.equal((await errorOf(await unread.get('/v1/lookup?address=12345'))).code, 'not_found');
  });
});
