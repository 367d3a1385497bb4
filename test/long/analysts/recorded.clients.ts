import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { ClickHouseLogLevel, createClient, type ClickHouseClient } from '@clickhouse/client';
import { pythonIsMissing, pythonWithPackages } from '../../foreign/python.ts';
import type { Recorded } from './recorded.ts';

const run = promisify(execFile);
const without_python = await pythonIsMissing();

/** Clients that others wrote, with their defaults, as a person. */
export function stockClients(on: () => Recorded): void {
  describe('stock clients', () => {
    it('curl: one question in any format', async () => {
      const sql =
        'SELECT publisher, size_in, occurred_at FROM hail_near(lat = 29.2263, lon = -98.6578, radius_mi = 10) ORDER BY occurred_at';
      const bytes = async (format: string): Promise<Buffer> =>
        Buffer.from(await (await on().ask(`${sql} FORMAT ${format}`)).arrayBuffer());
      assert.match(
        (await bytes('CSVWithNames')).toString(),
        /^"publisher","size_in","occurred_at"\n"NOAA_SED",/,
      );
      const json = JSON.parse((await bytes('JSON')).toString()) as { rows: number; data: unknown[] };
      assert.ok(json.rows > 0 && json.data.length === json.rows);
      const lines = (await bytes('JSONEachRow')).toString().trim().split('\n');
      assert.equal(lines.length, json.rows);
      const parquet = await bytes('Parquet');
      assert.deepEqual(
        [parquet.subarray(0, 4).toString(), parquet.subarray(-4).toString()],
        ['PAR1', 'PAR1'],
      );
      const arrow = await bytes('Arrow');
      assert.deepEqual(
        [arrow.subarray(0, 6).toString(), arrow.subarray(-6).toString()],
        ['ARROW1', 'ARROW1'],
      );
      assert.ok((await bytes('ArrowStream')).length > 0 && (await bytes('Native')).length > 0);
    });

    it('@clickhouse/client: streams rows, binds parameters, keeps a session id to itself', async () => {
      const client: ClickHouseClient = createClient({
        url: on().service.clickhouse_url,
        username: 'ann',
        database: 'hailmark',
        session_id: 'a-notebook',
        log: { level: ClickHouseLogLevel.OFF },
      });
      try {
        const result = await client.query({
          query: 'SELECT * FROM observations WHERE publisher = {publisher:String}',
          query_params: { publisher: 'NOAA_SED' },
          format: 'JSONEachRow',
        });
        let rows = 0;
        for await (const page of result.stream<{ geohash: string }>()) {
          for (const row of page)
            assert.match(row.json<{ geohash: string }>().geohash, /^[0-9b-hjkmnp-z]{5}$/);
          rows += page.length;
        }
        assert.equal(
          String(rows),
          await on().text("SELECT count() FROM observations WHERE publisher = 'NOAA_SED'"),
        );
        await assert.rejects(client.command({ query: 'DROP VIEW hail_near' }), { code: '164' });
      } finally {
        await client.close();
      }
    });

    it(
      'clickhouse-connect: data frames and Arrow tables with its defaults',
      { skip: without_python },
      async () => {
        const { hostname, port } = new URL(on().service.clickhouse_url);
        const { stdout } = await run(await pythonWithPackages('requirements-analysts.txt'), [
          join(import.meta.dirname, '../../foreign/analysts.py'),
          ...[hostname, port, 'ann', 'hailmark'],
        ]);
        const read = JSON.parse(stdout) as Record<string, unknown> & {
          near: { rows: number; types: Record<string, string>; largest_in: number; nearest: string };
        };
        const near = 'hail_near(lat = 29.2263, lon = -98.6578, radius_mi = 10)';
        const { types, ...frame } = read.near;
        assert.equal(
          [frame.rows, frame.largest_in, frame.nearest].join('\t'),
          await on().text(
            `SELECT count(), max(size_in), argMin(record_id, (distance_mi, record_id)) FROM ${near}`,
          ),
        );
        assert.equal(types['distance_mi'], 'float64');
        assert.match(types['occurred_at'] ?? '', /^datetime64/);
        assert.deepEqual(
          { ...read, near: null },
          {
            near: null,
            bound: Number(
              await on().text(
                "SELECT count() FROM observations WHERE occurred_at >= '2026-01-01' AND publisher IN ('NEXRAD_SWDI', 'COCORAHS')",
              ),
            ),
            arrow: {
              rows: Number(
                await on().text("SELECT count() FROM observations WHERE publisher = 'NEXRAD_SWDI'"),
              ),
              columns: 23,
            },
            frame_of_arrow: [8, 8, 8, 8, 8],
            streamed: Number(await on().text('SELECT count() FROM citations')),
            parquet: 'PAR1',
          },
        );
      },
    );
  });
}
