import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createRegistry } from '../../../infra/local/registry/registry.ts';
import { createRegistryServer } from '../../../infra/local/registry/server.ts';
import { openJournal } from '../../../infra/local/registry/store.ts';
import { createCodec } from '../../../services/log/codec.ts';
import { openLog } from '../../../services/log/open-log.ts';
import { topics } from '../../../services/log/topics.ts';
import { createKey } from '../../../services/api/keys/admin.ts';
import { systemClock } from '../../../services/runtime/clock.ts';
import { readConfig } from '../../../services/runtime/config.ts';
import { stopServer } from '../../../services/runtime/http-server.ts';
import { createStore, type Store } from '../../../services/store/store.ts';
import { createCleanup } from '../../support/cleanup.ts';
import { freePorts } from '../../support/free-ports.ts';
import { temporaryFolder } from '../../support/local-services.ts';
import { startRedis, why_no_redis } from '../../support/redis.ts';
import { temporaryDataFolder } from '../../support/scripts.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { assertFinding, diagnose, untilState, type Diagnosis } from './doctor.ts';

const cleanup = createCleanup();
let service: TestService;
let environment: Record<string, string>;
let nowhere: string;
let store: Store;

function portOf(url: string | undefined): string {
  assert.ok(url !== undefined);
  return new URL(url).port;
}

/** The doctor as the running service's operator calls it, with some settings otherwise. */
function doctor(settings: Record<string, string> = {}, ...words: string[]): Promise<Diagnosis> {
  // Of two deadlines the last counts. The usual one is for a machine with nothing else to do.
  return diagnose({ ...environment, ...settings }, '--timeout-s', '30', ...words);
}

async function switchFault(feed: string, kind: string): Promise<void> {
  const url = `${environment['NWS_URL'] ?? ''}/sandbox/faults?feed=${feed}&kind=${kind}`;
  assert.equal((await fetch(url, { method: 'POST' })).status, 200);
}

before(async () => {
  // Polled every two seconds, so that a publisher that dies is noticed within the test.
  service = cleanup.keep(await startTestService({ env: { NWS_SCHEDULE: '*/2 * * * * *' } }));
  await service.untilQueryable();
  const { config } = service;
  environment = {
    HAILMARK_DATA_DIR: service.data_dir,
    API_PORT: String(config.API_PORT),
    CLICKHOUSE_URL: service.clickhouse_url,
    SCHEMA_REGISTRY_URL: service.registry_url,
    ...{ NOAA_SED_URL: config.NOAA_SED_URL, SWDI_URL: config.SWDI_URL, MRMS_URL: config.MRMS_URL },
    ...{ SPC_URL: config.SPC_URL, COCORAHS_URL: config.COCORAHS_URL, NWS_URL: config.NWS_URL },
    GEOCODER_URL: config.GEOCODER_URL,
    FEEDS_OPS_PORT: portOf(service.ops_url('feeds')),
    PROJECTOR_OPS_PORT: portOf(service.ops_url('projector')),
  };
  const [port = 0] = await freePorts(1);
  nowhere = `http://127.0.0.1:${port}`;
  store = createStore(config);
  cleanup.keep({ stop: () => store.close() });
});
after(() => cleanup.stop());

