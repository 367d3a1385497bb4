import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HailmarkError } from '../../../services/runtime/errors.ts';
import { asEngineError, EngineError } from './errors.ts';
import { createLane, type LaneOptions, type LaneState } from './lane.ts';
import { loadNative, type Connection, type Native } from './native.ts';
import { checkPeopleStatement, people_answer_bytes } from './people.ts';

export interface Statement {
  /** The whole statement; of an insert with data, what stands before `SETTINGS` and `FORMAT`. */
  sql: string;
  /** The data of an insert: bytes of any format. */
  insert: { settings: string; format: string; data: Buffer } | null;
  database: string | null;
  /** Settings in the order in which they are set, then the values of `{name:Type}` parameters. */
  settings: readonly (readonly [string, string])[];
  parameters: readonly (readonly [string, string])[];
  readonly: 0 | 1 | 2;
  format: string;
}

export interface Answer {
  bytes: Buffer;
  /** Rows of the answer; the library calls them read, and does not say how many it read to make them. */
  result_rows: number;
  result_bytes: number;
  written_rows: number;
  written_bytes: number;
}

export interface Engine {
  run: (lane: LaneName, statement: Statement, signal: AbortSignal) => Promise<Answer>;
  lane: (lane: LaneName) => LaneState;
  close: () => void;
}

export type LaneName = 'services' | 'people';

export interface EngineOptions {
  folder: string;
  lanes: Record<LaneName, LaneOptions>;
  /** Of one query. */
  max_memory_bytes: number;
  /** Of all queries together. */
  max_total_memory_bytes: number;
  /** Of one answer, in the engine's memory; a larger one is refused with ClickHouse's code 396. */
  max_result_bytes: number;
  max_threads: number;
}

/**
 * One engine on one data folder. Every statement runs on a connection of its own, made for it and closed after it (0.3 ms): settings,
 * parameters and the output of a failed statement stay in a connection, so this is what keeps one request's from reaching the next.
 * Lanes keep people's queries from taking the services' places; each has a bounded queue.
 *
 * Answers are whole. The engine can cut them into blocks, but starts such a query on the calling thread, where a scalar subquery holds
 * up every other request (measured: 2.4 s), and writes the head of a document once a block.
 */
export function createEngine(options: EngineOptions): Engine {
  const native = loadNative();
  const engine_arguments = [
    `--max_threads=${options.max_threads}`,
    `--max_memory_usage=${options.max_memory_bytes}`,
    `--max_server_memory_usage=${options.max_total_memory_bytes}`,
    `--max_result_bytes=${options.max_result_bytes}`,
    '--result_overflow_mode=throw',
    // An insert without rows is no error over HTTP.
    '--throw_if_no_data_to_insert=0',
    '--output_format_json_quote_64bit_integers=0',
    '--allow_introspection_functions=0',
  ];
  const connect = (): Connection => {
    const connection = native.CreateConnection(options.folder, engine_arguments);
    if (connection === null) throw new EngineError(210, 'The engine gives no connection. (NETWORK_ERROR)');
    return connection;
  };
  // Held open for the process's life: the engine goes when its last connection does.
  const anchor = opened(connect, options.folder);
  const table_functions = new Set(
    native
      .QueryWithConnection(anchor, 'SELECT lower(name) FROM system.table_functions', 'TabSeparated')
      .split('\n'),
  );
  // Only now: the folder is ours, so what lies here is of a process that was killed.
  const incoming = join(options.folder, 'incoming');
  rmSync(incoming, { recursive: true, force: true });
  mkdirSync(incoming, { recursive: true });
  const lanes = { services: createLane(options.lanes.services), people: createLane(options.lanes.people) };

  const execute = async (
    connection: Connection,
    lane: LaneName,
    { sql, insert, parameters, database, format }: Statement,
  ): Promise<Answer> => {
    if (lane === 'people') {
      const whole = insert === null ? sql : `${sql} FORMAT ${insert.format}`;
      const canonical = await parsed(native, connection, whole);
      checkPeopleStatement(canonical, { parameters, database }, table_functions);
    }
    if (insert !== null) {
      return insertFromFile(native, connection, sql, insert, join(incoming, randomUUID()));
    }
    const { bytes, rowsRead, bytesRead } = await native.QueryAsyncConnection(connection, sql, format);
    if (lane === 'people' && bytes.byteLength > people_answer_bytes) {
      throw new EngineError(
        396,
        `Limit for result exceeded: written as ${format} it is larger than 128 MiB. Ask for fewer rows or columns, or in a smaller ` +
          'format, such as Parquet. (TOO_MANY_ROWS_OR_BYTES)',
      );
    }
    return {
      bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
      result_rows: rowsRead,
      result_bytes: bytesRead,
      written_rows: 0,
      written_bytes: 0,
    };
  };

  return {
    run: (lane, statement, signal) =>
      lanes[lane](async () => {
        const connection = connect();
        try {
          await prepare(native, connection, statement);
          return await execute(connection, lane, statement);
        } finally {
          native.CloseConnection(connection);
        }
      }, signal),
    lane: (lane) => lanes[lane].state(),
    close: () => native.CloseConnection(anchor),
  };
}

