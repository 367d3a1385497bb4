import assert from 'node:assert/strict';
import { gunzipSync } from 'node:zlib';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { parse } from 'csv-parse/sync';
import { createSuspectWithdrawals } from '../../../services/feeds/suspect-withdrawals.ts';
import { cellOf } from '../../../services/hail/geo/geohash.ts';
import { latToMicro, lonToMicro } from '../../../services/hail/geo/place.ts';
import { topics } from '../../../services/log/topics.ts';
import { pause } from '../../../services/runtime/clock.ts';
import { createStore } from '../../../services/store/store.ts';
import { alertNames, metricsIn, readDashboard, readRules } from '../../support/alert-rules.ts';
import { createCleanup } from '../../support/cleanup.ts';
import { minute_s, why_no_prometheus, type Alert } from '../../support/prometheus.ts';
import { recordedYear } from '../../support/recorded.ts';
import { why_no_redis } from '../../support/redis.ts';
import { detailsFile } from '../../support/revised-2017.ts';
import { runScript } from '../../support/scripts.ts';
import { ask, askUntil, flood } from './asking.ts';
import { startHouse, type House } from './house.ts';

const skip = why_no_prometheus ?? why_no_redis ?? false;
const look_ms = 200;
const timeout_ms = 300_000 * minute_s;
const observation = topics.observation.name;

/** Sooner than the test's own end, so that what was waited for in vain is said. */
const soon = (signal: AbortSignal): AbortSignal =>
  AbortSignal.any([signal, AbortSignal.timeout(75_000 * minute_s)]);

const until = async (what: string, isSo: () => Promise<boolean>, signal: AbortSignal): Promise<void> => {
  while (!(await isSo())) {
    if (signal.aborted) throw new Error(`waited in vain: ${what}`);
    await pause(look_ms, signal);
  }
};

/** Does it so often at least, and again after a while until it is told: a rule counts what falls into its window, and a busy machine is slow. */
const untilTold = async <T>(told: Promise<T>, times: number, work: () => Promise<void>): Promise<T> => {
  const over = new AbortController();
  const settled = told.finally(() => over.abort());
  // Whoever waits for it below hears of its failure.
  settled.catch(() => undefined);
  for (let done = 1; !over.signal.aborted; done += 1) {
    await work();
    if (done >= times) await pause(5_000 * minute_s, over.signal);
  }
  return settled;
};

/**
 * Every cause is made to happen on running processes, and Prometheus' own API is asked until the alert fires and, once the cause has ended,
 * until it is gone. The rules are the committed ones with a minute as a second.
 */
