import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { projectionNames } from '../../../services/projector/all-projections.ts';
import type { TableComparison } from '../../../services/projector/rebuild/compare.ts';
import type { RebuildEvent } from '../../../services/projector/rebuild/deps.ts';
import { listVersions } from '../../../services/projector/rebuild/list.ts';
import { rebuild, remove, rollback } from '../../../services/projector/rebuild/rebuild.ts';
import type { Versions } from '../../../services/projector/versions.ts';
import { pause } from '../../../services/runtime/clock.ts';
import { isHailmarkError } from '../../../services/runtime/errors.ts';
import { readHolds } from '../../../services/store/holds.ts';
import { readProjections, servingVersion } from '../../../services/store/projections.ts';
import type { Store } from '../../../services/store/store.ts';
import { correctedHistory, radarDrafts } from '../../unit/projector/history.ts';
import { poll } from '../../unit/projector/polls.ts';
import { startBench, type Bench } from './bench.ts';
import { beginVersions, rebuildDeps } from './rebuild.support.ts';

const database = 'differences';
const plain = { verify_only: false, accept: false, sampled_cells: 100 };
const verify_only = { ...plain, verify_only: true };
const accept = { ...plain, accept: true };

describe('versions of a view', { timeout: 250_000 }, () => {
  let bench: Bench;
  let store: Store;
  let projector: Versions & { failed: () => unknown };
  let events: RebuildEvent[];

  before(async () => {
    bench = await startBench();
    store = bench.store(database);
    await bench.appendFacts(correctedHistory(radarDrafts()));
    await bench.appendPolls([poll(), poll({ feed: 'storm_events', publisher: 'NOAA_SED' })]);
    projector = await beginVersions(bench, database);
  });
  after(async () => {
    await projector.leave();
    await bench.stop();
  });

  const run = (name: string, options = plain): ReturnType<typeof rebuild> => {
    events = [];
    return rebuild(
      rebuildDeps(bench, database, (event) => events.push(event)),
      name,
      options,
    );
  };
  const serving = async (name: string): Promise<number | null> =>
    servingVersion(await readProjections(store), name);
  const compared = (table: string): TableComparison => {
    const found = events.find((event) => event.event === 'compared' && event.table === table);
    assert.ok(found?.event === 'compared', `${table} was not compared`);
    return found;
  };
  const refusedBecause =
    (words: RegExp) =>
    (error: unknown): boolean =>
      isHailmarkError(error, 'HAIL_REBUILD') && words.test(error.message);

  it('cannot be compared while there is one only', async () => {
    await assert.rejects(run('feeds', verify_only), refusedBecause(/nothing to compare/));
    assert.equal((await readProjections(store)).length, projectionNames.length);
  });

  it('are switched where every table and every sampled answer agrees', async () => {
    assert.equal(await run('feeds'), 'switched');
    assert.deepEqual(
      [compared('feed_status').rows, compared('coverage').rows],
      [
        [2, 2],
        [2, 2],
      ],
    );
    assert.equal(await serving('feeds'), 2);
    assert.equal(await serving('observations'), 1);
    assert.deepEqual(await readHolds(store), []);
  });

  it('are compared without a switch when asked to', async () => {
    assert.equal(await run('feeds', verify_only), 'agree');
    assert.equal(await serving('feeds'), 2);
  });

  it('stay as they are where one row differs, which is found and shown; only its acceptance switches', async () => {
    // The rebuild stops at its first look at the version it has listed: the row is planted before anything is compared.
    const stop = new AbortController();
    const interrupted = rebuild(
      { ...rebuildDeps(bench, database), signal: stop.signal, say: () => stop.abort() },
      'observations',
      plain,
    );
    await assert.rejects(interrupted);
    assert.equal(await serving('observations'), 1);
    await untilBuilt('observations', 2);
    await store.command(
      `INSERT INTO observations_v2 SELECT * REPLACE (size_in + 0.25 AS size_in, revision + 100000 AS revision)
       FROM observations_v2 FINAL ORDER BY ALL LIMIT 1`,
    );
    assert.equal(await run('observations'), 'differ');
    assert.equal(await serving('observations'), 1);
    const { differing, differences, rows } = compared('observations');
    assert.equal(differing, 1);
    assert.equal(rows[0], rows[1]);
    const [difference] = differences;
    assert.match(difference?.place ?? '', /^geohash \w{3}$/);
    assert.deepEqual(
      difference?.only.map((side) => side.rows),
      [1, 1],
    );
    const sizes = difference.only.map(({ examples }) => (examples[0] as { size_in: number }).size_in);
    assert.equal((sizes[1] ?? 0) - (sizes[0] ?? 0), 0.25);
    assert.equal(compared('set_aside').differing, 0);
    const sampled = events.find((event) => event.event === 'sampled');
    assert.ok(sampled?.event === 'sampled');
    assert.equal(sampled.differing.length, 1);
    assert.deepEqual(await readHolds(store), []);

    assert.equal(await run('observations', verify_only), 'differ');
    assert.equal(await run('observations', accept), 'switched');
    assert.equal(await serving('observations'), 2);
  });

  it('find a value that became null, and a row that is missing', async () => {
    await store.command(
      'ALTER TABLE observations_v2 UPDATE sevprob = NULL WHERE 1 SETTINGS mutations_sync = 2',
    );
    await run('observations', verify_only);
    assert.ok(compared('observations').differing > 0);
    await store.command('ALTER TABLE set_aside_v2 DELETE WHERE 1 SETTINGS mutations_sync = 2');
    assert.equal(await run('observations', verify_only), 'differ');
    // What serves comes first.
    assert.equal(compared('set_aside').rows[0], 0);
  });

  it('give back the answer to the one before, which has kept up', async () => {
    await bench.appendFacts(correctedHistory(radarDrafts().slice(0, 3)).slice(0, 3));
    await rollback(rebuildDeps(bench, database), 'observations');
    assert.equal(await serving('observations'), 1);
    const lines = await listVersions(rebuildDeps(bench, database));
    assert.deepEqual(
      lines.map(({ projection, version, state, behind }) => [projection, version, state, behind]),
      [
        ['alerts', 1, 'serving', 0],
        ['api-keys', 1, 'serving', 0],
        ['api-requests', 1, 'serving', 0],
        ['dead-letters', 1, 'serving', 0],
        ['feeds', 1, 'kept', 0],
        ['feeds', 2, 'serving', 0],
        ['observations', 1, 'serving', 0],
        ['observations', 2, 'kept', 0],
      ],
    );
  });

  it('are removed by name, never the one that answers, and their numbers never come back', async () => {
    const deps = rebuildDeps(bench, database);
    await assert.rejects(remove(deps, 'observations', 1), refusedBecause(/cannot be removed/));
    await assert.rejects(remove(deps, 'observations', 7), refusedBecause(/There is no/));
    await remove(deps, 'observations', 2);
    await remove(deps, 'observations', 2);
    const left = await store.rows<{ name: string }>(
      "SELECT name FROM system.tables WHERE database = currentDatabase() AND name LIKE '%_v2' ORDER BY name",
    );
    assert.deepEqual(
      left.map(({ name }) => name),
      ['coverage_v2', 'feed_status_v2'],
    );
    // Facts that come now must find a projector that has let go of it.
    await bench.appendFacts(correctedHistory(radarDrafts().slice(3, 6)).slice(0, 3));
    assert.equal(await run('observations'), 'switched');
    assert.equal(await serving('observations'), 3);
    assert.equal(projector.failed(), undefined);
  });

  async function untilBuilt(name: string, version: number): Promise<void> {
    for (;;) {
      const lines = await listVersions(rebuildDeps(bench, database));
      if (lines.some((line) => line.projection === name && line.version === version && line.behind === 0))
        return;
      await pause(20);
    }
  }
});
