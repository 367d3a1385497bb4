import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createSqliteLog } from '../../../services/log/sqlite/sqlite-log.ts';
import { topics } from '../../../services/log/topics.ts';
import { createCleanup } from '../../support/cleanup.ts';
import { freePorts } from '../../support/free-ports.ts';
import { startLocalServices, type LocalServices } from '../../support/local-services.ts';
import { assertFinding, diagnose, type Diagnosis } from './doctor.ts';

const cleanup = createCleanup();
let local: LocalServices;

function doctor(settings: Record<string, string> = {}): Promise<Diagnosis> {
  return diagnose(
    {
      ...settings,
      HAILMARK_DATA_DIR: local.data_dir,
      CLICKHOUSE_URL: local.clickhouse_url,
      SCHEMA_REGISTRY_URL: local.registry_url,
    },
    '--timeout-s',
    '20',
  );
}

async function withLog(
  work: (log: Awaited<ReturnType<typeof createSqliteLog>>) => Promise<void>,
): Promise<void> {
  const log = await createSqliteLog({ folder: join(local.data_dir, 'log') });
  try {
    await work(log);
  } finally {
    await log.close();
  }
}

before(async () => {
  local = cleanup.keep(await startLocalServices());
});
after(() => cleanup.stop());

// In this order: each step plants the next fault on what the one before left.
describe('the doctor of a service that was never set up', { timeout: 300_000 }, () => {
  it('finds that there is no log', async () => {
    const diagnosis = await doctor();
    assertFinding(diagnosis, 'log', { state: 'broken', says: /There is no log/, remedy: /npm start/ });
    assert.equal(diagnosis.of('lag').state, 'not-checked');
  });

  it('finds topics that are missing', async () => {
    const { alert, ...others } = topics;
    await withLog((log) =>
      log.ensureTopics(
        Object.values(others).map((spec) =>
          spec.name === topics.observation.name ? { ...spec, partitions: 3 } : spec,
        ),
      ),
    );
    assertFinding(await doctor(), 'topics', {
      ...{ state: 'broken', says: new RegExp(`lacks ${alert.name}\\.`), remedy: /^npm run topics/ },
    });
  });

  it('finds a topic with another number of partitions', async () => {
    await withLog((log) => log.ensureTopics(Object.values(topics)));
    assertFinding(await doctor(), 'topics', {
      state: 'broken',
      says: /hail\.observation\.v1: partitions is 3 instead of 6/,
      remedy: /number of partitions never changes/,
    });
  });

  it('finds that there is no key', async () => {
    assertFinding(await doctor(), 'keys', {
      ...{ state: 'warning', says: /None of 0 API keys is live/, remedy: /npm run keys -- create/ },
    });
  });

  it('finds tables that were never made, and schemas that were never registered', async () => {
    const diagnosis = await doctor();
    assertFinding(diagnosis, 'migrations', {
      ...{ state: 'broken', says: /has no tables/, remedy: /projector/ },
    });
    assert.match(diagnosis.of('positions').says, /see `migrations`/);
    assertFinding(diagnosis, 'schemas', {
      ...{ state: 'warning', says: /hail\.observation\.v1-value is not registered/, remedy: /npm start/ },
    });
  });

  it('finds a subject that holds something else', async () => {
    const schema = JSON.stringify({ type: 'record', name: 'Foreign', fields: [{ name: 'a', type: 'int' }] });
    const answer = await fetch(`${local.registry_url}/subjects/${topics.grid.name}-value/versions`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/vnd.schemaregistry.v1+json' },
      body: JSON.stringify({ schema }),
    });
    assert.equal(answer.status, 200);
    assertFinding(await doctor(), 'schemas', {
      state: 'broken',
      says: /hail\.grid\.v1-value has versions .* incompatible/,
      remedy: /SCHEMA_REGISTRY_URL.*npm run check:schemas/,
    });
  });

  it('tells nobody what opens a door', async () => {
    const secret = 'NOT-REAL-s3cret';
    const [port = 0] = await freePorts(1);
    const { checks, of } = await doctor({
      CLICKHOUSE_PASSWORD: secret,
      PELIAS_API_KEY: secret,
      KAFKA_SASL_PASSWORD: secret,
      REDIS_URL: `redis://hailmark:${secret}@127.0.0.1:${port}`,
      GEOCODERS: 'census,pelias',
      PELIAS_URL: `http://hailmark:${secret}@127.0.0.1:${port}/?api_key=${secret}`,
    });
    assert.deepEqual([of('redis').state, of('geocoder.pelias').state], ['broken', 'broken']);
    assert.ok(!JSON.stringify(checks).includes(secret));
  });

  it('finds that store and registry are down, and goes on with the log', async () => {
    await local.kill9();
    const diagnosis = await doctor();
    assertFinding(diagnosis, 'store', { state: 'broken', says: /does not answer/, remedy: /CLICKHOUSE_URL/ });
    assertFinding(diagnosis, 'registry', {
      state: 'broken',
      says: /does not answer/,
      remedy: /SCHEMA_REGISTRY_URL/,
    });
    assert.equal(diagnosis.of('log').state, 'ok');
    assert.equal(diagnosis.of('topics').state, 'broken');
    assert.equal(diagnosis.exit_code, 2);
  });
});
