import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { people_limits } from '../../../infra/local/gateway/people.ts';
import { cellOf, cellText, cellsWithin } from '../../../services/hail/geo/geohash.ts';
import { metres_per_mile } from '../../../services/hail/geo/distance.ts';
import { granuleId, type GridFact } from '../../../services/hail/grid.ts';
import { topics } from '../../../services/log/topics.ts';
import { rebuild, remove, rollback } from '../../../services/projector/rebuild/rebuild.ts';
import { prepareStore } from '../../../services/projector/prepare.ts';
import { pause, systemClock } from '../../../services/runtime/clock.ts';
import { analystViews, defineViews, viewDefinitions } from '../../../services/store/analysts.ts';
import { readCoverage } from '../../../services/store/coverage/query.ts';
import { createQueryablePolls } from '../../../services/store/feed_status/query.ts';
import { readProjections, writeProjections } from '../../../services/store/projections.ts';
import { startBench, type Bench } from '../../integration/projector/bench.ts';
import { beginVersions, rebuildDeps } from '../../integration/projector/rebuild.support.ts';
import { examples } from '../../unit/log/examples.ts';
import { correctedHistory, radarDrafts, stormDrafts } from '../../unit/projector/history.ts';
import { poll } from '../../unit/projector/polls.ts';

const folder = join(import.meta.dirname, '../../../schemas/clickhouse');
const parametrised = ['hail_cells', 'hail_near'];

