import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Session } from 'chdb';
import { EngineError } from './errors.ts';

export interface Statement {
  sql: string;
  /** Bytes that follow the statement: the data of an insert. */
  data: Buffer | null;
  database: string | null;
  /** Settings in the order in which they are set, then the values of `{name:Type}` parameters. */
  settings: readonly (readonly [string, string])[];
  parameters: readonly (readonly [string, string])[];
  readonly: 0 | 1 | 2;
  format: string;
  /** True where the format may be sent block by block; all others are one document. */
  streamable: boolean;
}

/** The engine's answer, block by block; a document that cannot be cut is a single block. */
export type Blocks = AsyncIterable<Buffer>;

export interface Engine {
  run: (lane: LaneName, statement: Statement, use: (blocks: Blocks) => Promise<void>) => Promise<void>;
  close: () => void;
}

export type LaneName = 'services' | 'people';

export interface EngineOptions {
  folder: string;
  lanes: Record<LaneName, { parallel: number; waiting: number }>;
  max_memory_bytes: number;
  max_threads: number;
}

/**
 * One engine on one data folder. Every statement runs on a connection of its own, made for it and closed after it (about a millisecond):
 * settings and parameters are sticky in a connection, so this is what keeps one request's from reaching the next. Lanes keep people's
 * queries from taking the services' places; each has a bounded queue.
 */
export function createEngine(options: EngineOptions): Engine {
  const incoming = join(options.folder, 'incoming');
  rmSync(incoming, { recursive: true, force: true });
  mkdirSync(incoming, { recursive: true });
  const engine_arguments = [
    `--max_threads=${options.max_threads}`,
    `--max_memory_usage=${options.max_memory_bytes}`,
    '--output_format_json_quote_64bit_integers=0',
    '--allow_introspection_functions=0',
  ];
  // Held open for the process's life: the engine goes when its last connection does.
  const anchor = new Session(options.folder, { connectionArgs: engine_arguments });
  const lanes = { services: createLane(options.lanes.services), people: createLane(options.lanes.people) };

  return {
    run: (lane, statement, use) =>
      lanes[lane](async () => {
        const session = new Session(options.folder, { connectionArgs: engine_arguments });
        try {
          await prepare(session, statement);
          if (statement.data !== null) {
            await insertFromFile(session, statement.sql, statement.data, join(incoming, randomUUID()));
            await use(whole(Buffer.alloc(0)));
          } else if (statement.streamable) {
            await use(streamed(session, statement));
          } else {
            const result = await session.queryAsync(statement.sql, { format: statement.format });
            await use(whole(Buffer.from(result.bytes())));
          }
        } finally {
          session.close();
        }
      }),
    close: () => anchor.close(),
  };
}

/**
 * The data of an insert go by a file: given inline, the engine's library reads binary formats wrongly and loses rows without an error
 * (measured: 51,133 of 100,000 rows of RowBinary arrived).
 */
async function insertFromFile(session: Session, sql: string, data: Buffer, path: string): Promise<void> {
  const parts = /^([\s\S]*?)\s*(\bsettings\b(?:(?!\bsettings\b)[\s\S])*)?\b(format\s+\w+)\s*;?\s*$/i.exec(
    sql,
  );
  if (parts === null)
    throw new EngineError(62, 'Data after an INSERT need a FORMAT in the statement. (SYNTAX_ERROR)');
  const [, head = '', settings = '', format = ''] = parts;
  await writeFile(path, data);
  try {
    await session.queryAsync(`${head} FROM INFILE ${literal(path)} ${settings} ${format}`);
  } finally {
    await rm(path, { force: true });
  }
}

async function prepare(
  session: Session,
  { database, settings, parameters, readonly }: Statement,
): Promise<void> {
  if (database !== null) await session.queryAsync(`USE ${identifier(database)}`);
  const assignments = [
    ...settings.map(([name, value]) => `${settingName(name)} = ${literal(value)}`),
    ...parameters.map(([name, value]) => `${settingName(`param_${name}`)} = ${literal(value)}`),
    // Last, because it forbids changing settings.
    ...(readonly === 0 ? [] : [`readonly = ${readonly}`]),
  ];
  if (assignments.length > 0) await session.queryAsync(`SET ${assignments.join(', ')}`);
}

async function* streamed(session: Session, { sql, format }: Statement): Blocks {
  for await (const chunk of session.queryStream(sql, { format })) yield Buffer.from(chunk.raw());
}

async function* whole(bytes: Buffer): Blocks {
  await Promise.resolve();
  yield bytes;
}

/** At most `parallel` at once; beyond, first come first served, up to `waiting`; beyond that refused as ClickHouse refuses. */
function createLane({
  parallel,
  waiting,
}: {
  parallel: number;
  waiting: number;
}): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0;
  const queue: (() => void)[] = [];
  return async (work) => {
    if (running >= parallel) {
      if (queue.length >= waiting)
        throw new EngineError(202, 'Too many simultaneous queries. (TOO_MANY_SIMULTANEOUS_QUERIES)');
      await new Promise<void>((resolve) => queue.push(resolve));
    } else {
      running += 1;
    }
    try {
      return await work();
    } finally {
      const next = queue.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
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
