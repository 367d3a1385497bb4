import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createLane } from '../../infra/local/gateway/lane.ts';
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
    assert.equal(code(await person('SELECT uniqExact(number) FROM numbers(300000000)')), '241');
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
