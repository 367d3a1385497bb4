import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hash_list } from './released-files.ts';

/** What git says of the released files: how many it vouches for and what is wrong, or why it was not asked. */
export type HistoryFindings = { files: number; problems: string[] } | { skipped: string };

/**
 * Holds the released files against the commits that brought them: a file that changed together with its line of the list is found here.
 * Where two branches brought the same path and were merged, either's content stands; once a path was deleted, only its first content does.
 */
export function checkHistory(folder: string): HistoryFindings {
  // Inside a hook git names the repository of the hook, which need not be that of the folder.
  const surroundings = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')),
  );
  const git = (...arguments_: string[]): string =>
    execFileSync('git', ['-C', folder, '-c', 'core.quotePath=false', ...arguments_], {
      encoding: 'utf8',
      maxBuffer: 256 * 1024 * 1024,
      stdio: ['ignore', 'pipe', 'ignore'],
      env: surroundings,
    });
  let log: string;
  try {
    if (git('rev-parse', '--is-shallow-repository').trim() === 'true')
      return { skipped: 'git has a shallow history here, which does not say what a file was at first' };
    log = git(
      ...['log', '--reverse', '--topo-order', '--full-history', '--no-renames', '--relative', '--raw'],
      ...['--no-abbrev', '--format=', '--', 'released'],
    );
  } catch {
    return { skipped: 'there is no git history here' };
  }
  const problems: string[] = [];
  const histories = readRaw(log);
  for (const [path, { added, is_deleted }] of histories) {
    const standing = is_deleted ? added.slice(0, 1) : added;
    if (!existsSync(join(folder, path)))
      problems.push(`${path} was released, as git says, and is missing: put it back.`);
    else if (!standing.some((blob) => blob === blobOf(readFileSync(join(folder, path)), blob.length)))
      problems.push(
        `${path} is not what it was when it was released, as git says, though its hash may agree: put it back.`,
      );
  }
  return { files: histories.size, problems };
}

interface FileHistory {
  /** Blobs of the commits that added the file, oldest first. */
  added: string[];
  is_deleted: boolean;
}

/** Lines of `git log --raw`: `:<mode> <mode> <blob> <blob> <status>\t<path>`. */
function readRaw(log: string): Map<string, FileHistory> {
  const histories = new Map<string, FileHistory>();
  for (const line of log.split('\n')) {
    const [, blob, status, path] = /^:\d+ \d+ [0-9a-f]+ ([0-9a-f]+) ([A-Z])\d*\t(.+)$/.exec(line) ?? [];
    if (blob === undefined || path === undefined || path === `released/${hash_list}`) continue;
    const known = histories.get(path) ?? { added: [], is_deleted: false };
    histories.set(path, known);
    if (status === 'A') known.added.push(blob);
    if (status === 'D') known.is_deleted = true;
  }
  return histories;
}

/** The name that git gives to these bytes; its length tells which hash the repository uses. */
function blobOf(bytes: Buffer, name_length: number): string {
  return createHash(name_length === 40 ? 'sha1' : 'sha256')
    .update(`blob ${bytes.length}\0`)
    .update(bytes)
    .digest('hex');
}
