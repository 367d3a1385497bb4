import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { createKey } from '../../../services/api/keys/admin.ts';
import { createCodec } from '../../../services/log/codec.ts';
import type { EventLog } from '../../../services/log/event-log.ts';
import { openLog } from '../../../services/log/open-log.ts';
import { topics } from '../../../services/log/topics.ts';
import { pause, systemClock } from '../../../services/runtime/clock.ts';
import { createCleanup } from '../../support/cleanup.ts';
import { startLocalServices, type LocalServices } from '../../support/local-services.ts';
import { scrape, why_no_promtool, type Scraped } from '../../support/scraped.ts';
import { startTestService, type TestService } from '../../support/service.ts';

// NOT REAL: no such street; looked for in every page.
const planted = '987 Planted Xylophone Crossing, San Antonio, TX 78205';
const pecos = { address: '100 E 4th St, Pecos, TX 79772' };
const somerset = { address: '7360 E 6th St, Somerset, TX 78069', date_of_loss: '2026-08-28' };
/** The topics that feeds write to; their polls last. */
const fed = [topics.observation, topics.grid, topics.alert, topics.feed_poll];
const most_looks = 10;
const processes = ['api', 'feeds', 'projector'] as const;

type ProcessName = (typeof processes)[number] | 'local';
type Page = { status: number; body: { missing?: string[]; alive?: boolean } };

