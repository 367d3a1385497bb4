import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { forCluster } from '../../../services/store/cluster.ts';
import { createStore, type Store } from '../../../services/store/store.ts';
import { createCleanup } from '../../support/cleanup.ts';

describe('statements for a cluster', () => {
  it('are what they were on one server', () => {
    const statement = 'CREATE TABLE t (a Int32) ENGINE = ReplacingMergeTree(a) ORDER BY a';
    assert.equal(forCluster(statement, undefined), statement);
  });

  it('make the database on every server, with its own log of definitions', () => {
    assert.equal(
      forCluster('CREATE DATABASE IF NOT EXISTS hailmark ENGINE = Atomic', 'hail'),
      "CREATE DATABASE IF NOT EXISTS hailmark ON CLUSTER 'hail' " +
        "ENGINE = Replicated('/clickhouse/databases/hailmark', '{shard}', '{replica}')",
    );
  });

  it('make tables replicated, once, and leave what comments say', () => {
    const made = (engine: string): string => `CREATE TABLE t (a Int32 COMMENT 'it''s ENGINE = MergeTree')
ENGINE = ${engine} ORDER BY a COMMENT 'was ENGINE = MergeTree, \\'see\\''`;
    const wanted = made('ReplicatedReplacingMergeTree(a)');
    assert.equal(forCluster(made('ReplacingMergeTree(a)'), 'hail'), wanted);
    assert.equal(forCluster(wanted, 'hail'), wanted);
    assert.equal(forCluster(made('MergeTree'), 'hail'), made('ReplicatedMergeTree'));
  });

  it('leave the rest to the database, which does it on every replica', () => {
    for (const statement of [
      'CREATE OR REPLACE VIEW v AS SELECT 1',
      'ALTER TABLE t ADD COLUMN IF NOT EXISTS b UInt16',
      'DROP TABLE IF EXISTS t_v2',
    ])
      assert.equal(forCluster(statement, 'hail'), statement);
  });
});

describe('what a store asks of its server', () => {
  const made = createCleanup();
  const asked: URL[] = [];
  let url = '';

  before(async () => {
    const server = createServer((request, response) => {
      asked.push(new URL(request.url ?? '', 'http://server'));
      request.resume().on('end', () => response.end());
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    made.keep({
      stop: () =>
        new Promise<void>((closed) => {
          server.close(() => closed());
          server.closeAllConnections();
        }),
    });
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => made.stop());

  const settingsOf = async (
    cluster: string | undefined,
    ask: (store: Store) => Promise<unknown>,
  ): Promise<Record<string, string>> => {
    const store = createStore({
      CLICKHOUSE_URL: url,
      CLICKHOUSE_DATABASE: 'hailmark',
      CLICKHOUSE_USER: 'default',
      CLICKHOUSE_PASSWORD: '',
      CLICKHOUSE_CLUSTER: cluster,
    });
    await ask(store);
    await store.close();
    return Object.fromEntries(asked.splice(0).flatMap(({ searchParams }) => [...searchParams]));
  };
  const asRows = (store: Store): Promise<void> => store.insert('t', ['a'], [[1]]);
  const asBlock = (store: Store): Promise<void> =>
    store.insertBlock('t', { columns: ['a'], rows: 1, bytes: Buffer.from([1]) });

  it('is a majority for every insert on a cluster, and nothing of the kind on one server', async () => {
    for (const insert of [asRows, asBlock]) {
      const on_cluster = await settingsOf('hail', insert);
      assert.equal(on_cluster['insert_quorum'], 'auto');
      assert.equal(on_cluster['insert_quorum_parallel'], '1');
      assert.equal(on_cluster['async_insert'], '0');
      assert.equal((await settingsOf(undefined, insert))['insert_quorum'], undefined);
    }
  });

  it('is not to wait for replicas that are away when a definition changes', async () => {
    const define = (store: Store): Promise<void> => store.command('DROP TABLE IF EXISTS t');
    const on_cluster = await settingsOf('hail', define);
    assert.equal(on_cluster['distributed_ddl_output_mode'], 'null_status_on_timeout_only_active');
    assert.equal((await settingsOf(undefined, define))['distributed_ddl_output_mode'], undefined);
  });
});
