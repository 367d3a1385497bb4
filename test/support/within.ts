/**
 * What a start or an end may take in a test: many times what it takes on a busy machine, and well below the time of a test file. A hook has
 * no time of its own in node:test, so whatever waits for another program waits no longer than this, and says what it waited for.
 */
export const patience_ms = 120_000;

/** The same promise, given up after a span that only a failure takes; `said` adds what is known by then, such as a program's last words. */
export function within<T>(
  what: string,
  work: Promise<T>,
  said: () => string = () => '',
  limit_ms = patience_ms,
): Promise<T> {
  return new Promise((done, fail) => {
    const timer = setTimeout(() => {
      const words = said().trim();
      fail(new Error(`not within ${limit_ms / 1_000} s: ${what}${words === '' ? '' : ` (${words})`}`));
    }, limit_ms);
    work.then(done, fail).finally(() => clearTimeout(timer));
  });
}