describe('the operations pages of a running service', { timeout: 900_000 }, () => {
  const made = createCleanup();
  let local: LocalServices;
  let service: TestService;
  let log: EventLog;

  before(async () => {
    // The store as a process of the test's own: what `npm start` starts it would start again once killed.
    local = await startLocalServices();
    made.keep({ stop: () => local.stop() });
    service = made.keep(
      await startTestService({
        env: { CLICKHOUSE_URL: local.clickhouse_url, SCHEMA_REGISTRY_URL: local.registry_url },
      }),
    );
    log = await openLog(service.config);
    made.keep({ stop: () => log.close() });
    await service.untilQueryable();
  });
  after(() => made.stop());

  const urlOf = (name: ProcessName): string => {
    const url = name === 'local' ? local.ops_url : service.ops_url(name);
    assert.ok(url !== undefined, `${name} has not said where its pages are`);
    return url;
  };
  const page = async (name: ProcessName, path: string): Promise<Page> => {
    const response = await fetch(`${urlOf(name)}${path}`);
    return { status: response.status, body: (await response.json()) as Page['body'] };
  };
  const until = async (name: ProcessName, holds: (scraped: Scraped) => boolean): Promise<Scraped> => {
    for (;;) {
      const scraped = await scrape(urlOf(name));
      if (holds(scraped)) return scraped;
      await pause(100);
    }
  };
  const ask = async (
    operation: string,
    parameters: Record<string, string>,
    key = service.key,
  ): Promise<number> => {
    const path = `/v1/property/${operation}`;
    const response = await service.get(path, parameters, { Authorization: `Bearer ${key}` });
    await response.arrayBuffer();
    return response.status;
  };
  const ends = async (topic: string): Promise<number> =>
    (await log.endOffsets(topic)).reduce((sum, end) => sum + end, 0);

  it('say in every process that it is alive and ready', async () => {
    for (const name of [...processes, 'local'] as const) {
      assert.equal((await page(name, '/healthz')).status, 200, name);
      assert.deepEqual((await page(name, '/readyz')).body.missing, [], name);
      const { text } = await scrape(urlOf(name));
      assert.match(text, new RegExp(`^hailmark_build_info\\{process="${name}",version="[^"]+"\\} 1$`, 'm'));
      assert.match(text, /^hailmark_process_resident_memory_bytes \d/m);
    }
  });

  /** Feeds go on polling: what was looked at while a topic grew is looked at again, a few times. */
  const whileNothingCame = async <T>(look: () => Promise<T>): Promise<T> => {
    const allEnds = (): Promise<number[]> => Promise.all(fed.map(({ name }) => ends(name)));
    for (let tries = 1; ; tries += 1) {
      const before = await allEnds();
      const seen = await look();
      if (tries === most_looks || (await allEnds()).join() === before.join()) return seen;
    }
  };

  it('count what the feeds have published and the projector has made queryable', async () => {
    const [feeds, published] = await whileNothingCame(async () => [
      await scrape(urlOf('feeds')),
      await Promise.all(fed.map(({ name }) => ends(name))),
    ]);
    for (const [at, { name }] of fed.entries())
      assert.equal(feeds.sum('feed_facts_published_total', { topic: name }), published[at], name);
    assert.ok((await ends(topics.observation.name)) > 0, 'the sandbox has observations');
    assert.equal(feeds.sum('feed_polls_total'), published.at(-1));
    for (const { feed } of (await health()).feeds) {
      assert.ok(feeds.sum('feed_polls_total', { feed, mode: 'live' }) > 0, feed);
      assert.equal(feeds.sum('feed_poll_failures_total', { feed }), 0, feed);
      assert.equal(
        feeds.value('feed_poll_duration_seconds_count', { feed }),
        feeds.sum('feed_polls_total', { feed }),
      );
      assert.equal(feeds.value('feed_records_held', { feed }), 0);
      assert.ok((feeds.value('feed_last_complete_poll_timestamp_seconds', { feed }) ?? 0) > 1.7e9, feed);
      assert.ok((feeds.value('loop_last_tick_timestamp_seconds', { loop: feed }) ?? 0) > 1.7e9, feed);
    }
    assert.equal(feeds.value('log_up'), 1);

    const [projector, stored] = await whileNothingCame(async () => [
      await until('projector', (each) => each.sum('projector_lag_messages') === 0),
      new Map(await Promise.all(fed.map(async ({ name }) => [name, await ends(name)] as const))),
    ]);
    const projected = [
      ['observations.v1', topics.observation.name],
      ['observations.v1', topics.grid.name],
      ['alerts.v1', topics.alert.name],
      ['feeds.v1', topics.feed_poll.name],
    ] as const;
    for (const [projection, topic] of projected) {
      const passed = projector.value('projector_messages_total', { projection, topic });
      assert.equal(passed, stored.get(topic), `${projection} ${topic}`);
      assert.equal(projector.sum('projector_lag_messages', { projection, topic }), 0);
      const delays = projector.value('ingest_to_queryable_seconds_count', { topic });
      assert.equal(delays, stored.get(topic), topic);
    }
    assert.equal(projector.value('projector_lag_seconds', { projection: 'observations.v1' }), 0);
    assert.equal(projector.sum('dead_letters_total'), 0);
    assert.equal(projector.value('dead_letters_open', { topic: topics.observation.name }), 0);
    assert.deepEqual([projector.value('store_up'), projector.value('log_up')], [1, 1]);
    assert.equal(projector.sum('projector_waiting'), 0);
  });

  it('count requests by operation and status, what was refused, and what usage was published', async () => {
    const codec = createCodec({ registry_url: local.registry_url });
    await codec.registerAll();
    const partner = await createKey(
      { log, codec, clock: systemClock },
      { partner: 'Two a minute', per_minute: 2, per_day: 100 },
    );
    const before = await scrape(urlOf('api'));
    while ((await ask('verify', {}, partner.key)) === 401) await pause(25);
    const known = await scrape(urlOf('api'));
    const refused_before = known.sum('http_requests_total', { status: '401' });

    assert.deepEqual(
      [
        await ask('verify', somerset),
        await ask('verify', somerset),
        await ask('score', { ...pecos, roof_type: 'asphalt_shingle', roof_age: '12' }),
        await ask('verify', { address: planted, date_of_loss: '2026-08-28' }),
        await ask('verify', { ...somerset, window_days: 'many' }),
        await ask('verify', somerset, 'hm_live_00000000_not-a-key'),
        await ask('verify', { ...somerset, window_days: '0' }, partner.key),
        await ask('verify', somerset, partner.key),
        (await service.get('/v1/nothing')).status,
      ],
      [200, 200, 200, 422, 400, 401, 400, 429, 404],
    );
    const api = await until('api', (each) => {
      const in_flight = each.value('http_requests_in_flight') ?? 1;
      return in_flight === 0 && each.value('usage_facts_waiting') === 0;
    });
    const grown = (name: string, labels: Record<string, string> = {}): number =>
      api.sum(name, labels) - known.sum(name, labels);
    const requests = 'http_requests_total';
    assert.equal(grown(requests, { operation: 'verify', status: '200' }), 2);
    assert.equal(grown(requests, { operation: 'score', status: '200' }), 1);
    assert.equal(grown(requests, { operation: 'verify', status: '422' }), 1);
    assert.equal(grown(requests, { operation: 'verify', status: '400' }), 2);
    assert.equal(grown(requests, { operation: 'verify', status: '429' }), 1);
    assert.equal(grown(requests, { operation: 'none', status: '404' }), 1);
    assert.equal(api.sum(requests, { status: '401' }) - refused_before, 1);
    assert.equal(grown('http_request_duration_seconds_count', { operation: 'verify', status: '200' }), 2);
    assert.equal(grown('rate_limited_total', { reason: 'minute-rate-limit' }), 1);
    assert.equal(grown('rate_limited_total', { reason: 'day-rate-limit' }), 0);
    assert.equal(grown('geocode_cache_total', { result: 'miss' }), 3);
    assert.equal(grown('geocode_cache_total', { result: 'hit' }), 1);
    assert.equal(grown('geocoder_request_duration_seconds_count', { outcome: 'match' }), 2);
    assert.equal(grown('geocoder_request_duration_seconds_count', { outcome: 'no_match' }), 1);
    assert.equal(api.value('geocoder_breaker_open', { geocoder: 'census' }), 0);
    // Everything with a live key: all but the 401 and the path that is none; of the waiting for the key the last.
    assert.equal(api.sum('usage_facts_published_total') - before.sum('usage_facts_published_total'), 8);
    assert.equal(api.sum('usage_facts_published_total'), await ends(topics.api_request.name));
    assert.equal(api.sum('usage_facts_dropped_total'), 0);
    assert.equal(api.sum('response_mismatch_total'), 0);
    assert.equal(api.sum('http_refused_total'), 0);
    assert.deepEqual([api.value('keys_loaded'), api.value('keys_following')], [1, 1]);
    assert.equal(api.value('limits_redis_up'), null, 'no Redis, no value');
    // The second verification of one place finds all of its cells where the first has left them.
    const [held, missing] = ['held', 'missing'].map((result) =>
      grown('cell_index_lookups_total', { result }),
    );
    assert.ok((missing ?? 0) > 0 && (held ?? 0) > 0, `${missing} cells read, ${held} held`);
    assert.ok((api.value('cell_index_rows') ?? 0) > 0 && (api.value('cell_index_bytes') ?? 0) > 0);
    assert.deepEqual([api.value('store_up'), api.value('log_up')], [1, 1]);
    assert.ok(
      (api.value('store_request_duration_seconds_count', { operation: 'rows', outcome: 'ok' }) ?? 0) > 0,
    );
    const engine = await scrape(urlOf('local'));
    const asked = engine.value('local_query_duration_seconds_count', { lane: 'services', outcome: 'ok' });
    assert.ok((asked ?? 0) > 0, 'the engine counts its statements');
  });

  it('say of each feed what health says', async () => {
    const [api, { feeds }] = await whileNothingCame(async () => {
      // What has come may be on its way through the projector still: both look at the same then.
      await until('projector', (each) => each.sum('projector_lag_messages') === 0);
      return [await scrape(urlOf('api')), await health()] as const;
    });
    assert.equal(feeds.length, 6);
    for (const { feed, last_observation_at, threshold_hours } of feeds) {
      const through = api.value('feed_queryable_through_timestamp_seconds', { feed });
      assert.equal(
        through,
        last_observation_at === null ? null : Date.parse(last_observation_at) / 1_000,
        feed,
      );
      assert.equal(api.value('feed_threshold_seconds', { feed }), threshold_hours * 3_600);
    }
  });

  it('tell of a dead message once it has its letter', async () => {
    const topic = topics.alert.name;
    // NOT REAL: bytes that are no fact.
    await log.append(topic, [{ key: 'NWS_ALERT/not-real', value: Buffer.from('no fact') }]);
    const projector = await until('projector', (each) => each.sum('dead_letters_open') > 0);
    assert.equal(projector.value('dead_letters_open', { topic }), 1);
    assert.equal(projector.value('dead_letters_total', { topic, reason: 'foreign' }), 1);
    assert.equal(projector.sum('dead_letters_total'), 1);
  });

  it('are in the format that Prometheus asks for', { skip: why_no_promtool ?? false }, async () => {
    for (const name of [...processes, 'local'] as const) {
      const { text } = await scrape(urlOf(name));
      const checked = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' });
      assert.deepEqual([checked.status, checked.stdout + checked.stderr], [0, ''], name);
    }
  });

  it('hold no address and no key', async () => {
    const secret = service.key.slice(-24);
    for (const name of [...processes, 'local'] as const) {
      const { text } = await scrape(urlOf(name));
      for (const word of ['xylophone', 'somerset', '6th', secret.toLowerCase()])
        assert.equal(text.toLowerCase().includes(word), false, `${name} ${word}`);
    }
  });

  it('show a store that is away, what it costs, and that it is back', async () => {
    const { data_dir } = local;
    const [clickhouse_port, registry_port] = [local.clickhouse_url, local.registry_url].map((url) =>
      Number(new URL(url).port),
    );
    assert.ok(clickhouse_port !== undefined && registry_port !== undefined);
    await local.kill9();
    for (const name of ['api', 'projector'] as const) {
      await until(name, (each) => each.value('store_up') === 0);
      const ready = await page(name, '/readyz');
      assert.deepEqual([ready.status, ready.body.missing], [503, ['store']], name);
      assert.deepEqual(await page(name, '/healthz').then(({ status, body }) => [status, body.alive]), [
        200,
        true,
      ]);
    }
    const api = await scrape(urlOf('api'));
    assert.equal(api.sum('feed_queryable_through_timestamp_seconds'), 0, 'not known, so not said');
    assert.equal((await page('feeds', '/readyz')).status, 200, 'feeds need no store');

    assert.equal(await ask('verify', somerset), 500);
    const behind = await until('projector', (each) => {
      const waits = each.value('projector_waiting', { for: 'store' }) === 1;
      const lags = each.sum('projector_lag_messages', { projection: 'api-requests.v1' }) > 0;
      return waits && lags && each.sum('projector_lag_seconds', { projection: 'api-requests.v1' }) > 0;
    });
    assert.ok((behind.value('projector_lag_seconds', { projection: 'api-requests.v1' }) ?? 0) > 0);

    local = await startLocalServices({ data_dir, clickhouse_port, registry_port });
    for (const name of ['api', 'projector'] as const) {
      await until(name, (each) => each.value('store_up') === 1);
      assert.equal((await page(name, '/readyz')).status, 200, name);
    }
    await until('projector', (each) => each.sum('projector_lag_messages') === 0);
    await until('projector', (each) => each.sum('projector_waiting') === 0);
  });

  interface Health {
    feeds: { feed: string; last_observation_at: string | null; threshold_hours: number }[];
  }

  async function health(): Promise<Health> {
    const response = await service.get('/v1/meta/health');
    return ((await response.json()) as { data: Health }).data;
  }
});
