import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createLane } from '../../infra/local/gateway/lane.ts';
import { createGateway } from '../../infra/local/gateway/server.ts';
import { startLocalServices, type LocalServices } from '../support/local-services.ts';

describe('a person at the keyboard', () => {
  let local: LocalServices;

  before(async () => {
    local = await startLocalServices();
    await service('CREATE DATABASE hm ENGINE = Atomic');
    await service('CREATE TABLE hm.t (n UInt64) ENGINE = MergeTree ORDER BY n');
    await service('INSERT INTO hm.t SELECT number FROM numbers(1000)');
    await service('CREATE VIEW hm.near AS SELECT n FROM hm.t WHERE n < {below:UInt64}');
  });
  after(() => local.stop());

  const service = async (query: string): Promise<string> => {
    const response = await fetch(local.clickhouse_url, { method: 'POST', body: query });
    return (await response.text()).trimEnd();
  };
  const person = (query: string, rest: Record<string, string> = {}): Promise<Response> =>
    fetch(`${local.clickhouse_url}/?${new URLSearchParams(rest).toString()}`, {
      method: 'POST',
      body: query,
      headers: { 'X-ClickHouse-User': 'ann' },
    });
  const code = (response: Response): string | null => response.headers.get('x-clickhouse-exception-code');

  it('reads tables, views with parameters and descriptions, and computes', async () => {
    for (const [query, expected] of [
      ['SELECT count() FROM hm.t', '1000'],
      ['SELECT count() FROM hm.near(below = 10)', '10'],
      ['WITH (SELECT max(n) FROM hm.t) AS m SELECT m', '999'],
      ["SELECT ';', 'file', format('{}-{}', 'url', 's3')", ';\tfile\turl-s3'],
      ['SELECT sum(number) FROM numbers(5) /* file( */', '10'],
      ['EXISTS hm.t', '1'],
      ['(SELECT 1) UNION ALL (SELECT 1)', '1\n1'],
    ] as const) {
      const response = await person(query);
      assert.equal((await response.text()).trimEnd(), expected, query);
    }
    for (const query of ['SHOW TABLES FROM hm', 'DESCRIBE TABLE hm.t', 'EXPLAIN SELECT 1']) {
      assert.equal((await person(query)).status, 200, query);
    }
  });

  it('does not reach the machine: no files, no other hosts, however it is spelled', async () => {
    const name = "'/etc/hostname'";
    for (const query of [
      `SELECT file(${name})`,
      `SELECT /**/ file /**/ (${name})`,
      `SELECT \`f\\x69le\`(${name})`,
      `SELECT "file"(${name})`,
      `SELECT arrayMap(file, [${name}])`,
      `SELECT * APPLY(file) FROM (SELECT ${name})`,
      `WITH x AS (SELECT file(${name}) AS y) SELECT y FROM x`,
      `DESCRIBE TABLE file(${name})`,
      `EXPLAIN SELECT * FROM file(${name}, LineAsString)`,
      "DESCRIBE TABLE url('http://127.0.0.1:9/x', CSV)",
      "SELECT * FROM s3('http://127.0.0.1:9/bucket/x', 'CSV', 'a Int32')",
      "SELECT * FROM remote('127.0.0.1:9', 'hm.t')",
      'SELECT * FROM `/etc/hostname`',
    ]) {
      const response = await person(query);
      assert.equal(code(response), '164', query);
    }
    const named = await person(`SELECT arrayMap({f:Identifier}, [${name}])`, { param_f: 'f\\x69le' });
    assert.equal(code(named), '164');
    const filter = await person('SELECT 1', { additional_result_filter: `file(${name}) != ''` });
    assert.equal(code(filter), '164');
  });

  it('changes nothing: no tables, no rows, no files, no queries of others', async () => {
    const path = join(local.data_dir, 'taken.csv');
    for (const [query, expected] of [
      ['DROP TABLE hm.t', '164'],
      ['INSERT INTO hm.t VALUES (1)', '164'],
      ['INSERT INTO hm.t FORMAT CSV\n1\n', '164'],
      ['KILL QUERY WHERE 1', '164'],
      ['SET max_execution_time = 0', '164'],
      [`SELECT 1 INTO OUTFILE '${path}'`, '358'],
      [`SHOW TABLES FROM hm INTO /**/ OUTFILE '${path}'`, '358'],
      ['SELECT 1; DROP TABLE hm.t', '62'],
    ] as const) {
      assert.equal(code(await person(query)), expected, query);
    }
    assert.equal(existsSync(path), false);
    assert.equal(await service('SELECT count() FROM hm.t'), '1000');
  });

  it('has limits that neither a URL nor a statement can move', async () => {
    for (const name of [
      'max_execution_time',
      'max_memory_usage',
      'max_result_rows',
      'result_overflow_mode',
    ]) {
      assert.equal(code(await person('SELECT 1', { [name]: '0' })), '452', name);
    }
    assert.equal(code(await person('SELECT 1', { profile: 'default' })), '164');
    assert.equal(code(await person('SELECT 1 SETTINGS max_memory_usage = 0')), '164');
    assert.equal(code(await person('SELECT number FROM numbers(2000000)')), '396');
    assert.equal(code(await person('SELECT length(range(300000000))')), '241');
  });

  it('may have less than the limits, which a server allows too', async () => {
    const asked = await person(
      "SELECT getSetting('max_execution_time'), getSetting('max_result_rows'), getSetting('max_memory_usage')",
      { max_execution_time: '5', max_result_rows: '10', max_memory_usage: '50000000' },
    );
    assert.equal((await asked.text()).trimEnd(), '5\t10\t50000000');
    assert.equal(code(await person('SELECT number FROM numbers(11)', { max_result_rows: '10' })), '396');
    // As JDBC asks for the first rows of a table.
    const first_rows = { max_result_rows: '10', result_overflow_mode: 'break', async_insert: '0' };
    assert.equal((await person('SELECT number FROM numbers(11)', first_rows)).status, 200);
    assert.equal(code(await person('SELECT 1', { max_block_size: '10' })), '452');
    for (const [name, value] of [
      ['max_execution_time', '31'],
      ['max_execution_time', '-1'],
      ['max_execution_time', 'inf'],
      ['max_execution_time', ''],
      ['max_memory_usage', '1000000001'],
      ['max_memory_usage', '0x1'],
      ['max_result_rows', '1e3'],
      ['max_result_bytes', '0'],
      ['result_overflow_mode', 'anything'],
    ] as const) {
      assert.equal(code(await person('SELECT 1', { [name]: value })), '452', `${name}=${value}`);
    }
  });

  it('does not see what others ask, nor the texts of their errors', async () => {
    for (const [query, rest] of [
      ['SELECT query FROM system.processes', {}],
      ['SELECT query FROM `system` . "processes"', {}],
      ['SELECT 1 WHERE 1 IN (SELECT count() FROM system.processes)', {}],
      ['SELECT query FROM processes', { database: 'system' }],
      ["SELECT query FROM merge('system', '^processes$')", {}],
      ['SELECT query FROM {t:Identifier}', { param_t: 'system.processes' }],
      ['SELECT query FROM system.{t:Identifier}', { param_t: 'processes' }],
      ['SELECT query FROM {d:Identifier}.processes', { param_d: 'system' }],
      ['SHOW PROCESSLIST', {}],
      ['SELECT last_error_message FROM system.errors', {}],
      ['SELECT query FROM system.query_log', {}],
    ] as const) {
      assert.equal(code(await person(query, rest)), '164', query);
    }
    const own = await person('SELECT count() AS errors, 2 AS processes ORDER BY errors, processes');
    assert.equal((await own.text()).trimEnd(), '1\t2');
  });

  it('is told where its own statement is wrong, not the one that asks for it', async () => {
    for (const query of ['SELECT 1 2 3', 'SELECT (1', `SELECT ${'('.repeat(2000)}`]) {
      const body = await (await person(query)).text();
      assert.match(body, /^Code: (62|306)\. DB::Exception: /);
      assert.doesNotMatch(body, /formatQuery/);
    }
  });

  it('chooses how an answer is written', async () => {
    const response = await person('SELECT toUInt64(1) AS a FORMAT JSONEachRow', {
      output_format_json_quote_64bit_integers: '1',
    });
    assert.equal((await response.text()).trimEnd(), '{"a":"1"}');
  });

  it('may name a session, in which there would be nothing to keep', async () => {
    for (const query of ['SELECT 1', 'SELECT 2']) {
      const response = await person(query, { session_id: 'a-notebook', session_timeout: '60' });
      assert.equal((await response.text()).trimEnd(), query.at(-1));
    }
    assert.equal(code(await person('SET max_threads = 1', { session_id: 'a-notebook' })), '164');
    const table = await person('CREATE TEMPORARY TABLE t (n UInt8)', { session_id: 'a-notebook' });
    assert.equal(code(table), '164');
  });

  it('named by nobody is told what to do: clickhouse-connect and its defaults', async () => {
    const nobody = await fetch(`${local.clickhouse_url}/?session_id=x`, { method: 'POST', body: 'SELECT 1' });
    assert.equal(code(nobody), '48');
    assert.match(await nobody.text(), /autogenerate_session_id.*user/);
    const lz4 = await fetch(local.clickhouse_url, {
      ...{ method: 'POST', body: 'SELECT 1', headers: { 'Content-Encoding': 'lz4' } },
    });
    assert.equal(code(lz4), '48');
    assert.match(await lz4.text(), /lz4.*gzip/);
  });

  it('leaves the places of services free', async () => {
    let ended = 0;
    const slow = Array.from({ length: 6 }, () => person('SELECT sleep(2)').finally(() => (ended += 1)));
    assert.equal(await service('SELECT 1'), '1');
    assert.equal(ended, 0, 'a service waited behind people');
    for (const response of await Promise.all(slow)) assert.equal(response.status, 200);
  });

  it('is no service by an empty name; a service is', async () => {
    const readonlyOf = async (headers: Record<string, string>): Promise<string> => {
      const response = await fetch(local.clickhouse_url, {
        method: 'POST',
        body: "SELECT getSetting('readonly')",
        headers,
      });
      return (await response.text()).trimEnd();
    };
    const basic = (user: string): Record<string, string> => ({
      Authorization: `Basic ${Buffer.from(`${user}:`).toString('base64')}`,
    });
    assert.equal(await readonlyOf(basic('')), '0');
    assert.equal(await readonlyOf(basic('default')), '0');
    assert.equal(await readonlyOf(basic('ann')), '1');
  });
});

