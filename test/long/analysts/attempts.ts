/** What a person tries who should only read. */
export interface Attempt {
  what: string;
  sql: string;
  /** Settings and parameters of the request. */
  settings?: Record<string, string>;
  /** ClickHouse's code of the refusal. */
  code: number;
}

/** `path` is a file of this machine that the engine's process may read, and beside which it may write; nothing listens at port 9. */
export function attempts(path: string): Attempt[] {
  const file = `'${path}'`;
  return [
    { what: 'write a row', sql: "INSERT INTO schema_migrations (name, sha256) VALUES ('x', 'y')", code: 164 },
    { what: 'write through a view', sql: "INSERT INTO set_aside (record_id) VALUES ('x')", code: 164 },
    { what: 'change rows', sql: 'ALTER TABLE observations_v1 UPDATE size_in = 9 WHERE 1', code: 164 },
    { what: 'delete rows', sql: 'DELETE FROM observations_v1 WHERE 1', code: 164 },
    { what: 'drop a table', sql: 'DROP TABLE observations_v1', code: 164 },
    { what: 'drop a view', sql: 'DROP VIEW hail_near', code: 164 },
    { what: 'empty a table', sql: 'TRUNCATE TABLE api_keys_v1', code: 164 },
    { what: 'rename a table', sql: 'RENAME TABLE observations_v1 TO mine', code: 164 },
    { what: 'make a table', sql: 'CREATE TABLE mine (n UInt8) ENGINE = Memory', code: 164 },
    { what: 'make a temporary table', sql: 'CREATE TEMPORARY TABLE mine (n UInt8)', code: 164 },
    { what: 'replace a view', sql: 'CREATE OR REPLACE VIEW hail_days AS SELECT 1 AS a', code: 164 },
    { what: 'make a function', sql: 'CREATE FUNCTION mine AS x -> x', code: 164 },
    { what: 'drop the database', sql: 'DROP DATABASE hailmark', code: 164 },
    { what: 'stop others', sql: 'KILL QUERY WHERE 1', code: 164 },
    { what: 'merge by hand', sql: 'OPTIMIZE TABLE observations_v1 FINAL', code: 164 },
    { what: 'order the engine about', sql: 'SYSTEM STOP MERGES', code: 164 },
    { what: 'read a file', sql: `SELECT * FROM file(${file}, LineAsString)`, code: 164 },
    { what: 'read a file by a function', sql: `SELECT file(${file})`, code: 164 },
    { what: 'read a file by its name as a table', sql: `SELECT * FROM \`${path}\``, code: 60 },
    {
      what: 'read a file by the database of files',
      sql: `SELECT * FROM default.\`${path}\``,
      code: 164,
    },
    {
      what: 'read a file beside a view',
      sql: `SELECT record_id, (SELECT any(line) FROM file(${file}, LineAsString)) FROM citations LIMIT 1`,
      code: 164,
    },
    { what: 'ask a URL', sql: "SELECT * FROM url('http://127.0.0.1:9/', LineAsString)", code: 164 },
    { what: 'ask another server', sql: "SELECT * FROM remote('127.0.0.1:9', system.one)", code: 164 },
    { what: 'ask another database', sql: "SELECT * FROM sqlite('x.db', 't')", code: 164 },
    { what: 'write a file', sql: `SELECT 1 INTO OUTFILE '${path}.taken'`, code: 358 },
    { what: 'run a program', sql: "SELECT * FROM executable('x', TSV, 'a String')", code: 164 },
    { what: 'have more time by the URL', sql: 'SELECT 1', settings: { max_execution_time: '0' }, code: 452 },
    { what: 'have more memory by the URL', sql: 'SELECT 1', settings: { max_memory_usage: '0' }, code: 452 },
    { what: 'have more memory in the statement', sql: 'SELECT 1 SETTINGS max_memory_usage = 0', code: 164 },
    { what: 'have more rows', sql: 'SELECT 1 SETTINGS max_result_rows = 0', code: 164 },
    { what: 'be no person', sql: 'SELECT 1', settings: { readonly: '0' }, code: 452 },
    { what: 'set something for later', sql: 'SET max_threads = 64', code: 164 },
    { what: 'take a million rows and more', sql: 'SELECT number FROM numbers(1000001)', code: 396 },
    { what: 'take all memory', sql: 'SELECT length(groupArray(number)) FROM numbers(1000000000)', code: 241 },
    {
      what: 'take all memory by a join',
      sql: "SELECT max(b.s) FROM numbers(200000000) AS a JOIN (SELECT number, repeat('x', 1000) || toString(number) AS s FROM numbers(200000000)) AS b USING number",
      code: 241,
    },
    { what: 'read what others ask', sql: 'SELECT user, query FROM system.processes', code: 164 },
    { what: 'read what others got wrong', sql: 'SELECT last_error_message FROM system.errors', code: 164 },
    { what: 'read any table by a pattern', sql: "SELECT * FROM merge('.*', '.*') LIMIT 1", code: 164 },
    {
      what: 'take a larger answer than is allowed by one value many times',
      sql: "SELECT repeat('x', 1000) FROM numbers(300000)",
      code: 396,
    },
    {
      what: 'run a second statement',
      sql: "SELECT 1; INSERT INTO schema_migrations (name, sha256) VALUES ('x', 'y')",
      code: 62,
    },
  ];
}
