import { HailmarkError } from '../../services/runtime/errors.ts';
import type { Random } from './random.ts';

/** A process of the simulation. It is dead once it was killed: nothing it was about to do happens any more. */
export interface Process {
  name: string;
  is_dead: boolean;
  /** How many messages of the letters' topic it has read. */
  letters_read: number;
  /** Stalled: it goes on, but mostly after all others. */
  is_slow: boolean;
}

export function createProcess(name: string): Process {
  return { name, is_dead: false, letters_read: 0, is_slow: false };
}

/** What a dying process's code sees at the point where it stood. No service catches it: it is no error of the catalogue. */
export class Killed extends Error {}

interface Waiting {
  process: Process;
  what: string;
  go: () => void;
  fail: (error: Error) => void;
}

/**
 * Whose turn it is. Everything that reaches beyond a process (an append, an insert, a reading of positions) waits for a turn before it
 * happens and, where an answer can be lost, once more after it. The simulation gives the turns one by one, in an order that the seed
 * decides, so that processes overtake one another and die between any two of them.
 */
export interface Turns {
  /** Waits for the turn of `process`. Rejects when it is killed there, or (`may_fail`) when what it speaks to is away. */
  turn: (process: Process, what: string, may_fail?: 'log' | 'store') => Promise<void>;
  /** Starts work of a process that goes on until it waits for a turn, ends or is killed. Errors other than the death come to `settle`. */
  start: (process: Process, what: string, work: () => Promise<void>) => void;
  /** Gives one turn to one of those that wait; false when nobody does. */
  giveOne: () => Promise<boolean>;
  /** Gives turns until all work is done. */
  drain: () => Promise<void>;
  kill: (process: Process) => Promise<void>;
  isBusy: (process: Process, what?: string) => boolean;
}

/** Work that neither ends nor waits for a turn is stuck. */
const most_idle = 1_000;

export function createTurns(
  random: Random,
  note: (text: () => string) => void,
): Turns & {
  /** While false, nothing fails by itself and every turn is given at once where nobody else waits. */
  trouble: boolean;
  failure: unknown;
  counts: { given: number; killed: number };
} {
  const waiting: Waiting[] = [];
  const running: { process: Process; what: string }[] = [];

  const settled = (): Promise<void> => new Promise((done) => setImmediate(done));

  const turns: ReturnType<typeof createTurns> = {
    trouble: true,
    failure: null,
    counts: { given: 0, killed: 0 },
    turn: (process, what, may_fail) => {
      if (process.is_dead) return Promise.reject(new Killed(process.name));
      if (!turns.trouble || random.oneIn(3)) return Promise.resolve();
      if (may_fail !== undefined && random.oneIn(40)) {
        note(() => `${process.name}: the ${may_fail} fails at "${what}"`);
        const code = may_fail === 'log' ? 'HAIL_LOG_UNAVAILABLE' : 'HAIL_STORE_UNAVAILABLE';
        return Promise.reject(new HailmarkError(code, 'It is away.'));
      }
      return new Promise((go, fail) => waiting.push({ process, what, go, fail }));
    },
    start: (process, what, work) => {
      const task = { process, what };
      running.push(task);
      const end = (): void => void running.splice(running.indexOf(task), 1);
      work().then(end, (error: unknown) => {
        end();
        if (!(error instanceof Killed)) turns.failure ??= error;
      });
    },
    giveOne: async () => {
      if (waiting.length === 0) return false;
      let at = random.below(waiting.length);
      for (let again = 3; again > 0 && waiting[at]?.process.is_slow === true; again -= 1)
        at = random.below(waiting.length);
      const [next] = waiting.splice(at, 1);
      turns.counts.given += 1;
      next?.go();
      await settled();
      return true;
    },
    drain: async () => {
      await settled();
      for (let idle = 0; running.length > 0;) {
        idle = (await turns.giveOne()) ? 0 : idle + 1;
        if (idle > most_idle)
          throw new Error(`nobody has a turn, yet ${running.map(({ what }) => what).join()} goes on`);
        if (idle > 0) await settled();
      }
    },
    kill: async (process) => {
      process.is_dead = true;
      turns.counts.killed += 1;
      const own = waiting.filter((each) => each.process === process);
      note(() => `${process.name} is killed${own.map(({ what }) => ` at "${what}"`).join('')}`);
      for (const each of own) waiting.splice(waiting.indexOf(each), 1);
      for (const each of own) each.fail(new Killed(process.name));
      await settled();
    },
    isBusy: (process, what) =>
      running.some((task) => task.process === process && (what === undefined || task.what === what)),
  };
  return turns;
}