describe('the views for analysts', { timeout: 240_000 }, () => {
  let bench: Bench;

  before(async () => {
    bench = await startBench();
  });
  after(() => bench.stop());

  it('are those of the folder, of the README and of the role on a server', () => {
    const named = (text: string, pattern: RegExp): string[] =>
      [...text.matchAll(pattern)].map(([, name = '']) => name).sort();
    const expected = [...analystViews].sort();
    const files = readdirSync(join(folder, 'views')).map((name) => name.replace(/\.sql$/, ''));
    assert.deepEqual(files.sort(), expected);
    const readme = readFileSync(join(folder, 'README.md'), 'utf8');
    assert.deepEqual(named(readme, /^\| `(\w+)(?:\([^)]*\))?` /gm), expected);
    const role = readFileSync(join(folder, 'people/server.sql'), 'utf8');
    assert.deepEqual(named(role, /^GRANT SELECT ON hailmark\.(\w+) TO hailmark_analyst;$/gm), expected);
    assert.equal([...role.matchAll(/^GRANT/gm)].length, expected.length, 'another grant');
  });

  it('on a server: the engine parses each statement for people, and the limits are the local ones', async () => {
    const role = readFileSync(join(folder, 'people/server.sql'), 'utf8');
    const statements = role
      .replace(/^\s*--.*$/gm, '')
      .split(';')
      .map((statement) => statement.trim())
      .filter((statement) => statement !== '');
    assert.ok(statements.length > analystViews.length);
    const parsed = new Map<string, string>();
    await prepareStore(bench.config('parsed'), bench.store('parsed'), systemClock);
    for (const statement of statements) {
      const [row] = await bench
        .store('parsed')
        .rows<{ sql: string }>('SELECT formatQuerySingleLine({statement:String}) AS sql', { statement });
      parsed.set(statement, row?.sql ?? '');
    }
    const profile = [...parsed.values()].find((sql) => sql.startsWith('CREATE SETTINGS PROFILE')) ?? '';
    for (const [name, value] of people_limits) {
      const written = /^\d+$/.test(value) ? `${value} MIN 1 MAX ${value}` : `'${value}'`;
      assert.match(profile, new RegExp(`\\b${name} = ${written}[, ]`), name);
    }
    const settings = [...profile.matchAll(/(\w+) = \S+(?: CONST| MIN|,)/g)].map(([, name = '']) => name);
    const known = await bench
      .store('parsed')
      .rows<{ name: string }>('SELECT name FROM system.settings WHERE name IN {settings:Array(String)}', {
        settings,
      });
    assert.deepEqual(known.map(({ name }) => name).sort(), settings.sort());
    assert.ok(settings.includes('readonly'));
  });

  it('have a comment each, as has every table, and every column of both', async () => {
    const store = bench.store('commented');
    await prepareStore(bench.config('commented'), store, systemClock);
    const tables = await store.rows<{ name: string; comment: string; sql: string }>(
      'SELECT name, comment, create_table_query AS sql FROM system.tables WHERE database = currentDatabase()',
    );
    assert.ok(tables.length >= analystViews.length + 13);
    assert.deepEqual(
      tables.filter(({ comment }) => comment.length < 10).map(({ name }) => name),
      [],
    );
    const columns = await store.rows<{ table: string; name: string; type: string; comment: string }>(
      'SELECT table, name, type, comment FROM system.columns WHERE database = currentDatabase()',
    );
    assert.deepEqual(
      columns.filter(({ comment }) => comment.length < 5),
      [],
    );
    // What people read says what an absent value means.
    const views: readonly string[] = analystViews;
    const near = tables.find(({ name }) => name === 'hail_near')?.sql ?? '';
    const nullable = [
      ...columns.filter(({ table, type }) => views.includes(table) && type.startsWith('Nullable')),
      ...[...near.matchAll(/`(\w+)` Nullable\([^)]+\) COMMENT '([^']+)'/g)].map(
        ([, name = '', comment = '']) => ({ table: 'hail_near', name, comment }),
      ),
    ];
    assert.ok(nullable.some(({ table }) => table === 'hail_near'));
    assert.deepEqual(
      nullable
        .filter(({ comment }) => !/\bnull\b/.test(comment))
        .map(({ table, name }) => `${table}.${name}`),
      [],
    );
    const listed = new Set(columns.map(({ table }) => table));
    assert.deepEqual(
      tables.map(({ name }) => name).filter((name) => !listed.has(name)),
      parametrised,
      'the engine lists the columns of other views than before',
    );
    for (const view of analystViews.filter((name) => !parametrised.includes(name))) {
      const typed = async (sql: string): Promise<unknown[]> =>
        (await store.rows<{ name: string; type: string }>(sql)).map(({ name, type }) => `${name} ${type}`);
      const declared = await typed(`DESCRIBE TABLE ${view}`);
      assert.deepEqual(await typed(`DESCRIBE TABLE (SELECT * FROM ${view})`), declared, view);
    }
    // Those with parameters have theirs in the definition, as SHOW CREATE TABLE prints it.
    for (const view of parametrised) {
      const sql = tables.find(({ name }) => name === view)?.sql ?? '';
      const declared = sql.slice(sql.indexOf('('), sql.indexOf(') DEFINER'));
      const commented = [...declared.matchAll(/`(\w+)` [\w(), ']+? COMMENT '[^']{5}/g)].map(
        ([, name = '']) => name,
      );
      const answered = await store.rows<{ name: string }>(
        `DESCRIBE TABLE (SELECT * FROM ${view}(lat = 35, lon = -97, radius_mi = 1))`,
      );
      assert.deepEqual(
        answered.map(({ name }) => name),
        commented,
      );
    }
  });

  it('find the cells of a circle as the one authority does, also on borders, across 180 and at a pole', async () => {
    const store = bench.store('cells');
    await prepareStore(bench.config('cells'), store, systemClock);
    let seed = 20_261_121;
    const random = (): number => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
      return seed / 2 ** 32;
    };
    const borders = [-180, -101.25, -97.734375, -90, -78.75, 0, 45, 135, 180];
    const circles = [
      ...borders.flatMap((lon) => [33.75, 35.15625, 45, 0, -90, 90].map((lat) => [lat, lon, 1e-6])),
      ...Array.from({ length: 60 }, () => [24 + 26 * random(), -125 + 59 * random(), 0.1 + 25 * random()]),
      // Reports are rounded to tenths and hundredths.
      ...Array.from({ length: 40 }, () => [
        Math.round(240 + 260 * random()) / 10,
        -Math.round(660 + 590 * random()) / 10,
        Math.round(50 * random() + 1) / 2,
      ]),
      ...Array.from({ length: 20 }, () => [180 * random() - 90, 360 * random() - 180, 100 * random() + 1e-9]),
      ...[
        [60, 179.99, 100],
        [-60, -180, 30],
        [89.9, 12, 20],
        [-89.99, 12, 1],
      ],
    ] as [number, number, number][];
    for (const [lat, lon, radius_mi] of circles) {
      const rows = await store.rows<{ cell: number; geohash: string }>(
        'SELECT cell, geohash FROM hail_cells(lat = {lat:Float64}, lon = {lon:Float64}, radius_mi = {radius_mi:Float64})',
        { lat, lon, radius_mi },
      );
      const found = new Set(rows.map(({ cell }) => cell));
      const where = `${lat} ${lon} ${radius_mi}`;
      assert.equal(found.size, rows.length, `${where}: a cell twice`);
      for (const { cell, geohash } of rows) assert.equal(geohash, cellText(cell), where);
      const wanted = cellsWithin(lat, lon, radius_mi * metres_per_mile);
      assert.deepEqual(
        wanted.filter((cell) => !found.has(cell)),
        [],
        `${where}: cells are missing`,
      );
      assert.ok(found.has(cellOf(lat, lon)), `${where}: not its own cell`);
      // The box around a circle, a ring of cells at most beyond it.
      if (Math.abs(lat) < 60) {
        const ring = 4 * Math.ceil(Math.sqrt(wanted.length)) + 8;
        assert.ok(found.size <= wanted.length * 1.4 + ring, `${where}: ${found.size} for ${wanted.length}`);
      }
    }
    for (const [asked, says] of [
      ['lat = nan, lon = -97, radius_mi = 5', /lat is a latitude/],
      ['lat = 91, lon = -97, radius_mi = 5', /lat is a latitude/],
      ['lat = 35, lon = 263, radius_mi = 5', /lon is a longitude/],
      ['lat = 35, lon = -97, radius_mi = 0', /radius_mi is a radius/],
      ['lat = 35, lon = -97, radius_mi = 100.1', /radius_mi is a radius/],
      ['lat = 35, lon = -97, radius_mi = inf', /radius_mi is a radius/],
    ] as const) {
      for (const view of parametrised)
        await assert.rejects(store.rows(`SELECT count() FROM ${view}(${asked})`), says, `${view} ${asked}`);
    }
  });

  it('count a slice as read once its records can be queried, and one product of the grids', async () => {
    const database = 'covered';
    const store = bench.store(database);
    await bench.appendPolls([poll()]);
    const grids = examples(topics.grid.name, 'valid').map(({ content }) => content as GridFact);
    const grid_with_hail = grids.find(({ cells, product }) => cells.length > 0 && product === 'MESH');
    assert.ok(grid_with_hail);
    // NOT REAL: the same cells as an hour of the other product.
    const stamp = Date.parse('2026-06-10T22:00:00Z');
    const hour = { product: 'MESH_Max_60min', stamp, began_at: stamp - 3_600_000, ended_at: stamp };
    for (const grid of [...grids, { ...grid_with_hail, ...hour }])
      await bench.log.append(topics.grid.name, [
        { key: granuleId(grid), value: bench.codec.encode(topics.grid.name, grid) },
      ]);
    await bench.project(database);
    assert.deepEqual(
      await store.rows('SELECT slice FROM coverage'),
      [],
      'its records are still on their way',
    );
    assert.deepEqual(await store.rows('SELECT queryable FROM feed_status'), [{ queryable: false }]);

    // NOT REAL: the same evening seen from the ground, in the cell of the first radar signature.
    const [signature] = radarDrafts();
    const [report] = await stormDrafts();
    assert.ok(signature && report);
    const { began_at, ended_at, lat, lon } = signature;
    const seen = { ...report, record_key: '1', record_id: '1', began_at, ended_at, lat, lon, size_in: 1.75 };
    await bench.appendFacts(correctedHistory([...radarDrafts(), ...radarDrafts().map(elsewhere)]));
    await bench.appendFacts([{ ...seen, supersedes: [] }]);
    const running = await bench.begin(database);
    const shown = async (): Promise<string[]> =>
      (
        await store.rows<{ product: string }>('SELECT DISTINCT product FROM observations ORDER BY product')
      ).map(({ product }) => product);
    await bench.untilPassed(database);
    const stored =
      "SELECT uniq(splitByChar('/', record_key)[1]) AS n FROM observations_v1 WHERE publisher = 'MRMS_MESH'";
    while (Number((await store.rows<{ n: string }>(stored))[0]?.n ?? 0) < 2) await pause(20);
    await running.leave();
    assert.deepEqual(await shown(), ['', 'MESH_Max_60min']);

    assert.deepEqual(await store.rows('SELECT queryable FROM feed_status'), [{ queryable: true }]);
    const slices = await store.rows<{ slice: string }>('SELECT slice FROM coverage');
    assert.deepEqual(slices, [{ slice: '2026-08-27@-125,24,-66.5,50' }]);
    const from_ms = Date.parse('2026-08-27T06:00:00Z');
    const answer = await readCoverage(store, createQueryablePolls(), {
      ...{ versions: { feeds: 1, observations: 1 }, west: -99, south: 29, east: -98, north: 30 },
      ...{ from_ms, until_ms: from_ms + 3_600_000, mrms_product: 'MESH_Max_60min' },
    });
    assert.deepEqual([...answer], [['NEXRAD_SWDI', 'complete']]);

    const both = await store.rows(
      `SELECT ground_size_in, publishers FROM hail_days
       WHERE ground_size_in IS NOT NULL AND radar_size_in IS NOT NULL`,
    );
    assert.deepEqual(both, [{ ground_size_in: 1.75, publishers: ['NEXRAD_SWDI', 'NOAA_SED'] }]);
    const [live] = await store.rows<{ same: number }>(
      `SELECT (SELECT count() FROM observations WHERE publisher != 'MRMS_MESH')
            = (SELECT count() FROM observations_v1 FINAL WHERE publisher != 'MRMS_MESH') AS same`,
    );
    assert.equal(Number(live?.same), 1);
  });

  it('follow the pointer: at a switch, at a rollback, and after a kill in between', async (test) => {
    const database = 'moves';
    await bench.appendFacts(correctedHistory(radarDrafts()));
    const store = bench.store(database);
    const deps = rebuildDeps(bench, database);
    const reads = async (): Promise<string[]> => {
      const rows = await store.rows<{ sql: string }>(
        "SELECT create_table_query AS sql FROM system.tables WHERE database = currentDatabase() AND engine = 'View'",
      );
      const names = rows.flatMap(
        ({ sql }) => sql.match(/\b(?:observations|set_aside|storm_reports)_v\d+\b/g) ?? [],
      );
      return [...new Set(names)].sort();
    };
    const at = (version: number): string[] =>
      ['observations', 'set_aside', 'storm_reports'].map((table) => `${table}_v${version}`);
    const point = (to: number, from: number): Promise<void> =>
      writeProjections(
        store,
        [
          { projection: 'observations', version: from, state: 'kept' },
          { projection: 'observations', version: to, state: 'serving' },
        ],
        systemClock(),
      );
    const count = async (): Promise<number> =>
      Number((await store.rows<{ n: string }>('SELECT count() AS n FROM observations'))[0]?.n);

    const projector = await beginVersions(bench, database, { follow_views: true });
    test.after(() => projector.leave());
    assert.deepEqual(await reads(), at(1));
    const options = { verify_only: false, accept: false, sampled_cells: 5 };
    assert.equal(await rebuild(deps, 'observations', options), 'switched');
    assert.deepEqual(await reads(), at(2));
    const all = await count();
    assert.ok(all > 0);
    await rollback(deps, 'observations');
    assert.deepEqual(await reads(), at(1));

    // Killed after the pointer and before the views: the projector's next look makes them.
    await point(2, 1);
    while ((await reads()).join() !== at(2).join()) await pause(20);
    // Made by a process that had read the pointer before it moved.
    const before = (await readProjections(store)).map((row) => ({
      ...row,
      ...(row.projection === 'observations'
        ? { state: row.version === 1 ? ('serving' as const) : ('kept' as const) }
        : {}),
    }));
    await defineViews(store, before, deps.views);
    while ((await reads()).join() !== at(2).join()) await pause(20);
    assert.equal(projector.failed(), undefined);
    await projector.leave();

    // With no projector either, they go on answering from the version that is kept, until the next start.
    await point(1, 2);
    assert.deepEqual(await reads(), at(2));
    assert.equal(await count(), all);
    await prepareStore(bench.config(database), store, systemClock);
    assert.deepEqual(await reads(), at(1));

    // The tables of a version are not dropped under views that a killed switch left on them.
    await point(2, 1);
    await prepareStore(bench.config(database), store, systemClock);
    await point(1, 2);
    assert.deepEqual(await reads(), at(2));
    await remove(deps, 'observations', 2);
    assert.deepEqual(await reads(), at(1));
    assert.equal(await count(), all);
  });

  it('are left out while a projection that they read does not serve yet', () => {
    const listed = [{ projection: 'observations', version: 3, state: 'serving' as const }];
    const names = viewDefinitions(listed, { mrms_product: 'MESH' }).map(({ name }) => name);
    assert.ok(names.includes('set_aside') && !names.includes('coverage') && !names.includes('alerts'));
    const [observations] = viewDefinitions(listed, { mrms_product: 'MESH' });
    assert.match(observations?.comment ?? '', /Reads observations_v3 and the product MESH$/);
  });
});

/** NOT REAL: the same signature a degree to the north, as a record of its own. */
function elsewhere(draft: ReturnType<typeof radarDrafts>[number]): typeof draft {
  return { ...draft, record_key: `${draft.record_key}-north`, lat: (draft.lat ?? 30) + 1 };
}
