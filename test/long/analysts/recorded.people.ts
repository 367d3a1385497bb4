import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { attempts } from './attempts.ts';
import type { Recorded } from './recorded.ts';

/** Attempts of a person who should only read, on the local engine. */
export function whatAPersonCannotDo(on: () => Recorded): void {
  describe('a person', () => {
    it('cannot write, drop, read files or URLs, change limits or take all memory, and nothing is changed', async () => {
      const path = join(on().service.data_dir, 'logs/api.log');
      assert.ok(existsSync(path));
      const counts =
        "SELECT name, total_rows FROM system.tables WHERE database = 'hailmark' AND name IN ('observations_v1', 'api_keys_v1', 'schema_migrations') ORDER BY name";
      const before_all = await on().text(counts);
      const tried = attempts(path);
      assert.ok(tried.length >= 20);
      for (const { what, sql, settings, code } of tried) {
        const response = await on().ask(sql, settings);
        const body = await response.text();
        assert.equal(
          response.headers.get('x-clickhouse-exception-code'),
          String(code),
          `${what}: ${body.slice(0, 300)}`,
        );
        assert.ok(response.status >= 400, what);
      }
      assert.equal(await on().text(counts), before_all);
      assert.equal(
        await on().text("SELECT count() FROM system.tables WHERE database = 'hailmark' AND name = 'mine'"),
        '0',
      );
      assert.equal(existsSync(`${path}.taken`), false);
      assert.equal(
        await on().text(
          "SELECT getSetting('max_execution_time'), getSetting('max_memory_usage'), getSetting('readonly')",
        ),
        '30\t1000000000\t1',
      );
    });

    it('finds no key and no hash of one, in any table or view', async () => {
      const { key } = on().service;
      const needles = { key, secret: key.slice(-24), hash: createHash('sha256').update(key).digest('hex') };
      const tables = (
        await on().text(
          "SELECT name FROM system.tables WHERE database = 'hailmark' AND name NOT IN ('hail_near', 'hail_cells')",
        )
      ).split('\n');
      assert.ok(tables.includes('api_keys_v1') && tables.includes('usage_daily'));
      let rows = 0;
      for (const table of tables) {
        const found = await on().text(
          `SELECT countIf(multiSearchAny(toJSONString(tuple(*)), {needles:Array(String)})), count() FROM ${table}`,
          { param_needles: `['${Object.values(needles).join("','")}']` },
        );
        const [with_needle, of] = found.split('\t');
        assert.equal(with_needle, '0', table);
        rows += Number(of);
      }
      assert.ok(rows > 100_000);
      // The search itself finds what is there.
      assert.equal(
        await on().text(
          'SELECT countIf(multiSearchAny(toJSONString(tuple(*)), [{id:String}])) FROM api_keys_v1 FINAL',
          { param_id: key.slice(8, 16) },
        ),
        '1',
      );
    });
  });
}
