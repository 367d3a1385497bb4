import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { systemClock } from '../../../services/runtime/clock.ts';
import { readConfig, type Config } from '../../../services/runtime/config.ts';
import { isHailmarkError, isTransient } from '../../../services/runtime/errors.ts';
import type { GridFact } from '../../../services/hail/grid.ts';
import { cellOf, cellsWithin } from '../../../services/hail/geo/geohash.ts';
import {
  changeOf,
  gridRows,
  observationsProjection,
} from '../../../services/projector/projections/observations.ts';
import { prepareStore } from '../../../services/projector/prepare.ts';
import { migrate, readMigrations } from '../../../services/store/migrations.ts';
import { anythingRead, readCoverage } from '../../../services/store/coverage/query.ts';
import { coverageColumns, coverageValues, type CoverageRow } from '../../../services/store/coverage/row.ts';
import { createQueryablePolls, newestQueryable } from '../../../services/store/feed_status/query.ts';
import { feedStatusColumns, feedStatusValues } from '../../../services/store/feed_status/row.ts';
import { observationsSql, readObservations } from '../../../services/store/observations/query.ts';
import { encodeBlock } from '../../../services/store/native.ts';
import { observationColumns } from '../../../services/store/observations/row.ts';
import { writePosition } from '../../../services/store/positions.ts';
import { createStore, type Store } from '../../../services/store/store.ts';
import { createCleanup } from '../../support/cleanup.ts';
import { startLocalServices, type LocalServices } from '../../support/local-services.ts';
import { radarDrafts } from '../../unit/projector/history.ts';
import { poll } from '../../unit/projector/polls.ts';
import { feedsProjection } from '../../../services/projector/projections/feeds.ts';

const serving = { feeds: 1, observations: 1 };
const topic = 'hail.observation.v1';
const day = Date.parse('2026-08-27T00:00:00Z');
const day_ms = 86_400_000;

const mrms_product = 'MESH_Max_60min';