function opened(connect: () => Connection, folder: string): Connection {
  try {
    return connect();
  } catch (error) {
    throw new HailmarkError(
      'HAIL_DATA_DIR',
      `The engine cannot open its data folder ${folder}: another process holds it, or it is damaged. ` +
        'Stop that process, or set HAILMARK_DATA_DIR to another folder.',
      { cause: error },
    );
  }
}

/** A statement as the engine writes it after parsing. What it says of a statement that does not parse is about that statement alone. */
async function parsed(native: Native, connection: Connection, sql: string): Promise<string> {
  const question = `SELECT formatQuerySingleLine(${literal(sql)})`;
  try {
    const { bytes } = await native.QueryAsyncConnection(connection, question, 'TabSeparatedRaw');
    return Buffer.from(bytes).toString('utf8');
  } catch (error) {
    const { code, message } = asEngineError(error);
    // The statement that asks for the parsing follows, with the whole of what was sent.
    throw new EngineError(
      code,
      message.replace(/: In scope SELECT formatQuerySingleLine\([^]*\)\. \(/, '. ('),
    );
  }
}

/**
 * The data of an insert go by a file. Given inline, the engine's library ends them at the first empty line, even inside binary data,
 * drops the rows after it and runs what follows as the next statement (measured).
 */
async function insertFromFile(
  native: Native,
  connection: Connection,
  target: string,
  { settings, format, data }: NonNullable<Statement['insert']>,
  path: string,
): Promise<Answer> {
  await writeFile(path, data);
  try {
    const sql = `${target} FROM INFILE ${literal(path)} COMPRESSION 'none' ${settings} FORMAT ${format}`;
    const written = await native.InsertRawAsyncConnection(connection, sql, Buffer.from(' '), false);
    return {
      bytes: Buffer.alloc(0),
      result_rows: 0,
      result_bytes: 0,
      written_rows: written.rowsWritten,
      written_bytes: written.bytesWritten,
    };
  } finally {
    await rm(path, { force: true });
  }
}

async function prepare(
  native: Native,
  connection: Connection,
  { database, settings, parameters, readonly }: Statement,
): Promise<void> {
  if (database !== null) {
    await native.QueryAsyncConnection(connection, `USE ${identifier(database)}`, 'Null');
  }
  const assignments = [
    ...settings.map(([name, value]) => `${settingName(name)} = ${literal(value)}`),
    ...parameters.map(([name, value]) => `${settingName(`param_${name}`)} = ${literal(value)}`),
    // Last, because it forbids changing settings.
    ...(readonly === 0 ? [] : [`readonly = ${readonly}`]),
  ];
  if (assignments.length > 0) {
    await native.QueryAsyncConnection(connection, `SET ${assignments.join(', ')}`, 'Null');
  }
}

function identifier(name: string): string {
  return `\`${name.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``;
}

function settingName(name: string): string {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
    throw new EngineError(115, `Unknown setting '${name}'. (UNKNOWN_SETTING)`);
  return name;
}

function literal(value: string): string {
  return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
