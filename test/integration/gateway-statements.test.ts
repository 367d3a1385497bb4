import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { ClickHouseLogLevel, createClient, type ClickHouseClient } from '@clickhouse/client';
import { startLocalServices, type LocalServices } from '../support/local-services.ts';

describe('what the gateway takes for one statement', () => {
  let local: LocalServices;
  let client: ClickHouseClient;

  before(async () => {
    local = await startLocalServices();
    client = createClient({ url: local.clickhouse_url, log: { level: ClickHouseLogLevel.OFF } });
    await client.command({ query: 'CREATE DATABASE hm ENGINE = Atomic' });
  });
  after(async () => {
    await client.close();
    await local.stop();
  });

  /** `query` in the URL where given, `body` as the body; other URL parameters as they are. */
  const ask = (
    query: string | null,
    body: Exclude<RequestInit['body'], undefined> = null,
    rest: Record<string, string> = {},
    headers: Record<string, string> = {},
  ): Promise<Response> => {
    const parameters = new URLSearchParams({ ...(query === null ? {} : { query }), ...rest });
    return fetch(`${local.clickhouse_url}/?${parameters.toString()}`, { method: 'POST', body, headers });
  };
  const text = async (query: string): Promise<string> => (await (await ask(null, query)).text()).trimEnd();
  const code = (response: Response): string | null => response.headers.get('x-clickhouse-exception-code');
  const emptyTable = async (): Promise<void> => {
    await text('CREATE OR REPLACE TABLE hm.t (n UInt64, s String) ENGINE = MergeTree ORDER BY n');
  };

  it('stores rows on both sides of an empty line, and runs nothing that stands after one', async () => {
    const rows = '{"n":1,"s":"a"}\n\n{"n":2,"s":"b"}\n';
    const insert = 'INSERT INTO hm.t FORMAT JSONEachRow';
    for (const [query, body] of [
      [insert, rows],
      [null, `${insert}\n${rows}`],
      [`${insert}\n${rows}`, null],
      [insert.replace('INTO', '/* where */ INTO TABLE'), rows],
    ] as const) {
      await emptyTable();
      assert.equal((await ask(query, body)).status, 200);
      assert.equal(await text('SELECT groupArray(n) FROM hm.t'), '[1,2]');
    }
    const smuggled = `${insert}\n{"n":3,"s":"c"}\n\nCREATE TABLE hm.smuggled (n UInt8) ENGINE = Memory`;
    assert.equal(code(await ask(null, smuggled)), '27');
    assert.equal(await text('EXISTS hm.smuggled'), '0');
  });

  it('keeps an empty line inside binary values', async () => {
    for (const format of ['Native', 'RowBinary', 'Parquet', 'ArrowStream']) {
      await emptyTable();
      const select = `SELECT toUInt64(number + 10) AS n, '\\n\\n;x' AS s FROM numbers(5000) FORMAT ${format}`;
      const bytes = await (await ask(null, select)).arrayBuffer();
      assert.ok(Buffer.from(bytes).includes('\n\n'));
      assert.equal((await ask(`INSERT INTO hm.t FORMAT ${format}`, bytes)).status, 200, format);
      assert.equal(
        await text("SELECT count(), uniqExact(n), countIf(s = '\\n\\n;x') FROM hm.t"),
        '5000\t5000\t5000',
      );
    }
  });

  it('refuses a second statement and does not run it', async () => {
    await emptyTable();
    for (const query of ['SELECT 1', "INSERT INTO hm.t VALUES (1, 'a')", 'SHOW TABLES FROM hm']) {
      const answer = await ask(null, `${query}; CREATE TABLE hm.second (n UInt8) ENGINE = Memory`);
      assert.equal(code(answer), '62', query);
    }
    assert.equal(await text('EXISTS hm.second'), '0');
    assert.equal(await text("SELECT ';', 1; -- and a comment"), ';\t1');
  });

  it('is not misled by words that are data or names', async () => {
    await emptyTable();
    assert.equal(
      (await ask(null, "INSERT INTO hm.t VALUES (1, 'the format is good\n\n; values')")).status,
      200,
    );
    assert.equal(await text('SELECT count() FROM hm.t'), '1');
    await text('CREATE TABLE hm.format (format UInt8, settings UInt8) ENGINE = Memory');
    assert.equal((await ask('INSERT INTO hm.format (format, settings) FORMAT CSV', '7,8\n')).status, 200);
    assert.equal(await text('SELECT format FROM hm.format'), '7');
    await text("INSERT INTO hm.t SELECT format, 'x' FROM hm.format");
    assert.equal(await text('SELECT count() FROM hm.t'), '2');
  });

  it('takes settings before or after the format of an insert', async () => {
    await emptyTable();
    for (const query of [
      "INSERT INTO hm.t SETTINGS log_comment = 'FORMAT CSV' FORMAT JSONEachRow",
      'INSERT INTO hm.t FORMAT JSONEachRow SETTINGS max_insert_block_size = 7, async_insert = 0',
    ]) {
      const answer = await ask(query, '{"n":1,"s":"z"}');
      assert.equal(answer.status, 200, await answer.text());
    }
    assert.equal(await text('SELECT count() FROM hm.t'), '2');
  });

  it('takes an insert of no rows, into a table that exists', async () => {
    await emptyTable();
    assert.equal((await ask('INSERT INTO hm.t FORMAT JSONEachRow')).status, 200);
    assert.equal((await ask('INSERT INTO hm.nothing FORMAT JSONEachRow')).status, 404);
  });

  it('binds parameters inside VALUES, from a multipart body too', async () => {
    await emptyTable();
    const form = new FormData();
    form.set('query', "INSERT INTO hm.t VALUES ({n:UInt64}, {s:String}), (1 + 1, upper('q'))");
    form.set('param_n', '77');
    form.set('param_s', "it's");
    assert.equal((await ask(null, form)).status, 200);
    assert.equal(await text('SELECT groupArray((n, s)) FROM hm.t'), "[(2,'Q'),(77,'it\\'s')]");
  });

  it('inflates every encoding and answers in every encoding', async () => {
    await emptyTable();
    const encodings = {
      gzip: gzipSync,
      deflate: deflateSync,
      br: brotliCompressSync,
      zstd: zstdCompressSync,
    };
    for (const [name, encode] of Object.entries(encodings)) {
      const body = new Uint8Array(encode(Buffer.from('5,x\n')));
      const sent = await ask('INSERT INTO hm.t FORMAT CSV', body, {}, { 'Content-Encoding': name });
      assert.equal(sent.status, 200, name);
      const got = await ask(
        null,
        'SELECT number FROM numbers(50000)',
        { enable_http_compression: '1' },
        { 'Accept-Encoding': name },
      );
      assert.equal(got.headers.get('content-encoding'), name);
      if (name !== 'zstd') assert.equal((await got.text()).split('\n').length, 50_001, name);
    }
    assert.equal(await text('SELECT count() FROM hm.t'), '4');
    const torn = new Uint8Array(gzipSync(Buffer.from('6,y\n')).subarray(0, 12));
    assert.equal(
      (await ask('INSERT INTO hm.t FORMAT CSV', torn, {}, { 'Content-Encoding': 'gzip' })).status,
      400,
    );
    assert.equal(await text('SELECT count() FROM hm.t'), '4');
  });

  it('says which format it answers in, and how many rows it read and wrote', async () => {
    const answer = await ask(null, "SELECT 1 AS a FORMAT JSON SETTINGS log_comment = 'x'");
    assert.equal(answer.headers.get('x-clickhouse-format'), 'JSON');
    assert.equal(
      (await ask(null, 'SELECT 1', { default_format: 'CSV' })).headers.get('x-clickhouse-format'),
      'CSV',
    );
    await emptyTable();
    const { summary } = await client.insert({
      table: 'hm.t',
      values: [
        { n: 1, s: '' },
        { n: 2, s: '' },
      ],
      format: 'JSONEachRow',
    });
    assert.equal(summary?.written_rows, '2');
  });

  it('writes an array of rows as one array', async () => {
    const answer = await ask(null, 'SELECT number FROM numbers(200000) FORMAT JSONEachRow', {
      output_format_json_array_of_rows: '1',
    });
    assert.equal(((await answer.json()) as unknown[]).length, 200_000);
  });

  it('refuses by name what it would otherwise answer differently', async () => {
    for (const name of ['session_id', 'role', 'compress', 'decompress']) {
      const answer = await ask(null, 'SELECT 1', { [name]: '1' });
      assert.equal(answer.status, 501, name);
      assert.equal(code(answer), '48', name);
    }
    assert.equal(code(await ask(null, "SELECT 1 INTO OUTFILE '/nowhere/x'")), '358');
    const input = "INSERT INTO hm.t SELECT * FROM input('n UInt64, s String') FORMAT CSV\n1,x\n\n2,y\n";
    assert.equal(code(await ask(null, input)), '48');
    assert.equal(code(await ask(null, "INSERT INTO hm.t FROM INFILE '/nowhere/x' FORMAT CSV")), '48');
  });

  it('keeps an error free of the file that carried the data', async () => {
    await emptyTable();
    const answer = await ask('INSERT INTO hm.t FORMAT JSONEachRow', '{"n":"many"}');
    assert.equal(answer.status, 400);
    assert.doesNotMatch(await answer.text(), /incoming|in file/);
  });

  it('answers pings while an analysis runs a query of its own', async () => {
    let is_over = false;
    const slow = ask(null, 'SELECT (SELECT sleep(3)) FORMAT JSONEachRow').finally(() => (is_over = true));
    for (let pings = 1; pings <= 20; pings += 1) {
      await (await fetch(`${local.clickhouse_url}/ping`)).arrayBuffer();
      assert.equal(is_over, false, `ping ${pings} waited for the query`);
    }
    assert.equal((await slow).status, 200);
  });

  it('lives through targets that are no URL and ids that are no header', async () => {
    const first_line = await new Promise<string>((done, fail) => {
      const socket = connect(Number(new URL(local.clickhouse_url).port), '127.0.0.1', () => {
        socket.write('GET // HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
      });
      let got = '';
      socket.on('data', (bytes: Buffer) => (got += bytes.toString()));
      socket.on('error', fail);
      socket.on('close', () => done(got.split('\r\n')[0] ?? ''));
    });
    assert.equal(first_line, 'HTTP/1.1 404 Not Found');
    assert.equal((await ask(null, 'SELECT 1', { query_id: 'Größe\n' })).status, 200);
    assert.equal(await text('SELECT 1'), '1');
  });
});
