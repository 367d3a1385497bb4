import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { prepareStore } from '../../../services/projector/prepare.ts';
import { systemClock } from '../../../services/runtime/clock.ts';
import { readConfig, type Config } from '../../../services/runtime/config.ts';
import { isHailmarkError } from '../../../services/runtime/errors.ts';
import { definitions, forCluster, quorum } from '../../../services/store/cluster.ts';
import { readMigrations, statementsOf } from '../../../services/store/migrations.ts';
import { createStore, type Store } from '../../../services/store/store.ts';
import { createCleanup } from '../../support/cleanup.ts';
import { startLocalServices } from '../../support/local-services.ts';

/** The engine's own parser and settings; no cluster runs here. */
describe('the schema for a cluster, as the engine reads it', () => {
  const made = createCleanup();
  let config: Config;
  let store: Store;

  before(async () => {
    const local = made.keep(await startLocalServices());
    config = readConfig({ CLICKHOUSE_URL: local.clickhouse_url });
    store = createStore(config, { timeout_ms: 20_000, in_database: false });
    made.keep({ stop: () => store.close() });
  });
  after(() => made.stop());

  const parsed = async (statement: string): Promise<string> => {
    const [row] = await store.rows<{ text: string }>(
      'SELECT formatQuerySingleLine({statement:String}) AS text',
      {
        statement,
      },
    );
    return row?.text ?? '';
  };

  it('parses, every statement of every file, and leaves no table unreplicated', async () => {
    for (const { name, sql } of readMigrations()) {
      const statements = statementsOf(sql, 1);
      assert.notEqual(statements.length, 0, name);
      for (const statement of statements) {
        const text = await parsed(forCluster(statement, 'hail'));
        const engines = [...text.matchAll(/ENGINE = (\w*MergeTree)/g)].map(([, engine]) => engine);
        if (text.startsWith('CREATE TABLE')) assert.notEqual(engines.length, 0, name);
        for (const engine of engines) assert.match(engine ?? '', /^Replicated/, name);
      }
    }
  });

  it('makes the database on the cluster, with paths of the servers’ own names', async () => {
    const text = await parsed(forCluster('CREATE DATABASE IF NOT EXISTS hailmark ENGINE = Atomic', 'hail-1'));
    assert.equal(
      text.replaceAll('`', ''),
      "CREATE DATABASE IF NOT EXISTS hailmark ON CLUSTER hail-1 ENGINE = Replicated('/clickhouse/databases/hailmark', '{shard}', '{replica}')",
    );
  });

  it('asks only for settings that this version has, with values that it takes', async () => {
    for (const [name, value] of Object.entries({ ...quorum, ...definitions })) {
      const written = typeof value === 'number' ? String(value) : `'${String(value)}'`;
      const [row] = await store.rows<{ value: unknown }>(
        `SELECT getSetting('${name}') AS value SETTINGS ${name} = ${written}`,
      );
      const expected = value === 1 ? ['1', 'true'] : [String(value)];
      assert.ok(expected.includes(String(row?.value)), `${name}: ${String(row?.value)}`);
    }
  });

  it('is refused for a database that one server was made for, with what to do', async () => {
    const inside = createStore(config, { timeout_ms: 20_000 });
    made.keep({ stop: () => inside.close() });
    await prepareStore(config, inside, systemClock);
    const clustered = readConfig({ CLICKHOUSE_URL: config.CLICKHOUSE_URL, CLICKHOUSE_CLUSTER: 'hail' });
    await assert.rejects(prepareStore(clustered, inside, systemClock), (error: unknown) => {
      assert.ok(isHailmarkError(error, 'HAIL_DATABASE_KIND'));
      assert.match(error.message, /made for one server.*CLICKHOUSE_DATABASE/);
      return true;
    });
    await prepareStore(config, inside, systemClock);
  });
});
