import { EngineError } from './errors.ts';

export interface LaneOptions {
  /** How many may run at once. */
  parallel: number;
  /** How many may wait for their turn. */
  waiting: number;
}

/** What the lane holds now. */
export interface LaneState {
  running: number;
  waiting: number;
}

export type Lane = (<T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T>) & {
  state: () => LaneState;
};

/**
 * At most `parallel` at once; beyond, first come first served, up to `waiting`; beyond that refused as ClickHouse refuses. Work whose signal
 * aborted while it waited is not begun.
 */
export function createLane({ parallel, waiting }: LaneOptions): Lane {
  let running = 0;
  const queue: (() => void)[] = [];
  const run = async <T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> => {
    if (running >= parallel) {
      if (queue.length >= waiting) {
        throw new EngineError(202, 'Too many simultaneous queries. (TOO_MANY_SIMULTANEOUS_QUERIES)');
      }
      await new Promise<void>((resolve) => queue.push(resolve));
    } else {
      running += 1;
    }
    try {
      if (signal.aborted) throw new EngineError(394, 'The client has gone. (QUERY_WAS_CANCELLED)');
      return await work();
    } finally {
      const next = queue.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
  return Object.assign(run, { state: () => ({ running, waiting: queue.length }) });
}
