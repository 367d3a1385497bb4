import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { after, before, describe, it } from 'node:test';
import { ClickHouseError, ClickHouseLogLevel, createClient, type ClickHouseClient } from '@clickhouse/client';
import { startLocalServices, type LocalServices } from '../support/local-services.ts';

describe('the ClickHouse gateway before a stock client', () => {
  let local: LocalServices;
  let client: ClickHouseClient;

  before(async () => {
    local = await startLocalServices();
    client = createClient({
      url: local.clickhouse_url,
      compression: { request: true, response: true },
      log: { level: ClickHouseLogLevel.OFF },
    });
    await client.command({ query: 'CREATE DATABASE IF NOT EXISTS hm ENGINE = Atomic' });
  });
  after(async () => {
    await client.close();
    await local.stop();
  });

  const rows = async <T>(
    query: string,
    rest: Partial<Parameters<ClickHouseClient['query']>[0]> = {},
  ): Promise<T[]> => {
    const result = await client.query({ query, ...rest, format: 'JSONEachRow' });
    return result.json<T>();
  };
  const raw = (query: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`${local.clickhouse_url}/?${query}`, init);

  it('pings, answers and binds typed parameters', async () => {
    assert.equal((await client.ping()).success, true);
    const [row] = await rows(
      'SELECT {n:UInt32} * 2 AS n, {s:String} AS s, {a:Array(String)} AS a, {d:DateTime} AS d',
      {
        query_params: {
          n: 21,
          s: `it's a \\ "q"\n\ttab`,
          a: ["x'y", 'z'],
          d: new Date('2026-08-29T01:08:12Z'),
        },
      },
    );
    assert.deepEqual(row, { n: 42, s: `it's a \\ "q"\n\ttab`, a: ["x'y", 'z'], d: '2026-08-29 01:08:12' });
  });

  it('says how many rows an answer has, without which JDBC takes it for empty', async () => {
    const summary = async (sql: string): Promise<unknown> => {
      const response = await raw('', { method: 'POST', body: sql });
      return JSON.parse(response.headers.get('x-clickhouse-summary') ?? 'null');
    };
    const written = { written_rows: '0', written_bytes: '0' };
    assert.deepEqual(await summary('SELECT number FROM numbers(1000) WHERE number >= 997'), {
      ...{ result_rows: '3', result_bytes: '24', ...written },
    });
  });

  it('takes rows, streams them back whole, and long parameter lists in the body', async () => {
    await client.command({ query: 'CREATE TABLE hm.t (n UInt64, s String) ENGINE = MergeTree ORDER BY n' });
    const values = Array.from({ length: 50_000 }, (_, n) => ({ n, s: `row ${n}` }));
    await client.insert({ table: 'hm.t', values, format: 'JSONEachRow' });
    const result = await client.query({ query: 'SELECT n, s FROM hm.t ORDER BY n', format: 'JSONEachRow' });
    let seen = 0;
    for await (const page of result.stream<{ n: number; s: string }>()) {
      for (const line of page) {
        const row = line.json();
        assert.deepEqual(row, values[seen]);
        seen += 1;
      }
    }
    assert.equal(seen, values.length);
    const wanted = Array.from({ length: 20_000 }, (_, at) => at * 2);
    const [counted] = await rows<{ c: number }>(
      'SELECT count() AS c FROM hm.t WHERE n IN {list:Array(UInt64)}',
      {
        query_params: { list: wanted },
      },
    );
    assert.equal(Number(counted?.c), 20_000);
  });

  it('keeps whole documents whole', async () => {
    const result = await client.query({ query: 'SELECT number FROM numbers(200000)', format: 'JSON' });
    const document = await result.json<{ number: number }>();
    assert.equal(document.data.length, 200_000);
    const csv = await (
      await raw(`query=${encodeURIComponent('SELECT number FROM numbers(200000) FORMAT CSVWithNames')}`)
    ).text();
    assert.equal(csv.match(/number/g)?.length, 1);
  });

  it('carries every byte of a binary format both ways', async () => {
    const select =
      "SELECT toUInt64(number + 1000000) AS n, concat('\\0\\n', toString(number)) AS s FROM numbers(1000)";
    for (const format of ['Native', 'RowBinary', 'Parquet', 'Arrow']) {
      const bytes = Buffer.from(
        await (await raw('', { method: 'POST', body: `${select} FORMAT ${format}` })).arrayBuffer(),
      );
      await client.command({
        query: 'CREATE OR REPLACE TABLE hm.b (n UInt64, s String) ENGINE = MergeTree ORDER BY n',
      });
      const inserted = await raw(`query=${encodeURIComponent(`INSERT INTO hm.b FORMAT ${format}`)}`, {
        method: 'POST',
        body: gzipSync(bytes),
        headers: { 'Content-Encoding': 'gzip' },
      });
      assert.equal(inserted.status, 200, await inserted.text());
      const [row] = await rows('SELECT count() AS c, min(n) AS n, sum(length(s)) AS l FROM hm.b');
      assert.deepEqual(row, { c: 1000, n: 1_000_000, l: 4_890 }, format);
    }
  });

  it('takes an insert whose data follow the statement in the body', async () => {
    await client.command({
      query: 'CREATE OR REPLACE TABLE hm.b (n UInt64, s String) ENGINE = MergeTree ORDER BY n',
    });
    const answer = await raw('', {
      method: 'POST',
      body: 'INSERT INTO hm.b FORMAT JSONEachRow\n{"n":1,"s":"ü"}\n{"n":2,"s":"b"}',
    });
    assert.equal(answer.status, 200, await answer.text());
    await client.command({ query: "INSERT INTO hm.b VALUES (3, 'c')" });
    assert.deepEqual(await rows('SELECT n, s FROM hm.b ORDER BY n'), [
      { n: 1, s: 'ü' },
      { n: 2, s: 'b' },
      { n: 3, s: 'c' },
    ]);
  });

  it('gives ClickHouse errors with their code and status', async () => {
    await assert.rejects(
      rows('SELECT * FROM hm.nothing'),
      (error) => error instanceof ClickHouseError && error.code === '60',
    );
    await assert.rejects(rows('SELEC 1'), (error) => error instanceof ClickHouseError && error.code === '62');
    await assert.rejects(
      rows('SELECT 1', { clickhouse_settings: { no_such_setting: 1 } }),
      (error) => error instanceof ClickHouseError && error.code === '115',
    );
    const answer = await raw(`query=${encodeURIComponent('SELECT * FROM hm.nothing')}`);
    assert.equal(answer.status, 404);
    assert.equal(answer.headers.get('x-clickhouse-exception-code'), '60');
    assert.match(await answer.text(), /^Code: 60\. DB::Exception: /);
  });

  it('reports an exception that comes after the first rows', async () => {
    const late =
      'SELECT throwIf(number = 3000000) AS t FROM numbers(4000000) SETTINGS max_block_size = 10000';
    await assert.rejects(rows(late), (error) => error instanceof ClickHouseError && error.code === '395');
  });

  it('never lets a setting of one request reach another', async () => {
    const own = await rows("SELECT getSetting('max_block_size') AS n", {
      clickhouse_settings: { max_block_size: '123' },
    });
    assert.deepEqual(own, [{ n: 123 }]);
    const others = await Promise.all(
      Array.from({ length: 40 }, (_, at) =>
        rows<{ n: number }>("SELECT getSetting('max_block_size') AS n", {
          clickhouse_settings: at % 2 === 0 ? { max_block_size: '77' } : {},
        }),
      ),
    );
    others.forEach(([row], at) => assert.equal(row?.n === 77, at % 2 === 0));
  });

  it('gives back the query id, and reads only on GET', async () => {
    const { query_id } = await client.query({ query: 'SELECT 1', query_id: 'mine-1' });
    assert.equal(query_id, 'mine-1');
    const write = await raw(`query=${encodeURIComponent('CREATE TABLE hm.no (n UInt8) ENGINE = Memory')}`);
    assert.equal(write.headers.get('x-clickhouse-exception-code'), '164');
  });

  it('runs queries side by side and answers pings meanwhile', async () => {
    let ended = 0;
    const slow = Promise.all(
      Array.from({ length: 4 }, () => rows('SELECT sleep(2.5)').finally(() => (ended += 1))),
    );
    assert.equal((await client.ping()).success, true);
    assert.equal(ended, 0, 'the ping waited for a query');
    await slow;
  });

  it('keeps people apart: they read, within limits they cannot move', async () => {
    const person = (query: string, settings = ''): Promise<Response> =>
      raw(`user=ann&query=${encodeURIComponent(query)}${settings}`, { method: 'POST' });
    assert.equal((await (await person('SELECT count() FROM hm.t')).text()).trim(), '50000');
    for (const query of [
      'DROP TABLE hm.t',
      "INSERT INTO hm.t VALUES (1, '')",
      "SELECT * FROM file('/etc/passwd', LineAsString)",
    ]) {
      assert.equal((await person(query)).headers.get('x-clickhouse-exception-code'), '164', query);
    }
    assert.equal(
      (await person('SELECT 1', '&max_memory_usage=0')).headers.get('x-clickhouse-exception-code'),
      '452',
    );
    const large = await person('SELECT number FROM numbers(2000000) FORMAT JSONCompact');
    assert.equal(large.headers.get('x-clickhouse-exception-code'), '396');
  });

  it('refuses a request past its size', async () => {
    const huge = Buffer.alloc(300 * 1024 * 1024, 0x20);
    const answer = await raw(`query=${encodeURIComponent('INSERT INTO hm.t FORMAT CSV')}`, {
      method: 'POST',
      body: gzipSync(huge, { level: 1 }),
      headers: { 'Content-Encoding': 'gzip' },
    });
    assert.equal(answer.status, 413);
  });
});

describe('the ClickHouse gateway killed', () => {
  it('keeps every acknowledged insert', async () => {
    const local = await startLocalServices();
    const client = createClient({ url: local.clickhouse_url, log: { level: ClickHouseLogLevel.OFF } });
    await client.command({ query: 'CREATE DATABASE hm ENGINE = Atomic' });
    await client.command({ query: 'CREATE TABLE hm.k (n UInt64) ENGINE = MergeTree ORDER BY n' });
    let acknowledged = 0;
    const writing = (async () => {
      for (let n = 0; ; n += 1) {
        await client.insert({ table: 'hm.k', values: [{ n }], format: 'JSONEachRow' });
        acknowledged = n + 1;
        if (acknowledged === 30) void local.kill9();
      }
    })();
    await assert.rejects(writing);
    await client.close();

    const again = await startLocalServices({ data_dir: local.data_dir });
    const reader = createClient({ url: again.clickhouse_url });
    const result = await reader.query({
      query: `SELECT count() AS c FROM hm.k WHERE n < ${acknowledged}`,
      format: 'JSONEachRow',
    });
    assert.deepEqual(await result.json(), [{ c: acknowledged }]);
    await reader.close();
    await again.stop();
  });
});