describe('a gateway', () => {
  it('closes the connection of a person who stopped reading, and takes the next answer then', async () => {
    const answer = { bytes: Buffer.alloc(20_000_000), result_rows: 0, result_bytes: 0, written_rows: 0 };
    const gateway = createGateway(
      {
        run: () => Promise.resolve({ ...answer, written_bytes: 0 }),
        lane: () => ({ running: 0, waiting: 0 }),
        close: () => undefined,
      },
      { max_request_bytes: 1_000, most_unread_bytes: 25_000_000, longest_pause_ms: 300 },
    );
    await once(gateway.listen(0, '127.0.0.1'), 'listening');
    const { port } = gateway.address() as AddressInfo;
    try {
      const closed = once(gateway, 'connection').then(([socket]) => once(socket as Socket, 'close'));
      const reader = connect(port, '127.0.0.1');
      reader.on('error', () => undefined);
      reader.write('GET /?user=ann&query=x HTTP/1.1\r\nHost: x\r\n\r\n');
      await once(reader, 'data');
      reader.pause();
      const second = await fetch(`http://127.0.0.1:${port}/?user=ann&query=x`);
      assert.equal(second.headers.get('x-clickhouse-exception-code'), '202');
      await closed;
      const third = await fetch(`http://127.0.0.1:${port}/?user=ann&query=x`);
      assert.equal(third.status, 200);
      await third.body?.cancel();
      reader.destroy();
    } finally {
      gateway.close();
      gateway.closeAllConnections();
    }
  });
});

