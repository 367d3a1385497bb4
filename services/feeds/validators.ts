import type { DatabaseSync } from 'node:sqlite';

/** What a publisher's server said of the last body of a URL, and the body's own hash. */
export interface Validators {
  etag: string | null;
  last_modified: string | null;
  sha256: string;
}

/**
 * By URL, the last body that was asked for conditionally and whose poll fact stands in the log. Kept in the feed's index and emptied with
 * it: of a body that was read and never published, "not modified" would be a lie.
 */
export interface ValidatorBook {
  known: (url: string) => Validators | null;
  /** Before anything of another body is published: a crash after that must find no validators of the body it replaces. */
  forget: (url: string) => void;
  /** Only once the poll fact of the body was appended. */
  remember: (url: string, validators: Validators) => void;
}

export function createValidatorBook(database: DatabaseSync): ValidatorBook {
  const get = database.prepare('SELECT etag, last_modified, sha256 FROM validators WHERE url = ?');
  const put = database.prepare('INSERT OR REPLACE INTO validators VALUES (?, ?, ?, ?)');
  const remove = database.prepare('DELETE FROM validators WHERE url = ?');
  const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);
  return {
    known: (url) => {
      const row = get.get(url);
      if (row === undefined) return null;
      return {
        etag: textOrNull(row['etag']),
        last_modified: textOrNull(row['last_modified']),
        sha256: String(row['sha256']),
      };
    },
    forget: (url) => void remove.run(url),
    remember: (url, { etag, last_modified, sha256 }) => void put.run(url, etag, last_modified, sha256),
  };
}
