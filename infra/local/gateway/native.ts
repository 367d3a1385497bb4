import { createRequire } from 'node:module';

/** A connection of the engine's library; opaque. */
export type Connection = object;

export interface NativeAnswer {
  bytes: Uint8Array;
  rowsRead: number;
  bytesRead: number;
}

/** The calls of the engine's binding that the gateway uses. Those that return promises run on libuv's threads. */
export interface Native {
  CreateConnection: (folder: string, engine_arguments: readonly string[]) => Connection | null;
  CloseConnection: (connection: Connection) => void;
  QueryWithConnection: (connection: Connection, sql: string, format: string) => string;
  QueryAsyncConnection: (connection: Connection, sql: string, format: string) => Promise<NativeAnswer>;
  InsertRawAsyncConnection: (
    connection: Connection,
    sql: string,
    data: Buffer,
    count_lines: boolean,
  ) => Promise<{ rowsWritten: number; bytesWritten: number }>;
}

/**
 * The binding below chdb's `Session`. A session that closes waits for every operation in the process, so that behind one long query each
 * finished request keeps its connection (measured: 205 MB after 800 requests); here a connection goes when its own work is done. The
 * module is not among the package's exports, hence the exact version in package.json.
 */
export function loadNative(): Native {
  const require = createRequire(import.meta.url);
  const loader = createRequire(require.resolve('chdb'))('./dist/loader.js') as { loadNative: () => Native };
  return loader.loadNative();
}
