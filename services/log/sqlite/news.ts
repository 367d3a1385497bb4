import type { DatabaseSync } from 'node:sqlite';

/** How often the file is asked whether another process has written; one such question costs a few microseconds. */
const poll_ms = 50;

/** Tells waiting readers that something was written, by whatever process. */
export interface News {
  /** A number that differs after any write. Read it before looking, and wait with it after finding nothing. */
  version: () => number;
  /** Resolves once the version differs from `seen`, after `limit_ms`, or when `signal` aborts or the log closes. Never rejects. */
  after: (seen: number, limit_ms: number, signal?: AbortSignal) => Promise<void>;
  /** Says that this process may have written, so that its own readers need not wait for the next poll. */
  wake: () => void;
}

export function createNews(reader: DatabaseSync, closing: AbortSignal): News {
  const statement = reader.prepare('PRAGMA data_version');
  const waiting = new Set<() => void>();
  const version = (): number => Number(statement.get()?.['data_version']);

  return {
    version,
    wake: () => {
      for (const look of waiting) look();
    },
    after: (seen, limit_ms, signal) =>
      new Promise((resolve) => {
        if (closing.aborted || signal?.aborted === true || version() !== seen) {
          resolve();
          return;
        }
        const finish = (): void => {
          clearInterval(poll);
          clearTimeout(limit);
          waiting.delete(look);
          for (const each of [closing, signal]) each?.removeEventListener('abort', finish);
          resolve();
        };
        // A transaction that changed nothing is no news: waiters that look by transaction would wake one another without end.
        const look = (): void => {
          if (version() !== seen) finish();
        };
        const poll = setInterval(look, poll_ms);
        const limit = setTimeout(finish, limit_ms);
        waiting.add(look);
        for (const each of [closing, signal]) each?.addEventListener('abort', finish, { once: true });
      }),
  };
}
