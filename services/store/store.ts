import { Readable } from 'node:stream';
import {
  ClickHouseError,
  ClickHouseLogLevel,
  createClient,
  type ClickHouseClient,
  type ClickHouseSettings,
} from '@clickhouse/client';
import type { Config } from '../runtime/config.ts';
import { HailmarkError, systemCode } from '../runtime/errors.ts';
import { definitions, forCluster, quorum } from './cluster.ts';
import type { Block } from './native.ts';

/** A value that a row or a statement's parameter may hold. */
export type Value = string | number | boolean | null | readonly Value[] | { readonly [name: string]: Value };

/** How long somebody waits for rows. */
export interface Patience {
  /** Ends the request, and with it the statement: the server cancels what nobody reads. */
  signal: AbortSignal;
  /** What the server itself may spend on the statement, whole seconds, at least 1: holds where a proxy hides that the asker has gone. */
  max_execution_s: number;
}

export interface Store {
  /** Rows of a SELECT, one object a row. Times come as the engine writes them: select them as milliseconds. */
  rows: <T>(sql: string, parameters?: Readonly<Record<string, Value>>, patience?: Patience) => Promise<T[]>;
  /** Any other statement. Definitions are written as for one server; on a cluster they are made for all of its replicas. */
  command: (sql: string) => Promise<void>;
  /**
   * One insert of one block: readers see all of its rows or none. Resolves when they are stored. Rows are arrays in the order of
   * `columns`.
   */
  insert: (table: string, columns: readonly string[], rows: readonly (readonly Value[])[]) => Promise<void>;
  /** The same for rows that are bytes already: for tables that take millions. */
  insertBlock: (table: string, block: Block) => Promise<void>;
  ping: () => Promise<boolean>;
  close: () => Promise<void>;
}

/**
 * Codes of ClickHouse after which the same statement may succeed: time-outs, sockets, too many queries or parts, memory, a disk without
 * room (75, 204, 243, 294), and replicas or Keeper being away, behind or in the middle of a change.
 */
const passing_codes = new Set([
  '75',
  '159',
  '160',
  '202',
  '203',
  '204',
  '209',
  '210',
  '225',
  '241',
  '242',
  '243',
  '252',
  '254',
  '285',
  '286',
  '289',
  '294',
  '319',
  '425',
  '439',
  '517',
  '571',
  '999',
]);

/** One block however large: no parallel parsing, no splitting, no waiting with others', no memory of earlier inserts. */
const one_block = {
  async_insert: 0,
  insert_deduplicate: 0,
  input_format_parallel_parsing: 0,
  max_insert_block_size: '1000000',
  min_insert_block_size_rows: '1000000',
  min_insert_block_size_bytes: '1000000000',
  // Rows of one sort key within a block are left to the reader's FINAL and to merges: a third of an insert's work (measured).
  optimize_on_insert: 0,
} as const;

/**
 * The store's only door. Every failure is one of two: away or busy (`HAIL_STORE_UNAVAILABLE`, try again) or ours (thrown as it came).
 * Told apart by ClickHouse's codes, never by text.
 */
export function createStore(
  config: Pick<Config, 'CLICKHOUSE_URL' | 'CLICKHOUSE_DATABASE' | 'CLICKHOUSE_USER' | 'CLICKHOUSE_PASSWORD'> &
    Partial<Pick<Config, 'CLICKHOUSE_CLUSTER'>>,
  options: { timeout_ms: number; in_database?: boolean } = { timeout_ms: 30_000 },
): Store {
  const cluster = config.CLICKHOUSE_CLUSTER;
  const inserting = cluster === undefined ? one_block : { ...one_block, ...quorum };
  const client: ClickHouseClient = createClient({
    url: config.CLICKHOUSE_URL,
    ...(options.in_database === false ? {} : { database: config.CLICKHOUSE_DATABASE }),
    username: config.CLICKHOUSE_USER,
    password: config.CLICKHOUSE_PASSWORD,
    request_timeout: options.timeout_ms,
    max_open_connections: 16,
    keep_alive: { enabled: true, idle_socket_ttl: 2_500 },
    // Errors are thrown, and whoever catches them decides what is worth a line.
    log: { level: ClickHouseLogLevel.OFF },
  });
  return {
    rows: (sql, parameters, patience) =>
      guarded(() =>
        onceMoreIfCut(async () => {
          const result = await client.query({
            query: sql,
            format: 'JSONEachRow',
            ...(parameters === undefined ? {} : { query_params: parameters }),
            ...(patience === undefined ? {} : bounded(patience)),
          });
          return result.json();
        }),
      ),
    command: (sql) =>
      guarded(async () => {
        await client.command({
          query: forCluster(sql, cluster),
          ...(cluster === undefined ? {} : { clickhouse_settings: definitions }),
        });
      }),
    insert: (table, columns, rows) =>
      guarded(async () => {
        if (rows.length === 0) return;
        await client.insert({
          table,
          columns: columns as [string, ...string[]],
          values: rows,
          format: 'JSONCompactEachRow',
          clickhouse_settings: inserting,
        });
      }),
    insertBlock: (table, { columns, rows, bytes }) =>
      guarded(async () => {
        if (rows === 0) return;
        const { stream } = await client.exec({
          query: `INSERT INTO ${table} (${columns.join(', ')}) FORMAT Native`,
          values: Readable.from([bytes], { objectMode: false }),
          clickhouse_settings: inserting,
        });
        // An insert answers nothing; its socket is free when that has been read.
        await stream.toArray();
      }),
    ping: async () => (await client.ping()).success,
    close: () => client.close(),
  };
}

function bounded({ signal, max_execution_s }: Patience): {
  abort_signal: AbortSignal;
  clickhouse_settings: ClickHouseSettings;
} {
  return {
    abort_signal: signal,
    clickhouse_settings: {
      max_execution_time: max_execution_s,
      cancel_http_readonly_queries_on_client_close: 1,
    },
  };
}

/**
 * A server may close a kept connection in the moment in which it is used again; on a busy machine that happens. Reading changes nothing, so
 * it is done once more; a server that is away refuses then, and one that was asked to leave off is not asked again.
 */
async function onceMoreIfCut<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (systemCode(error) !== 'ECONNRESET') throw error;
    return read();
  }
}

async function guarded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ClickHouseError && !passing_codes.has(error.code)) throw error;
    // A mistake in this process: waiting would not mend it.
    if (error instanceof TypeError || error instanceof RangeError) throw error;
    throw new HailmarkError(
      'HAIL_STORE_UNAVAILABLE',
      'The store does not answer, is too busy, or has no room.',
      {
        cause: error,
      },
    );
  }
}

/** True for ClickHouse's "unknown table" and "unknown database": the store is there, and the projector has not made its tables yet. */
export function isMissingTable(error: unknown): boolean {
  return error instanceof ClickHouseError && (error.code === '60' || error.code === '81');
}