describe('alerts by their real causes', { skip, timeout: 2 * timeout_ms }, () => {
  const made = createCleanup();
  let house: House;
  const fires = (signal: AbortSignal, name: string, labels: Record<string, string> = {}): Promise<Alert> =>
    house.prometheus.untilFiring(name, labels, soon(signal));
  const isOver = (signal: AbortSignal, name: string, labels: Record<string, string> = {}): Promise<void> =>
    house.prometheus.untilOver(name, labels, soon(signal));
  const script = async (name: string, ...words: string[]): Promise<void> => {
    const { config } = house.service;
    const { exit_code, stderr } = await runScript(name, words, {
      HAILMARK_DATA_DIR: config.HAILMARK_DATA_DIR,
      SCHEMA_REGISTRY_URL: config.SCHEMA_REGISTRY_URL,
    });
    assert.equal(exit_code, 0, stderr);
  };
  const kill = (name: string, signal: NodeJS.Signals): void => {
    const pid = house.service.pid(name);
    assert.ok(pid !== undefined);
    process.kill(pid, signal);
  };

  before(async () => {
    house = await startHouse(made);
    // Nothing has ever answered where CoCoRaHS should be, and from now on nothing does where the warnings are.
    await house.service.untilQueryable();
    await house.fault('nws_alerts', 'dead');
    // A burst before the first scrape would be no increase to anybody.
    const seen = async (): Promise<boolean> => (await house.prometheus.query('up == 1')).length === 4;
    await until('Prometheus reads all four', seen, AbortSignal.timeout(timeout_ms));
  });
  after(() => made.stop());

  const openLetters = async (): Promise<number> => {
    const [sample] = await house.prometheus.query(`max(hailmark_dead_letters_open{topic="${observation}"})`);
    return Number(sample?.value[1] ?? 0);
  };

  describe('that do not touch one another', { concurrency: true }, () => {
    it(
      'a geocoder that hangs: slow, then left alone; and more requests than turns',
      { timeout: timeout_ms },
      async ({ signal }) => {
        assert.equal(await ask(house.service), 200);
        await house.fault('geocoder', 'hang');
        const strangers = Array.from({ length: 40 }, (_, n) => `${n + 1} E 6th St, Somerset, TX 78069`);
        const asked = Promise.all(strangers.map((address) => ask(house.service, address)));
        await fires(signal, 'HailmarkApiSlow', { operation: 'verify' });
        await fires(signal, 'HailmarkGeocoderDown', { geocoder: 'census' });
        assert.deepEqual([...new Set(await asked)], [500]);
        assert.equal(await ask(house.service), 200, 'a remembered address is answered all the while');
        await house.fault('geocoder', 'none');
        await askUntil(house.service, 12, fires(signal, 'HailmarkApiAtCapacity', { reason: 'capacity' }));
      },
    );

    it(
      'the registry killed while a message of an unknown schema comes: the partition stands still, then the letter',
      {
        timeout: timeout_ms,
      },
      async ({ signal }) => {
        await house.registry.kill();
        // NOT REAL: no schema has this id.
        const unknown = Buffer.from([0, 0, 0, 0x27, 0x0f, 0]);
        await house.log.append(observation, [{ key: 'NOT_REAL/1', value: unknown }]);
        await fires(signal, 'HailmarkRegistryAway');
        const stuck = await fires(signal, 'HailmarkProjectorStuck', { topic: observation });
        assert.match(
          stuck.annotations['summary'] ?? '',
          /observations.* does not come on in hail\.observation\.v1/,
        );
        await house.registry.start();
        await isOver(signal, 'HailmarkRegistryAway');
        await isOver(signal, 'HailmarkProjectorStuck');
        await fires(signal, 'HailmarkDeadLettersOpen', { topic: observation });

        // So few at once that the projector's own breaker does not see them.
        const incident = fires(signal, 'HailmarkSchemaIncident', { topic: observation });
        await untilTold(incident, 2, async () => {
          const open = await openLetters();
          const messages = Array.from({ length: 15 }, (_, n) => ({ key: `NOT_REAL/${n}`, value: unknown }));
          await house.log.append(observation, messages);
          const areOpen = async (): Promise<boolean> => (await openLetters()) >= open + messages.length;
          await until('the letters are open', areOpen, soon(signal));
        });
        await script('dead-letters', 'drop', '--all');
        await isOver(signal, 'HailmarkDeadLettersOpen');
      },
    );

    it(
      'a publisher that is dead, and one that never was there',
      { timeout: timeout_ms },
      async ({ signal }) => {
        await fires(signal, 'HailmarkFeedFailing', { feed: 'cocorahs_hail' });
        await fires(signal, 'HailmarkFeedFailing', { feed: 'nws_alerts' });
        await fires(signal, 'HailmarkFeedStale', { feed: 'nws_alerts' });
        await fires(signal, 'HailmarkFeedNeverRead', { feed: 'cocorahs_hail' });
        await house.fault('nws_alerts', 'none');
        await house.openCocorahs();
        await isOver(signal, 'HailmarkFeedStale', { feed: 'nws_alerts' });
        await isOver(signal, 'HailmarkFeedNeverRead');
      },
    );
  });

  it(
    'a publisher cut in half, met by feeds that are killed three times',
    { timeout: timeout_ms },
    async ({ signal }) => {
      const { name, bytes } = recordedYear(2017, '20170616');
      const [header = [], ...rows] = parse(gunzipSync(bytes));
      house.storm_events.set(
        name.replace('20170616', '20170816'),
        detailsFile([header, ...rows.slice(0, rows.length / 2)]),
      );
      const started = async (): Promise<string | undefined> =>
        (await house.prometheus.query('hailmark_process_start_time_seconds{job="feeds"}'))[0]?.value[1];
      const restarting = fires(signal, 'HailmarkProcessRestarting', { job: 'feeds' });
      await untilTold(restarting, 3, async () => {
        const before = await started();
        await house.service.kill9('feeds');
        const isBack = async (): Promise<boolean> => ![before, undefined].includes(await started());
        await until('the feeds are back', isBack, soon(signal));
      });
      await fires(signal, 'HailmarkWithdrawalRefused', { feed: 'storm_events' });
      const refused = createSuspectWithdrawals(house.service.data_dir).refused();
      for (const { feed, slice } of refused) await script('accept-withdrawal', feed, slice);
      await isOver(signal, 'HailmarkWithdrawalRefused');
    },
  );

  it(
    'Redis killed: each process counts for itself; the log locked by another program: nothing is published, usage is lost',
    { timeout: timeout_ms },
    async ({ signal }) => {
      await house.redis.kill();
      const holder = new DatabaseSync(join(house.service.data_dir, 'log', 'log.sqlite'));
      holder.exec('BEGIN IMMEDIATE');
      // Refusals may fill half of the room for usage, which is 20,000.
      const answers = await flood(house.service.api_url, house.key_of_one, {
        requests: 10_500,
        connections: 16,
      });
      assert.ok((answers.get(429) ?? 0) > 10_000, JSON.stringify([...answers]));
      await fires(signal, 'HailmarkUsageDropped', { job: 'api' });
      await fires(signal, 'HailmarkLogAway', { job: 'api' });
      await fires(signal, 'HailmarkRedisAway', { job: 'api' });
      holder.exec('ROLLBACK');
      holder.close();
      await house.redis.start();
      await isOver(signal, 'HailmarkLogAway');
      await isOver(signal, 'HailmarkRedisAway');
    },
  );

  it(
    'a row that somebody wrote past the log: an answer that would break the contract is withheld',
    { timeout: timeout_ms },
    async ({ signal }) => {
      // Oklahoma's capitol. Nobody has asked about it before: the API remembers what stands in cells that no projector has changed.
      const address = '2300 N Lincoln Blvd, Oklahoma City, OK 73105';
      const [lat, lon] = [35.4923, -97.5033];
      const store = createStore(house.service.config);
      await store.command(
        `INSERT INTO observations_v1 (cell, occurred_at, publisher, record_key, lat, lon, ended_at, size_in, record_id, revision)
         SELECT ${cellOf(lat, lon)}, '2026-08-28 00:00:00', 'NOAA_SED', 'NOT REAL', ${latToMicro(lat)}, ${lonToMicro(lon)},
                '2026-08-28 00:00:00', 2, '', 1`,
      );
      await store.close();
      assert.equal(await ask(house.service, address), 500);
      await fires(signal, 'HailmarkResponseMismatch', { job: 'api' });
      await isOver(signal, 'HailmarkResponseMismatch');
    },
  );

  it('a projector that hangs does not answer', { timeout: timeout_ms }, async ({ signal }) => {
    kill('projector', 'SIGSTOP');
    await fires(signal, 'HailmarkProcessDown', { job: 'projector' });
    kill('projector', 'SIGCONT');
    await isOver(signal, 'HailmarkProcessDown', { job: 'projector' });
  });

  it('a store that hangs, is killed, and comes back', { timeout: timeout_ms }, async ({ signal }) => {
    const { pid } = house.store.running();
    assert.ok(pid !== undefined);
    process.kill(pid, 'SIGSTOP');
    await fires(signal, 'HailmarkLoopStuck', { job: 'projector' });
    await house.store.kill();
    await fires(signal, 'HailmarkStoreAway', { job: 'projector' });
    await isOver(signal, 'HailmarkLoopStuck', { job: 'projector' });
    const failing = Promise.all([
      fires(signal, 'HailmarkStoreAway', { job: 'api' }),
      fires(signal, 'HailmarkApiFailing'),
      fires(signal, 'HailmarkApiErrors'),
      fires(signal, 'HailmarkProcessDown', { job: 'local' }),
    ]);
    await askUntil(house.service, 2, failing);
    await house.store.start();
    await isOver(signal, 'HailmarkStoreAway');
    // What waited for the store has become queryable late.
    await fires(signal, 'HailmarkIngestSlow');
  });

  it(
    'has met every metric that a rule or a panel names, and Prometheus reads every panel',
    { timeout: timeout_ms },
    async () => {
      const expressions = [
        ...readRules().map(({ expr }) => expr),
        ...readDashboard().panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
      ];
      const names = new Set(expressions.flatMap(metricsIn));
      assert.ok(names.size > 30);
      const unknown: string[] = [];
      for (const name of names) {
        const found = await house.prometheus.query(`last_over_time(${name}[1h])`);
        if (found.length === 0) unknown.push(name);
      }
      assert.deepEqual(unknown, []);
      for (const expression of expressions)
        await house.prometheus.query(expression.replaceAll('$__rate_interval', '5s'));
    },
  );

  it('all is calm again but for what is old by the calendar', { timeout: timeout_ms }, async ({ signal }) => {
    // The breaker lets one question a while try whether the geocoder is back; remembered addresses do not reach it.
    const unknown = '99 E 6th St, Somerset, TX 78069';
    await askUntil(house.service, 1, isOver(signal, 'HailmarkGeocoderDown'), unknown);
    for (const name of alertNames()) if (name !== 'HailmarkFeedStale') await isOver(signal, name);
    // One may fire once more while others are waited for, where the machine is busy with other things.
    const firing = async (): Promise<Alert[]> =>
      (await house.prometheus.alerts()).filter(({ state }) => state === 'firing');
    const names = (alerts: readonly Alert[]): (string | undefined)[] => [
      ...new Set(alerts.map(({ labels }) => labels['alertname'])),
    ];
    const isCalm = async (): Promise<boolean> => names(await firing()).join() === 'HailmarkFeedStale';
    await until('nothing fires but what is stale', isCalm, soon(signal)).catch(() => undefined);
    const left = await firing();
    assert.deepEqual(names(left), ['HailmarkFeedStale']);
    // The recordings end in 2017 and in August 2026, and an hour's granule is older than its six hours, of which a minute is a second here.
    const by_calendar = ['storm_events', 'radar_hail', 'mrms_mesh', 'cocorahs_hail', 'local_storm_reports'];
    for (const { labels } of left) assert.ok(by_calendar.includes(labels['feed'] ?? ''), labels['feed']);
  });
});
