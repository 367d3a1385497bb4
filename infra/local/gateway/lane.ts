import { EngineError } from './errors.ts';

export interface LaneOptions {
  /** How many may run at once. */
  parallel: number;
  /** How many may wait for their turn. */
  waiting: number;
  /** After so long at work the one who asked is told that the time is over. What the engine cannot stop goes on and keeps its place. */
  answer_within_ms?: number;
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
export function createLane({ parallel, waiting, answer_within_ms }: LaneOptions): Lane {
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
    const finished = finish(work, signal);
    return answer_within_ms === undefined ? finished : inTime(finished, answer_within_ms);
  };
  const finish = async <T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> => {
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

function inTime<T>(work: Promise<T>, ms: number): Promise<T> {
  return new Promise((done, fail) => {
    const over = setTimeout(() => {
      const told =
        'Timeout exceeded: the statement does not stop at its limit and keeps its place until it ends.';
      fail(new EngineError(159, `${told} (TIMEOUT_EXCEEDED)`));
    }, ms);
    void work.then(done, fail).finally(() => clearTimeout(over));
  });
}
