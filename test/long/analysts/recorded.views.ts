import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sourceOf } from '../../../services/hail/citation.ts';
import { distanceMiles } from '../../../services/hail/geo/distance.ts';
import { microToDegrees } from '../../../services/hail/geo/place.ts';
import { isCitingPublisher } from '../../../services/hail/publisher.ts';
import { pause } from '../../../services/runtime/clock.ts';
import type { Recorded } from './recorded.ts';

/** Views of the recorded data, held against the code that makes answers of the same rows. */
export function viewsBesideTheService(on: () => Recorded): void {
  describe('the views beside the code of the service', () => {
    it('hail_near measures as answers do, and has nothing that lies outside nor misses what lies inside', async () => {
      const all = await on().store.rows<{ key: string; lat: number; lon: number }>(
        `SELECT concat(publisher, ' ', record_key, ' ', toString(lat), ' ', toString(lon), ' ', toString(occurred_at)) AS key, lat, lon
         FROM observations_v1 FINAL`,
      );
      assert.ok(all.length > 50_000);
      const places = [
        ...[
          [29.2263, -98.6578, 5],
          [35.5, -97.5, 25],
          [33.75, -101.25, 60],
          [39.1, -94.58, 3],
          [45, -90, 100],
        ],
        // Where records stand: of several at one place all lie at distance 0.
        ...[7, 20_011, 40_231].map((at) => [
          microToDegrees(all[at]?.lat ?? 0),
          microToDegrees(all[at]?.lon ?? 0),
          10,
        ]),
      ] as [number, number, number][];
      for (const [lat, lon, radius_mi] of places) {
        const inside = new Map(
          all
            .map((row) => [row.key, distanceMiles(lat, lon, row.lat / 1e6, row.lon / 1e6)] as const)
            .filter(([, miles]) => miles <= radius_mi),
        );
        const near = await on().store.rows<{ key: string; miles: number }>(
          `SELECT concat(publisher, ' ', record_key, ' ', toString(toInt32(round(lat * 1e6))), ' ', toString(toInt32(round(lon * 1e6))), ' ',
                         toString(occurred_at)) AS key, distance_mi AS miles
           FROM hail_near(lat = {lat:Float64}, lon = {lon:Float64}, radius_mi = {radius_mi:Float64})`,
          { lat, lon, radius_mi },
        );
        const where = `${lat} ${lon} ${radius_mi}`;
        assert.deepEqual(near.map(({ key }) => key).sort(), [...inside.keys()].sort(), where);
        assert.ok(near.length > 0, where);
        for (const { key, miles } of near)
          assert.ok(Math.abs(miles - (inside.get(key) ?? NaN)) <= 5e-10, `${where} ${key}`);
      }
    });

    it('hail_near and a condition on cell read a few granules of the table', async () => {
      for (const from of [
        'hail_near(lat = 29.2263, lon = -98.6578, radius_mi = 5)',
        'hail_days WHERE cell IN (SELECT cell FROM hail_cells(lat = 29.2263, lon = -98.6578, radius_mi = 5))',
      ]) {
        const plan = await on().text(`EXPLAIN indexes = 1 SELECT * FROM ${from} FORMAT TabSeparatedRaw`);
        const [, read, of] = /Granules: (\d+)\/(\d+)/.exec(plan) ?? [];
        assert.ok(Number(of) > 100 && Number(read) < Number(of) / 10, plan);
      }
    });

    it('citations name every record once, with the URL of answers and the document it was read from', async () => {
      const rows = await on().store.rows<
        Record<'publisher' | 'record_id' | 'record_key' | 'sha256', string> & {
          began_ms: string | number;
          lat: number;
          lon: number;
        }
      >(
        `SELECT publisher, record_id, record_key, document_sha256 AS sha256, toUnixTimestamp64Milli(occurred_at) AS began_ms, lat, lon
         FROM observations_v1 FINAL LIMIT 1 BY publisher, record_key`,
      );
      const expected = rows.map(({ publisher, record_id, record_key, began_ms, lat, lon, sha256 }) => {
        assert.ok(isCitingPublisher(publisher));
        const place = { lat: microToDegrees(lat), lon: microToDegrees(lon) };
        const { url = '' } = sourceOf({ publisher, record_id, began_ms: Number(began_ms), ...place });
        return [publisher, record_key, url, sha256].join(' ');
      });
      const cited = await on().store.rows<{ line: string }>(
        "SELECT concat(publisher, ' ', record_key, ' ', url, ' ', document_sha256) AS line FROM citations",
      );
      assert.equal(new Set(rows.map(({ publisher }) => publisher)).size, 4);
      assert.deepEqual(cited.map(({ line }) => line).sort(), expected.sort());
    });

    it('usage_daily counts what partners asked, and how it ended', async () => {
      const verify = (parameters: Record<string, string>): Promise<Response> =>
        on().service.get('/v1/property/verify', {
          address: '7360 E 6th St, Somerset, TX 78069',
          date_of_loss: '2026-08-28',
          ...parameters,
        });
      for (const [parameters, status] of [
        [{}, 200],
        [{ window_days: '2' }, 200],
        [{ window_days: '0' }, 400],
      ] as const)
        assert.equal((await verify(parameters)).status, status);
      const sql =
        'SELECT partner, sum(requests), sum(counted), sum(answered), sum(refused), max(places) FROM usage_daily GROUP BY partner';
      // The start made the key and tried it with a question that is refused.
      const expected = 'demo\t4\t4\t2\t2\t1';
      let used = await on().text(sql);
      for (let looked = 0; used !== expected && looked < 300; looked += 1) {
        await pause(100);
        used = await on().text(sql);
      }
      assert.equal(used, expected);
    });
  });
}
