import { notNow } from '../errors/api-error.ts';

const retry_after_s = 5;

/** Does the work when it is its turn. */
export type Gate = <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T>;

/**
 * Lets so many through at once and has so many wait, first come first served; whoever comes beyond that is told 503 at once, because a
 * queue without an end answers nobody. A turn is held until the work has settled, not until its asker has gone: never more than
 * `in_flight` are at work. Whoever goes while waiting leaves the queue.
 */
export function createGate(
  options: { in_flight: number; queue: number },
  /** Told of each change of the queue. */
  onWaiting: (waiting: number) => void = () => undefined,
): Gate {
  const waiting = new Set<() => void>();
  let at_work = 0;

  const turn = (signal: AbortSignal): Promise<void> => {
    if (at_work < options.in_flight) {
      at_work += 1;
      return Promise.resolve();
    }
    const late = (): Error =>
      notNow('The request waited too long for its turn; try again later.', retry_after_s, 'deadline');
    if (signal.aborted) return Promise.reject(late());
    if (waiting.size >= options.queue) {
      return Promise.reject(
        notNow('The service is at capacity; try again later.', retry_after_s, 'capacity'),
      );
    }
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        onWaiting(waiting.size);
        signal.removeEventListener('abort', leave);
        at_work += 1;
        resolve();
      };
      const leave = (): void => {
        waiting.delete(begin);
        onWaiting(waiting.size);
        reject(late());
      };
      waiting.add(begin);
      onWaiting(waiting.size);
      signal.addEventListener('abort', leave, { once: true });
    });
  };
  return async (work, signal) => {
    await turn(signal);
    try {
      return await work();
    } finally {
      at_work -= 1;
      const [next] = waiting;
      if (next !== undefined) {
        waiting.delete(next);
        next();
      }
    }
  };
}
