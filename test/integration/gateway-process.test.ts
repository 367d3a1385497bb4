import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ClickHouseLogLevel, createClient, type ClickHouseClient } from '@clickhouse/client';
import { startLocalServices, temporaryFolder, type LocalServices } from '../support/local-services.ts';

const main = resolve(import.meta.dirname, '../../infra/local/main.ts');

/** Runs the process until it ends by itself. */
function ended(environment: Record<string, string>): Promise<{ exit_code: number | null; words: string }> {
  return new Promise((done) => {
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main], {
      env: { ...process.env, CLICKHOUSE_PORT: '0', REGISTRY_PORT: '0', LOCAL_OPS_PORT: '0', ...environment },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let words = '';
    child.stderr.on('data', (bytes: Buffer) => (words += bytes.toString()));
    child.once('close', (exit_code) => done({ exit_code, words }));
  });
}

describe('the local engine and registry as a process', () => {
  let local: LocalServices;
  let client: ClickHouseClient;
  const spare = temporaryFolder();

  before(async () => {
    local = await startLocalServices();
    client = createClient({
      url: local.clickhouse_url,
      max_open_connections: 20,
      log: { level: ClickHouseLogLevel.OFF },
    });
    await client.command({ query: 'CREATE DATABASE hm ENGINE = Atomic' });
  });
  after(async () => {
    await client.close();
    await local.stop();
    rmSync(spare, { recursive: true, force: true });
  });

  const numbers = async (query: string): Promise<number[]> => {
    const result = await client.query({ query, format: 'JSONCompactEachRow' });
    return (await result.json<string[]>()).flat().map(Number);
  };

  it('shows an insert to readers whole or not at all', async () => {
    await client.command({
      query: 'CREATE TABLE hm.whole (n UInt64, batch UInt32) ENGINE = MergeTree ORDER BY n',
    });
    const size = 100_000;
    const writer = { done: false };
    const seen = new Set<number>();
    const reader = (async () => {
      while (!writer.done) {
        const [count = -1] = await numbers('SELECT count() FROM hm.whole');
        assert.equal(count % size, 0, `a reader saw ${count} rows`);
        seen.add(count);
      }
    })();
    for (let batch = 0; batch < 4; batch += 1) {
      await client.insert({
        table: 'hm.whole',
        values: Array.from({ length: size }, (_, n) => [n, batch]),
        format: 'JSONCompactEachRow',
        clickhouse_settings: {
          async_insert: 0,
          input_format_parallel_parsing: 0,
          max_insert_block_size: '1000000',
          min_insert_block_size_rows: '1000000',
          min_insert_block_size_bytes: '1000000000',
        },
      });
    }
    writer.done = true;
    await reader;
    assert.ok(seen.size > 1, 'the reader never ran beside the writer');
    const parts = await numbers(
      "SELECT rows FROM system.parts WHERE database = 'hm' AND table = 'whole' AND level = 0 ORDER BY rows",
    );
    assert.ok(
      parts.every((rows) => rows === size),
      `parts of ${parts.join(', ')} rows`,
    );
  });

  it('says in one sentence that another process holds the folder, and leaves that one alone', async () => {
    const { exit_code, words } = await ended({ HAILMARK_DATA_DIR: local.data_dir });
    assert.equal(exit_code, 1);
    // The engine's library writes a line of its own to standard error first, which cannot be turned off.
    assert.match(words, /^The engine cannot open its data folder .*another process holds it.*\n$/m);
    assert.deepEqual(await numbers('SELECT count() FROM hm.whole'), [400_000]);
  });

  it('says in one sentence that a port is in use', async () => {
    const { exit_code, words } = await ended({
      HAILMARK_DATA_DIR: spare,
      CLICKHOUSE_PORT: new URL(local.clickhouse_url).port,
    });
    assert.equal(exit_code, 1);
    assert.match(words, /^Port \d+ is in use: .*CLICKHOUSE_PORT.*\n$/);
  });

  it('says in one sentence that the data folder cannot be made', async () => {
    const file = join(spare, 'a-file');
    writeFileSync(file, '');
    const { exit_code, words } = await ended({ HAILMARK_DATA_DIR: file });
    assert.equal(exit_code, 1);
    assert.match(words, /^The data folder .* cannot be written .*\n$/);
  });

  it('keeps no setting of one request for the next, on any connection', async () => {
    const [usual = 0] = await numbers("SELECT getSetting('max_block_size')");
    await Promise.all(
      Array.from({ length: 60 }, async (_, at) => {
        const own = at % 3 === 0;
        const result = await client.query({
          query: "SELECT getSetting('max_block_size') AS n, {at:UInt32} AS at",
          query_params: { at },
          clickhouse_settings: own ? { max_block_size: String(1000 + at) } : {},
          format: 'JSONEachRow',
        });
        assert.deepEqual(await result.json(), [{ n: own ? 1000 + at : usual, at }]);
      }),
    );
    await assert.rejects(
      client.query({ query: 'SELECT {at:UInt32}' }),
      (error) => error instanceof Error && 'code' in error && error.code === '456',
    );
  });

  it('stops on request while a query runs', async () => {
    const other = await startLocalServices();
    const running = fetch(other.clickhouse_url, { method: 'POST', body: 'SELECT sleep(2)' }).catch(
      () => null,
    );
    await fetch(`${other.clickhouse_url}/ping`);
    // In vain it would be waited for, and said so.
    await other.stop();
    await running;
  });
});