describe('the store', { timeout: 250_000 }, () => {
  const made = createCleanup();
  let local: LocalServices;
  let config: Config;
  let store: Store;

  const open = (database: string): { config: Config; store: Store } => {
    const own = readConfig({ CLICKHOUSE_URL: local.clickhouse_url, CLICKHOUSE_DATABASE: database });
    const opened = createStore(own, { timeout_ms: 20_000 });
    made.keep({ stop: () => opened.close() });
    return { config: own, store: opened };
  };

  before(async () => {
    local = made.keep(await startLocalServices());
    ({ config, store } = open('hailmark'));
    await prepareStore(config, store, systemClock);
  });
  after(() => made.stop());

  it('takes its schema files once, and refuses one that has changed since', async () => {
    const files = readMigrations();
    const recorded = await store.rows<{ name: string; sha256: string }>(
      'SELECT name, sha256 FROM schema_migrations ORDER BY name',
    );
    assert.deepEqual(
      recorded,
      files.map(({ name, sha256 }) => ({ name, sha256 })),
    );
    const outside = createStore(config, { timeout_ms: 20_000, in_database: false });
    made.keep({ stop: () => outside.close() });
    await migrate(outside, store, 'hailmark');
    assert.equal((await store.rows('SELECT * FROM schema_migrations')).length, files.length);
    await store.command(
      "INSERT INTO schema_migrations (name, sha256, ran_at) SELECT '0003_observations', 'other', now64(3) + 1",
    );
    await store.command('OPTIMIZE TABLE schema_migrations FINAL');
    await assert.rejects(migrate(outside, store, 'hailmark'), (error: unknown) => {
      assert.ok(isHailmarkError(error, 'HAIL_SCHEMA_CHANGED'));
      assert.match(error.message, /0003_observations\.sql has changed/);
      return true;
    });
  });

  it('says of every column what it holds', async () => {
    const silent = await store.rows(
      "SELECT table, name FROM system.columns WHERE database = 'hailmark' AND comment = ''",
    );
    assert.deepEqual(silent, []);
    const [engine] = await store.rows("SELECT engine FROM system.databases WHERE name = 'hailmark'");
    assert.deepEqual(engine, { engine: 'Atomic' });
  });

  it('takes a batch as one block, however large, and forgets no block as a duplicate', async () => {
    const [draft] = radarDrafts();
    assert.ok(draft);
    const rows = Array.from({ length: 70_000 }, (_, offset) => {
      const fact = { ...draft, record_key: `r${offset}`, lat: 30 + (offset % 900) / 100, supersedes: [] };
      return changeOf(fact, { partition: 0, offset }).rows;
    }).flat();
    await store.command('SYSTEM STOP MERGES observations_v1');
    const parts = async (): Promise<number> => {
      const [row] = await store.rows<{ parts: string | number }>(
        "SELECT count() AS parts FROM system.parts WHERE active AND database = 'hailmark' AND table = 'observations_v1'",
      );
      return Number(row?.parts);
    };
    const block = encodeBlock(observationColumns, rows);
    await store.insertBlock('observations_v1', block);
    assert.equal(await parts(), 1);
    await store.insertBlock('observations_v1', block);
    assert.equal(await parts(), 2);
    const [count] = await store.rows<{ n: string | number }>(
      'SELECT count() AS n FROM observations_v1 FINAL',
    );
    assert.equal(Number(count?.n), 70_000);
    await store.command('TRUNCATE TABLE observations_v1');
    await store.command('SYSTEM START MERGES observations_v1');
  });

  it('gives back what was put in, exactly, in the window and the cells asked for', async () => {
    const projection = observationsProjection(1);
    const drafts = radarDrafts();
    const changes = drafts.map((draft, offset) =>
      changeOf({ ...draft, supersedes: [] }, { partition: 0, offset }),
    );
    const { rows } = projection.batch(changes);
    assert.ok(rows);
    await store.insertBlock(rows.table, rows.block);
    const [first] = drafts;
    assert.ok(first && first.lat !== null && first.lon !== null && first.began_at !== null);
    const cells = cellsWithin(first.lat, first.lon, 40_000);
    const read = await readObservations(store, {
      ...{ table: 'observations_v1', cells },
      from_ms: first.began_at,
      until_ms: first.began_at + 60_000,
      mrms_product: 'MESH_Max_60min',
    });
    const expected = drafts.filter(
      ({ began_at, lat, lon }) =>
        began_at !== null &&
        lat !== null &&
        lon !== null &&
        began_at >= (first.began_at ?? 0) &&
        began_at < (first.began_at ?? 0) + 60_000 &&
        cells.includes(cellOf(lat, lon)),
    );
    assert.ok(expected.length > 0);
    assert.deepEqual(
      read.sort((a, b) => (a.record_key < b.record_key ? -1 : 1)),
      expected
        .map(({ record_key, record_id, began_at, ended_at, lat, lon, size_in, evidence }) => ({
          ...{
            publisher: 'NEXRAD_SWDI',
            record_key,
            record_id,
            began_ms: began_at,
            ended_ms: ended_at,
            lat,
            lon,
            size_in,
            size_tenths_mm: null,
            sevprob: evidence.sevprob,
          },
        }))
        .sort((a, b) => (a.record_key < b.record_key ? -1 : 1)),
    );
    assert.deepEqual(
      await readObservations(store, {
        ...{ table: 'observations_v1', cells: [], mrms_product: null },
        ...{ from_ms: 0, until_ms: 1 },
      }),
      [],
    );
  });

  it('gives back the cells of the one product that is asked for, beside every record that is no cell', async () => {
    const example = 'hail.grid.v1/valid/ten-largest-cells-of-2026-06-10T21-30-40Z.json';
    const granule = JSON.parse(
      readFileSync(join(import.meta.dirname, '../../../schemas/avro/examples', example), 'utf8'),
    ) as GridFact;
    const [draft] = radarDrafts();
    assert.ok(draft);
    // Around the granule's largest cell. NOT REAL: the radar's record there, and the same cells as of another product.
    const { began_at } = granule;
    const report = { ...draft, began_at, ended_at: began_at, lat: 31.36, lon: -103.59, supersedes: [] };
    const hourly = { ...granule, product: 'MESH_Max_60min' };
    const rows = [
      ...changeOf(report, { partition: 0, offset: 0 }).rows,
      ...[granule, hourly].flatMap((fact, offset) => gridRows(fact, { partition: 0, offset })),
    ];
    await store.command('TRUNCATE TABLE observations_v1');
    await store.insertBlock('observations_v1', encodeBlock(observationColumns, rows));
    const read = async (mrms_product: string | null): Promise<string[]> => {
      const found = await readObservations(store, {
        ...{ table: 'observations_v1', cells: cellsWithin(31.355, -103.585, 1), mrms_product },
        ...{ from_ms: began_at, until_ms: began_at + 1 },
      });
      return found
        .filter(({ size_tenths_mm }) => size_tenths_mm === null || size_tenths_mm === 375)
        .map(({ record_key, lat, lon, size_in, size_tenths_mm, ended_ms }) =>
          [record_key.split('/')[0], lat, lon, size_in, size_tenths_mm, ended_ms - began_at].join(' '),
        )
        .sort();
    };
    const radar = `${draft.record_key.split('/')[0] ?? ''} 31.36 -103.59 ${draft.size_in ?? ''}  0`;
    const cell = '31.355 -103.585 1.48 375 120000';
    assert.deepEqual(await read('MESH'), [radar, `MESH ${cell}`]);
    assert.deepEqual(await read('MESH_Max_60min'), [radar, `MESH_Max_60min ${cell}`]);
    assert.deepEqual(await read('MESH_Max_1440min'), [radar]);
    assert.deepEqual(await read(null), [radar, `MESH ${cell}`, `MESH_Max_60min ${cell}`]);
  });

  it('finds cells by the primary key', async () => {
    const question = {
      ...{ table: 'observations_v1', cells: [123, 456], mrms_product: 'MESH' },
      ...{ from_ms: day, until_ms: day + day_ms },
    };
    const sql = observationsSql(question);
    assert.equal(
      sql,
      'SELECT publisher, record_key, record_id, toUnixTimestamp64Milli(occurred_at) AS began_ms,' +
        ' toUnixTimestamp64Milli(ended_at) AS ended_ms, lat, lon, size_in, size_tenths_mm, sevprob FROM observations_v1 FINAL' +
        ' WHERE cell IN (123,456)' +
        " AND occurred_at >= fromUnixTimestamp64Milli(toInt64(1787788800000), 'UTC')" +
        " AND occurred_at < fromUnixTimestamp64Milli(toInt64(1787875200000), 'UTC')" +
        " AND (publisher != 'MRMS_MESH' OR startsWith(record_key, concat({mrms_product:String}, '/')))",
    );
    const plan = await store.rows<{ explain: string }>(`EXPLAIN indexes = 1 ${sql}`, {
      mrms_product: 'MESH',
    });
    const text = plan.map(({ explain }) => explain.trim()).join('\n');
    assert.match(text, /PrimaryKey\n(Keys:\n)?cell\nCondition: \(cell in 2-element set\)/);
    assert.match(text, /Granules: 0\/\d+/);
  });

  it('tells what passes by itself from what does not, by code', async () => {
    await assert.rejects(store.rows('SELECT nonsense FROM observations_v1'), (error) => !isTransient(error));
    await assert.rejects(store.rows('SELECT sleep(3) SETTINGS max_execution_time = 0.1'), isTransient);
    await assert.rejects(store.insert('observations_v1', ['cell'], [[1n as unknown as number]]), TypeError);
    const nowhere = createStore({ ...config, CLICKHOUSE_URL: 'http://127.0.0.1:9' }, { timeout_ms: 1_000 });
    made.keep({ stop: () => nowhere.close() });
    await assert.rejects(nowhere.rows('SELECT 1'), isTransient);
    assert.equal(await nowhere.ping(), false);
  });

  it('claims freshness and coverage only for what can be queried', async () => {
    const { config: own, store: fresh } = open('freshness');
    await prepareStore(own, fresh, systemClock);
    const queryablePolls = createQueryablePolls();
    const projection = feedsProjection(1);
    const project = async (offset: number, end_offset: number, read_through: number): Promise<void> => {
      const fact = poll({ offsets: [{ topic, partition: 0, end_offset }], read_through });
      const outcome = projection.project('hail.feed-poll.v1', fact, fact.feed, {
        topic: '',
        partition: 0,
        offset,
      });
      assert.ok(outcome.outcome === 'ok');
      const { rows, others } = projection.batch([outcome.change]);
      for (const each of [rows, ...others])
        if (each !== null) await fresh.insert(each.table, each.columns, each.rows);
      const stands = { topic: 'hail.feed-poll.v1', partition: 0, log_id: 'log', next_offset: offset + 1 };
      await writePosition(fresh, 'feeds', 1, stands, 0);
    };
    const reach = (next_offset: number): Promise<void> =>
      writePosition(fresh, 'observations', 1, { topic, partition: 0, log_id: 'log', next_offset }, 0);
    const state = async (): Promise<unknown[]> => {
      const box = { west: -98.5, south: 29.5, east: -98, north: 30 };
      const question = { versions: serving, ...box, from_ms: day, until_ms: day + day_ms, mrms_product };
      const coverage = await readCoverage(fresh, queryablePolls, question);
      const [newest] = await newestQueryable(fresh, serving);
      return [
        await anythingRead(fresh, queryablePolls, serving, ['NEXRAD_SWDI']),
        coverage.get('NEXRAD_SWDI') ?? 'none',
        newest?.read_through_ms ?? null,
      ];
    };
    assert.deepEqual(await state(), [false, 'none', null]);
    await project(0, 12, day + day_ms);
    assert.deepEqual(await state(), [false, 'none', null]);
    await reach(11);
    assert.deepEqual(await state(), [false, 'none', null]);
    await reach(12);
    assert.deepEqual(await state(), [true, 'complete', day + day_ms]);
    // The same slice read again, not to be queried yet: the reading before goes on speaking for it.
    await project(1, 20, day + 2 * day_ms);
    await fresh.command('OPTIMIZE TABLE coverage_v1 FINAL');
    assert.deepEqual(await state(), [true, 'complete', day + day_ms]);
    await reach(20);
    assert.deepEqual(await state(), [true, 'complete', day + 2 * day_ms]);
  });

  it('counts coverage in time and place by whole slices laid end to end', async () => {
    const { config: own, store: covered } = open('coverage');
    await prepareStore(own, covered, systemClock);
    // What no poll has said does not count.
    for (const [feed, publisher] of [
      ['radar_hail', 'NEXRAD_SWDI'],
      ['mrms_mesh', 'MRMS_MESH'],
    ] as const)
      await covered.insert('feed_status_v1', feedStatusColumns, [
        feedStatusValues({
          ...{ feed, publisher, log_partition: 0, revision: 0, mode: 'live', asked: '', outcome: 'read' },
          ...{ began_at: day, ended_at: day, reason: '', detail: '', read_through: day, end_offsets: [] },
          ...{ records: 0, published: 0, withdrawn: 0, held: 0 },
        }),
      ]);
    const cover = (from: number, until: number, more: Partial<CoverageRow> = {}): Promise<void> =>
      covered.insert('coverage_v1', coverageColumns, [
        coverageValues({
          ...{ feed: 'radar_hail', slice: `${from}-${until}`, publisher: 'NEXRAD_SWDI' },
          ...{ covers_from: day + from * day_ms, covers_until: day + until * day_ms },
          ...{ west: -100, south: 25, east: -95, north: 35, records: 0, publisher_version: '' },
          ...{ read_at: day, revision: 0 },
          ...more,
        }),
      ]);
    const ask = async (
      from: number,
      until: number,
      west = -98,
      publisher = 'NEXRAD_SWDI',
    ): Promise<string> => {
      const box = { west, south: 29, east: -97, north: 30 };
      const window = { from_ms: day + from * day_ms, until_ms: day + until * day_ms };
      const question = { versions: serving, ...box, ...window, mrms_product };
      return (await readCoverage(covered, createQueryablePolls(), question)).get(publisher) ?? 'none';
    };
    await cover(0, 1);
    await cover(1, 2);
    await cover(3, 4);
    assert.deepEqual(
      [
        await ask(0, 2),
        await ask(0, 1),
        await ask(0, 3),
        await ask(0, 4),
        await ask(2, 3),
        await ask(0, 2, -101),
      ],
      ['complete', 'complete', 'partial', 'partial', 'none', 'none'],
    );
    await cover(2, 3, { west: null, south: null, east: null, north: null });
    assert.equal(await ask(0, 4), 'complete');
    // Granules of a product that answers are not made of prove nothing for them.
    await cover(5, 6, { feed: 'mrms_mesh', publisher: 'MRMS_MESH', slice: 'MESH/2026-08-30T00:00:00Z' });
    assert.equal(await ask(5, 6, -98, 'MRMS_MESH'), 'none');
    await cover(5, 6, {
      feed: 'mrms_mesh',
      publisher: 'MRMS_MESH',
      slice: `${mrms_product}/2026-08-30T00:00:00Z`,
    });
    assert.equal(await ask(5, 6, -98, 'MRMS_MESH'), 'complete');
  });

  it('keeps every poll of a feed, in order, and health asks for live ones that prove something', async () => {
    const { config: own, store: polls } = open('polls');
    await prepareStore(own, polls, systemClock);
    const status = (revision: number, mode: string, read_through: number | null): Promise<void> =>
      polls.insert('feed_status_v1', feedStatusColumns, [
        feedStatusValues({
          ...{ feed: 'radar_hail', log_partition: 0, revision, publisher: 'NEXRAD_SWDI', mode, asked: '' },
          ...{ began_at: day, ended_at: day, outcome: 'read', reason: '', detail: '', read_through },
          ...{ records: 0, published: 0, withdrawn: 0, held: 0, end_offsets: [] },
        }),
      ]);
    await status(1, 'live', day);
    await status(2, 'backfill', day + 5);
    await status(3, 'live', null);
    assert.deepEqual(await newestQueryable(polls, { feeds: 1, observations: 1 }), [
      { feed: 'radar_hail', read_through_ms: day },
    ]);
  });
});
