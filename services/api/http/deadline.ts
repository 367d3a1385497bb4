import { notNow } from '../errors/api-error.ts';

const retry_after_s = 5;

/** Settles as `work` does, or refuses with 503 once `signal` aborts, whichever is first. */
export function withinDeadline<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = (): void =>
      reject(notNow('The request took too long; try again later.', retry_after_s, 'deadline'));
    if (signal.aborted) late();
    else signal.addEventListener('abort', late, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', late));
  });
}
