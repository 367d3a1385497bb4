import type { Clock } from './clock.ts';

/** A loop of the process that is to go round again and again, also while it waits for something that is away. */
export interface Loop {
  /** Says that it goes on. */
  tick: () => void;
  /** It has come to its end in order: nothing is expected of it any more. */
  end: () => void;
}

export interface LoopState {
  loop: string;
  /** By the clock on the wall, epoch milliseconds. */
  ticked_at: number;
  ticked_ago_ms: number;
  within_ms: number;
  is_stuck: boolean;
}

export interface Liveness {
  /** Begins a loop that ticks at least once in `within_ms`; it has ticked now. A second one of the same name takes the first one's place. */
  loop: (name: string, within_ms: number) => Loop;
  /** All that run, ascending by name. */
  loops: () => LoopState[];
}

/**
 * Whether the loops of a process go round. A process that answers at all has a living event loop; this tells of one that answers while its
 * work stands still. Ages are of a clock that nobody sets: a correction of the time must not end a process.
 */
export function createLiveness(deps: { clock: Clock; elapsed_ms: () => number }): Liveness {
  const loops = new Map<string, { within_ms: number; ticked_at: number; ticked_ms: number }>();
  return {
    loop: (name, within_ms) => {
      const state = { within_ms, ticked_at: deps.clock(), ticked_ms: deps.elapsed_ms() };
      loops.set(name, state);
      return {
        tick: () => {
          state.ticked_at = deps.clock();
          state.ticked_ms = deps.elapsed_ms();
        },
        end: () => {
          if (loops.get(name) === state) loops.delete(name);
        },
      };
    },
    loops: () => {
      const now_ms = deps.elapsed_ms();
      return [...loops]
        .map(([loop, { within_ms, ticked_at, ticked_ms }]) => {
          const ticked_ago_ms = now_ms - ticked_ms;
          return { loop, ticked_at, ticked_ago_ms, within_ms, is_stuck: ticked_ago_ms > within_ms };
        })
        .sort((a, b) => (a.loop < b.loop ? -1 : 1));
    },
  };
}
