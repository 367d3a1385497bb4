import { existsSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../runtime/config.ts';
import type { LogOutput } from '../../runtime/log-output.ts';
import type { EventLog } from '../../log/event-log.ts';
import { documentPath, documentsFolder, readDocument, suffixes, writeDocument } from './files.ts';

/** A body that came: its hash is that of the bytes as they were served. */
export interface ServedBody {
  sha256: string;
  served: Buffer;
}

export interface DocumentKeeper {
  /**
   * The log, with the body kept before the first fact is appended through it: a fact never cites a document that was not kept. Nothing is
   * written for a body that nothing new is published of.
   */
  before: (log: EventLog, body: ServedBody | undefined) => EventLog;
}

export interface KeeperOptions {
  data_dir: string;
  config: Pick<Config, 'DOCUMENTS_KEEP' | 'DOCUMENTS_MAX_BYTES'>;
}

/**
 * Keeps every document that yielded a record fact once, by its SHA-256, below the data folder, so that an answer can be traced to the bytes.
 * One keeper a data folder: it counts what is there. Past the limit the oldest go, never the one just written.
 */
export function createDocumentKeeper(
  { output }: { output: LogOutput },
  { data_dir, config }: KeeperOptions,
): DocumentKeeper {
  const max_bytes = config.DOCUMENTS_MAX_BYTES;
  /** Files by path, the oldest first, with their sizes; null until the folder has been looked through. */
  let kept: Map<string, number> | null = null;
  let total_bytes = 0;
  let last: Promise<unknown> = Promise.resolve();

  const put = (files: Map<string, number>, path: string, bytes: number): void => {
    total_bytes += bytes - (files.get(path) ?? 0);
    files.delete(path);
    files.set(path, bytes);
  };

  const lookThrough = (): Map<string, number> => {
    const files = new Map<string, number>();
    for (const { path, bytes } of listKept(data_dir)) put(files, path, bytes);
    return files;
  };

  const removeOldest = (files: Map<string, number>, newest: string): void => {
    const removed = { documents: 0, bytes: 0 };
    for (const [path, bytes] of files) {
      if (total_bytes <= max_bytes) break;
      if (path === newest) continue;
      rmSync(path, { force: true });
      files.delete(path);
      total_bytes -= bytes;
      removed.documents += 1;
      removed.bytes += bytes;
    }
    if (removed.documents > 0) output.info({ ...removed, max_bytes }, 'oldest documents removed');
  };

  const keep = async ({ sha256, served }: ServedBody): Promise<void> => {
    kept ??= lookThrough();
    const found = await readDocument(data_dir, sha256);
    if (found.outcome === 'found') {
      touch(kept, sha256);
      return;
    }
    if (found.outcome === 'broken')
      output.warn({ document_sha256: sha256 }, 'a broken document is written anew');
    const { suffix, bytes } = await writeDocument(data_dir, sha256, served);
    const path = documentPath(data_dir, sha256, suffix);
    put(kept, path, bytes);
    removeOldest(kept, path);
  };

  /** Cited again, so it is young again. */
  const touch = (files: Map<string, number>, sha256: string): void => {
    for (const path of suffixes.map((suffix) => documentPath(data_dir, sha256, suffix))) {
      const bytes = files.get(path);
      if (bytes === undefined || !existsSync(path)) continue;
      put(files, path, bytes);
      const now = new Date();
      utimesSync(path, now, now);
    }
  };

  /** Feeds publish side by side; what is counted here is not. */
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const turn = last.then(work, work);
    last = turn.catch(() => undefined);
    return turn;
  };

  return {
    before: (log, body) => {
      if (config.DOCUMENTS_KEEP === 'false' || body === undefined) return log;
      let keeping: Promise<void> | null = null;
      return {
        ...log,
        append: async (topic, messages, owner) => {
          await (keeping ??= inTurn(() => keep(body)));
          return log.append(topic, messages, owner);
        },
      };
    },
  };
}

/** What an earlier process has left, the oldest first. Halves of documents go. */
function listKept(data_dir: string): { path: string; bytes: number }[] {
  const folder = documentsFolder(data_dir);
  if (!existsSync(folder)) return [];
  const found: { path: string; bytes: number; written_ms: number }[] = [];
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    if (entry.name.endsWith('.part')) rmSync(path, { force: true });
    else if (suffixes.some((suffix) => entry.name.endsWith(suffix))) {
      const { size, mtimeMs } = statSync(path);
      found.push({ path, bytes: size, written_ms: mtimeMs });
    }
  }
  return found.sort((a, b) => a.written_ms - b.written_ms);
}
