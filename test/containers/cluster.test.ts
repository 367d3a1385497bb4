import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { prepareStore } from '../../services/projector/prepare.ts';
import { pause, systemClock } from '../../services/runtime/clock.ts';
import { readConfig, type Config } from '../../services/runtime/config.ts';
import { isHailmarkError } from '../../services/runtime/errors.ts';
import { readPositions, writePosition } from '../../services/store/positions.ts';
import { createStore, type Store } from '../../services/store/store.ts';
import { createCleanup } from '../support/cleanup.ts';
import { startCluster, type Cluster } from './cluster.ts';
import { containersAreMissing } from './engine.ts';

const topic = 'hail.observation.v1';
const position = (next_offset: number) => ({ topic, partition: 0, log_id: 'NOT REAL', next_offset });

describe(
  'a replicated cluster in containers',
  { skip: await containersAreMissing(), timeout: 900_000 },
  () => {
    const made = createCleanup();
    let cluster: Cluster;

    before(async () => {
      cluster = made.keep(await startCluster());
    });
    after(() => made.stop());

    const configOf = (replica: 0 | 1): Config =>
      readConfig({
        CLICKHOUSE_URL: cluster.url(cluster.replicas[replica]),
        CLICKHOUSE_CLUSTER: 'hailmark',
        CLICKHOUSE_USER: cluster.user,
        CLICKHOUSE_PASSWORD: cluster.password,
      });
    const open = (replica: 0 | 1): Store => {
      const store = createStore(configOf(replica), { timeout_ms: 120_000 });
      made.keep({ stop: () => store.close() });
      return store;
    };
    const names = async (store: Store): Promise<{ name: string; engine: string }[]> =>
      store.rows('SELECT name, engine FROM system.tables WHERE database = currentDatabase() ORDER BY name');
    const until = async (holds: () => Promise<boolean>): Promise<void> => {
      while (!(await holds())) await pause(200);
    };

    it('is made once by two projectors that start at once, on all replicas, with nothing unreplicated', async () => {
      const [first, second] = [open(0), open(1)];
      await Promise.all([first, open(0)].map((store) => prepareStore(configOf(0), store, systemClock)));
      const tables = await names(first);
      assert.ok(tables.some(({ name }) => name === 'observations_v1'));
      for (const { name, engine } of tables) assert.match(engine, /^Replicated|View$/, name);
      await until(async () => (await names(second)).length === tables.length);
      assert.deepEqual(await names(second), tables);
    });

    it('shows on the other replica at once what was acknowledged', async () => {
      const [first, second] = [open(0), open(1)];
      for (let next_offset = 1; next_offset <= 50; next_offset += 1) {
        await writePosition(first, 'observations', 1, position(next_offset), systemClock());
        const [read] = await readPositions(second, 'observations', 1);
        assert.equal(read?.next_offset, next_offset);
      }
    });

    it('takes no insert without a majority, takes definitions, and a replica that comes back catches up', async () => {
      const first = open(0);
      const [, away] = cluster.replicas;
      // The server ends; the container is started again below with what it has.
      await away.exec(['sh', '-c', 'kill -TERM 1']).catch(() => undefined);
      const insert = (): Promise<void> =>
        writePosition(first, 'observations', 1, position(99), systemClock());
      await until(() =>
        insert().then(
          () => false,
          (error: unknown) => isHailmarkError(error, 'HAIL_STORE_UNAVAILABLE'),
        ),
      );
      await first.command('CREATE OR REPLACE VIEW made_meanwhile AS SELECT 1 AS one');
      await away.restart();
      await until(() =>
        insert().then(
          () => true,
          () => false,
        ),
      );
      await prepareStore(configOf(1), open(1), systemClock);
      const second = open(1);
      assert.ok((await names(second)).some(({ name }) => name === 'made_meanwhile'));
      assert.equal((await readPositions(second, 'observations', 1))[0]?.next_offset, 99);
    });
  },
);