describe('the doctor of a service that runs', { timeout: 1_100_000 }, () => {
  it('finds nothing broken where nothing is: the control of all that follows', async () => {
    const diagnosis = await doctor();
    assert.deepEqual(diagnosis.in_state('broken'), []);
    assert.equal(diagnosis.exit_code, 0);
    for (const check of ['log', 'topics', 'registry', 'schemas', 'store', 'store-version', 'migrations'])
      assert.equal(diagnosis.of(check).state, 'ok', diagnosis.of(check).says);
    for (const check of ['projections', 'positions', 'lag', 'dead-letters', 'keys', 'api', 'disk', 'node'])
      assert.equal(diagnosis.of(check).state, 'ok', diagnosis.of(check).says);
    for (const check of ['schema-ids', 'process.feeds', 'process.projector'])
      assert.equal(diagnosis.of(check).state, 'ok', diagnosis.of(check).says);
    for (const check of ['clock.setting', 'clock.store', 'clock.publishers', 'geocoder.census'])
      assert.equal(diagnosis.of(check).state, 'ok', diagnosis.of(check).says);
    assert.equal(diagnosis.of('feed.nws_alerts').state, 'ok');
    assert.equal(diagnosis.of('publisher.mrms_mesh').state, 'ok');
    assert.equal(diagnosis.of('redis').state, 'not-checked');
  });

  it('finds a setting that cannot be used, and checks the rest all the same', async () => {
    const diagnosis = await doctor({ GEOCODERS: 'census,pelias', SPC_SCHEDULE: 'often' });
    assertFinding(diagnosis, 'configuration', {
      ...{ state: 'broken', says: /SPC_SCHEDULE: .*PELIAS_URL: is needed/, remedy: /--check-config/ },
    });
    assert.equal(diagnosis.of('store').state, 'ok');
  });

  it('finds a setting whose name is mistyped', async () => {
    assertFinding(await doctor({ KAFKA_BROKER: 'broker-1:9092' }), 'configuration', {
      ...{ state: 'warning', says: /is KAFKA_BROKERS meant/, remedy: /--check-config/ },
    });
  });

  it('finds a data folder in which nothing can be kept', async () => {
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, 'NOT REAL');
    const diagnosis = await doctor({ HAILMARK_DATA_DIR: file });
    assertFinding(diagnosis, 'data-folder', {
      ...{ state: 'broken', says: /is no folder/, remedy: /HAILMARK_DATA_DIR/ },
    });
    assert.equal(diagnosis.of('log').state, 'broken');
    assert.equal(diagnosis.of('topics').state, 'not-checked');
    assert.equal(diagnosis.of('store').state, 'ok');
  });

  it('finds a disk that is nearly full', async () => {
    assertFinding(await doctor({}, '--min-free-gb', '900000'), 'disk', {
      ...{ state: 'broken', says: /are free .* 900000 GB is the least/, remedy: /DOCUMENTS_MAX_BYTES/ },
    });
  });

  it('finds a registry that is away', async () => {
    const diagnosis = await doctor({ SCHEMA_REGISTRY_URL: nowhere });
    assertFinding(diagnosis, 'registry', {
      ...{ state: 'broken', says: /does not answer/, remedy: /SCHEMA_REGISTRY_URL/ },
    });
    assert.match(diagnosis.of('schemas').says, /see `registry`/);
  });

  it('finds a registry that began anew', async () => {
    const folder = temporaryFolder();
    const journal = openJournal(folder);
    const server = createRegistryServer(createRegistry(journal));
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    cleanup.keep({
      stop: async () => {
        await stopServer(server);
        journal.close();
      },
    });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    assertFinding(await doctor({ SCHEMA_REGISTRY_URL: url }), 'schema-ids', {
      state: 'broken',
      says: /does not know .*hail\.observation\.v1 \(the registry has no schema \d+\)/,
      remedy: /SCHEMA_REGISTRY_URL.*backup/,
    });
  });

  it('finds a schema that nothing guards', async () => {
    const subject = `${topics.alert.name}-value`;
    const setLevel = (compatibility: string): Promise<Response> =>
      fetch(`${service.registry_url}/config/${subject}`, {
        method: 'PUT',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ compatibility }),
      });
    assert.equal((await setLevel('NONE')).status, 200);
    assertFinding(await doctor(), 'schemas', {
      state: 'broken',
      says: /hail\.alert\.v1-value is held to NONE instead of FULL_TRANSITIVE/,
      remedy: /^curl -X PUT .*FULL_TRANSITIVE.*hail\.alert\.v1-value$/,
    });
    assert.equal((await setLevel('FULL_TRANSITIVE')).status, 200);
    assert.equal((await doctor()).of('schemas').state, 'ok');
  });

  it('finds tables that were made from another log', async () => {
    const other = temporaryDataFolder();
    cleanup.keep(other);
    await (await openLog(readConfig({ HAILMARK_DATA_DIR: other.folder }))).close();
    assertFinding(await doctor({ HAILMARK_DATA_DIR: other.folder }), 'positions', {
      ...{
        state: 'broken',
        says: /another log .*observations\.v1/,
        remedy: /npm run rebuild -- \w+ --accept/,
      },
    });
  });

  it('finds a schema file that was changed after it had run', async () => {
    const name = '0010_alerts';
    const [before] = await store.rows<{ sha256: string }>(
      'SELECT sha256 FROM schema_migrations FINAL WHERE name = {name:String}',
      { name },
    );
    const put = (sha256: string): Promise<void> =>
      store.insert('schema_migrations', ['name', 'sha256'], [[name, sha256]]);
    await put('0'.repeat(64));
    assertFinding(await doctor(), 'migrations', {
      ...{ state: 'broken', says: /0010_alerts\.sql/, remedy: /git checkout -- .*new numbered file/ },
    });
    await put(before?.sha256 ?? '');
    assert.equal((await doctor()).of('migrations').state, 'ok');
  });

  it('finds a clock that is not that of the publishers', async () => {
    const diagnosis = await doctor({ HAILMARK_CLOCK_OFFSET_MS: String(-3 * 3_600_000) });
    assertFinding(diagnosis, 'clock.publishers', {
      ...{ state: 'broken', says: /3\.0 h ahead/, remedy: /HAILMARK_CLOCK_OFFSET_MS/ },
    });
    assertFinding(diagnosis, 'clock.setting', {
      ...{ state: 'warning', says: /3\.0 h behind/, remedy: /HAILMARK_CLOCK_OFFSET_MS/ },
    });
  });

  it('finds an API that does not answer', async () => {
    assertFinding(await doctor({}, '--api', service.api_url, '--api', nowhere), 'api', {
      ...{ state: 'broken', says: /No API answers at http/, remedy: /API_PORT/ },
    });
  });

  it('finds a Redis that is away', { skip: why_no_redis ?? false }, async () => {
    const redis = cleanup.keep(await startRedis());
    const settings = { REDIS_URL: redis.url };
    assert.equal((await doctor(settings)).of('redis').state, 'ok');
    await redis.kill();
    assertFinding(await doctor(settings), 'redis', {
      ...{ state: 'broken', says: /does not answer/, remedy: /REDIS_URL/ },
    });
  });

  it('finds a geocoder that is down, and one that hangs does not hold it up', async () => {
    for (const kind of ['500', 'dead']) {
      await switchFault('geocoder', kind);
      assertFinding(await doctor(), 'geocoder.census', {
        ...{ state: 'broken', says: /does not answer|status 500/, remedy: /GEOCODER_URL/ },
      });
    }
    await switchFault('geocoder', 'hang');
    const diagnosis = await doctor({}, '--timeout-s', '15');
    assertFinding(diagnosis, 'geocoder.census', {
      ...{ state: 'broken', says: /does not answer/, remedy: /GEOCODER_URL/ },
    });
    assert.equal(diagnosis.of('publisher.nws_alerts').state, 'ok');
    await switchFault('geocoder', 'none');
  });

  it('finds a message that is no fact', async () => {
    const log = await openLog(service.config);
    await log.append(topics.observation.name, [{ key: 'nobody', value: Buffer.from('NOT REAL') }]);
    await log.close();
    const diagnosis = await untilState('dead-letters', 'warning', () => doctor());
    assertFinding(diagnosis, 'dead-letters', {
      state: 'warning',
      says: /1 foreign in hail\.observation\.v1/,
      remedy: /npm run dead-letters -- list/,
    });
  });

  it('finds a publisher that is dead: its feed first fails, and is stale in the end', async () => {
    await switchFault('nws_alerts', 'dead');
    const failed = await untilState('feed.nws_alerts', 'warning', () => doctor());
    assertFinding(failed, 'feed.nws_alerts', {
      ...{ state: 'warning', says: /^Fresh: .*the last poll failed: /, remedy: /NWS_URL/ },
    });
    assertFinding(failed, 'publisher.nws_alerts', {
      ...{ state: 'broken', says: /does not answer/, remedy: /NWS_URL/ },
    });
    // What the doctor of two hours later says of the same poll.
    assertFinding(await doctor({ HAILMARK_CLOCK_OFFSET_MS: String(2 * 3_600_000) }), 'feed.nws_alerts', {
      ...{ state: 'broken', says: /^Stale: .*the last poll failed: /, remedy: /NWS_URL/ },
    });
    await switchFault('nws_alerts', 'none');
  });

  it('finds a projector that has stopped', async () => {
    const pid = service.pid('projector');
    assert.ok(pid !== undefined);
    process.kill(pid, 'SIGSTOP');
    try {
      const hanging = await doctor({}, '--timeout-s', '5');
      assertFinding(hanging, 'process.projector', {
        ...{ state: 'warning', says: /Nobody answers/, remedy: /PROJECTOR_OPS_PORT/ },
      });
      const log = await openLog(service.config);
      const codec = createCodec({ registry_url: service.registry_url });
      await codec.registerAll();
      await createKey(
        { log, codec, clock: systemClock },
        { partner: 'Test NOT REAL', per_minute: 1, per_day: 1 },
      );
      await log.close();
      const diagnosis = await untilState('lag', 'broken', () =>
        doctor({}, '--most-lag-s', '1', '--timeout-s', '10'),
      );
      assertFinding(diagnosis, 'lag', {
        ...{ state: 'broken', says: /api-keys\.v1 by 1\b/, remedy: /projector\.log.*npm start/ },
      });
    } finally {
      process.kill(pid, 'SIGCONT');
    }
  });
});