describe('a lane', () => {
  it('runs in turn, refuses past its queue, and does not begin what nobody waits for', async () => {
    const lane = createLane({ parallel: 1, waiting: 2 });
    const staying = new AbortController();
    const leaving = new AbortController();
    const begun: string[] = [];
    const hold = Promise.withResolvers<undefined>();
    const work = (name: string, until: Promise<undefined>, { signal }: AbortController): Promise<void> =>
      lane(async () => {
        begun.push(name);
        await until;
      }, signal);
    const first = work('first', hold.promise, staying);
    const gone = assert.rejects(
      work('gone', hold.promise, leaving),
      (error) => error instanceof Error && 'code' in error && error.code === 394,
    );
    const last = work('last', hold.promise, staying);
    await assert.rejects(
      work('refused', hold.promise, staying),
      (error) => error instanceof Error && 'code' in error && error.code === 202,
    );
    assert.deepEqual(lane.state(), { running: 1, waiting: 2 });
    leaving.abort();
    hold.resolve(undefined);
    await Promise.all([first, gone, last]);
    assert.deepEqual(begun, ['first', 'last']);
    assert.deepEqual(lane.state(), { running: 0, waiting: 0 });
    await work('after', hold.promise, staying);
    assert.deepEqual(begun, ['first', 'last', 'after']);
  });
});
