import { PollFailed } from '../../services/feeds/poll-failure.ts';
import { createRandom } from '../simulation/random.ts';
import { mutate } from './mutate.ts';
import type { FuzzTarget } from './target.ts';

/** One run that found something. */
export interface Finding {
  target: string;
  run: number;
  problem: string;
  /** The mutated bytes, for a test that keeps the finding. */
  bytes: Buffer;
}

export interface Tally {
  runs: number;
  /** Runs whose bytes were read, runs whose bytes were refused by reason, and facts made of those read. */
  read: number;
  refused: Record<string, number>;
  records: number;
}

/** Mutates and reads, one run after another: the same seed, target and number give the same bytes on every machine. */
export function createFuzzer(
  target: FuzzTarget,
  seed: number,
): {
  tally: Tally;
  /** The bytes of a run. */
  bytesOf: (run: number) => Buffer;
  /** Null where nothing was found. */
  run: (run: number) => Promise<Finding | null>;
} {
  const seeds = target.seeds().map((bytes) => bytes.toString('latin1'));
  const mend = target.mend ?? ((text) => text);
  const tally: Tally = { runs: 0, read: 0, refused: {}, records: 0 };
  const refusalOf = target.refusalOf ?? ((error) => (error instanceof PollFailed ? error.reason : null));

  const bytesOf = (run: number): Buffer => {
    const random = createRandom(Math.imul(seed, 0x01000193) + run);
    const mutated = mutate(random.pick(seeds), random, seeds);
    return Buffer.from(random.oneIn(2) ? mend(mutated) : mutated, 'latin1');
  };

  return {
    tally,
    bytesOf,
    run: async (run) => {
      const bytes = bytesOf(run);
      tally.runs += 1;
      try {
        const { records, problems } = await target.run(bytes);
        tally.read += 1;
        tally.records += records;
        const [problem] = problems;
        return problem === undefined ? null : { target: target.name, run, problem, bytes };
      } catch (error) {
        const reason = refusalOf(error);
        if (reason !== null) {
          tally.refused[reason] = (tally.refused[reason] ?? 0) + 1;
          return null;
        }
        const problem = error instanceof Error ? (error.stack ?? error.message) : 'something was thrown';
        return { target: target.name, run, problem, bytes };
      }
    },
  };
}
