import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HailmarkError } from '../runtime/errors.ts';
import { tableName } from './projections.ts';
import type { Store } from './store.ts';

const folder = join(import.meta.dirname, '../../schemas/clickhouse');

export interface Migration {
  /** The file's number and name, `0003_observations`. */
  name: string;
  sql: string;
  sha256: string;
}

/** The numbered files in their order. `{version}` in one stands for a projection's version. */
export function readMigrations(): Migration[] {
  return readdirSync(folder)
    .filter((file) => /^\d{4}_\w+\.sql$/.test(file))
    .sort()
    .map((file) => {
      const sql = readFileSync(join(folder, file), 'utf8');
      return {
        name: file.slice(0, -'.sql'.length),
        sql,
        sha256: createHash('sha256').update(sql).digest('hex'),
      };
    });
}

/**
 * Brings the store to the newest schema: makes the database, then runs the files that have not run. A file that ran and has changed since
 * is refused, because the tables are then not what the file says. Safe to run again and after a kill: every statement is repeatable.
 */
export async function migrate(outside: Store, inside: Store, database: string): Promise<void> {
  await outside.command(`CREATE DATABASE IF NOT EXISTS ${database} ENGINE = Atomic`);
  await inside.command(
    `CREATE TABLE IF NOT EXISTS schema_migrations
     (
         name   String              COMMENT 'File of schemas/clickhouse that has run',
         sha256 String              COMMENT 'SHA-256 of the file when it ran',
         ran_at DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC') COMMENT 'When it ran'
     )
     ENGINE = ReplacingMergeTree ORDER BY name COMMENT 'Which schema files have run'`,
  );
  const ran = new Map(
    (
      await inside.rows<{ name: string; sha256: string }>('SELECT name, sha256 FROM schema_migrations FINAL')
    ).map(({ name, sha256 }) => [name, sha256]),
  );
  for (const { name, sql, sha256 } of readMigrations()) {
    const before = ran.get(name);
    if (before === sha256) continue;
    if (before !== undefined) {
      throw new HailmarkError(
        'HAIL_SCHEMA_CHANGED',
        `The file schemas/clickhouse/${name}.sql has changed since it ran in this store: put it back and write the change as a new ` +
          'numbered file.',
      );
    }
    await runStatements(inside, sql, 1);
    await inside.insert('schema_migrations', ['name', 'sha256'], [[name, sha256]]);
  }
}

/** Makes the tables of one version of a projection from its schema files. Safe to run again. */
export async function createVersion(
  store: Store,
  schema_files: readonly string[],
  version: number,
): Promise<void> {
  const files = new Map(readMigrations().map(({ name, sql }) => [name, sql]));
  for (const name of schema_files) {
    const sql = files.get(name);
    if (sql === undefined) throw new Error(`there is no schema file ${name}`);
    await runStatements(store, sql, version);
  }
}

/** Names of the tables that schema files make, without a version, in the order in which they are made. */
export function tablesOf(schema_files: readonly string[]): string[] {
  const files = new Map(readMigrations().map(({ name, sql }) => [name, sql]));
  return schema_files.flatMap((name) =>
    [...(files.get(name) ?? '').matchAll(/^CREATE TABLE IF NOT EXISTS (\w+)_v\{version\}/gm)].map(
      ([, table = '']) => table,
    ),
  );
}

/** Drops the tables of one version of a projection. Safe to run again. */
export async function dropVersion(
  store: Store,
  schema_files: readonly string[],
  version: number,
): Promise<void> {
  for (const table of tablesOf(schema_files))
    await store.command(`DROP TABLE IF EXISTS ${tableName(table, version)}`);
}

/** A file's statements for one version of a projection, as they are written for one server. */
export function statementsOf(sql: string, version: number): string[] {
  const code = sql.replace(/^\s*--.*$/gm, '').replaceAll('{version}', String(version));
  return code
    .split(/;\s*(?:\n|$)/)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
}

async function runStatements(store: Store, sql: string, version: number): Promise<void> {
  for (const statement of statementsOf(sql, version)) await store.command(statement);
}
