import { HailmarkError, systemCode } from '../../runtime/errors.ts';

/** SQLite's primary result codes, see https://www.sqlite.org/rescode.html. */
const busy = 5;
const locked = 6;
const passing = new Set([
  busy,
  locked,
  7 /* no memory */,
  8 /* read-only */,
  10 /* I/O */,
  13 /* full */,
  14 /* cannot open */,
]);
/** What an operator can do something about, in words. */
const reasons = new Map([
  [8, 'it may not be written by this user'],
  [13, 'its disk is full: make room'],
  [14, 'it cannot be opened by this user'],
]);
const damaged = new Set([11 /* corrupt */, 26 /* not a database */]);

/** True when another connection holds the lock that was asked for. */
export function busyCode(error: unknown): boolean {
  const code = resultCode(error);
  return code === busy || code === locked;
}

/** SQLite's failures as errors of the catalogue; everything else is returned as it is, above all our own mistakes in SQL. */
export function translated(error: unknown): unknown {
  const code = resultCode(error);
  if (code === null) return error;
  if (passing.has(code)) {
    return new HailmarkError(
      'HAIL_LOG_UNAVAILABLE',
      `The log file cannot be used at the moment: ${reasons.get(code) ?? 'try again'} (SQLite result ${code}).`,
      { cause: error },
    );
  }
  if (damaged.has(code)) {
    return new HailmarkError(
      'HAIL_DATA_DIR',
      'The log file is damaged or is no log file: restore it from a backup, or set HAILMARK_DATA_DIR to another folder.',
      { cause: error },
    );
  }
  return error;
}

function resultCode(error: unknown): number | null {
  if (systemCode(error) !== 'ERR_SQLITE_ERROR') return null;
  // The low byte is the primary code, the rest says more about it.
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
    ? error.errcode & 0xff
    : null;
}
