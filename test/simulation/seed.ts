import { pino } from 'pino';
import { topics } from '../../services/log/topics.ts';
import { createMemoryLog } from '../support/memory-log.ts';
import { createCast, dead_letter, type Feeds } from './cast.ts';
import { createMemoryCodec, type Condition } from './codec.ts';
import { createLetterBook } from './letters.ts';
import { live } from './life.ts';
import { mutations, type Mutation, type MutationName } from './mutations.ts';
import type { Databases, Simulation } from './parts.ts';
import { createRandom } from './random.ts';
import { recordsOfLog, rest, type Rested } from './rest.ts';
import { createTables } from './tables.ts';
import { createTurns } from './turns.ts';

export interface SeedOptions {
  /** One rule broken on purpose. */
  mutation?: MutationName;
  /** Which feeds the house has, any unless told. */
  feeds?: Feeds;
  /** Hears what happens, in order. */
  listener?: (line: string) => void;
}

export interface SeedResult {
  seed: number;
  /** What does not hold, as sentences; empty where all is well. */
  violations: string[];
  /** What a seed has gone through: messages of records, batches, turns given, processes killed, dead letters, excepted records. */
  counts: {
    messages: number;
    batches: number;
    turns: number;
    deaths: number;
    letters: number;
    rebuilds: number;
    excepted: number;
    raced: number;
  };
}

/** The same in every seed, so that nothing depends on any chance but the seed's own. */
const log_id = 'simulated';
const output = pino({ level: 'silent' });

/** Runs seeds one after another. */
export function createSimulator(): {
  run: (seed: number, options?: SeedOptions) => Promise<SeedResult>;
  close: () => void;
} {
  const databases: Databases = { used: [], free: [] };
  return {
    run: async (seed, options = {}) => {
      const result = await runSeed(databases, seed, options);
      databases.free.push(...databases.used.splice(0));
      return result;
    },
    close: () => {
      for (const database of databases.free.splice(0)) database.close();
    },
  };
}

/** Runs one seed: a life with trouble, then a rest, then the comparison of live tables, a fresh rebuild and the truth. */
async function runSeed(databases: Databases, seed: number, options: SeedOptions): Promise<SeedResult> {
  const simulation = await createSimulation(databases, seed, options);
  const { turns, letters, tables } = simulation;
  const cast = await createCast(simulation, options.feeds ?? 'any');
  let rested: Rested = { violations: [], excepted: 0, raced: 0 };
  try {
    await live(cast);
    rested = await rest(cast);
  } catch (error) {
    turns.failure ??= error;
  }
  const violations = new Set([...rested.violations, ...simulation.violations, ...tables.violations]);
  if (turns.failure !== null)
    violations.add(turns.failure instanceof Error ? (turns.failure.stack ?? '') : 'something was thrown');
  const counts = {
    messages: recordsOfLog(cast),
    batches: tables.batches(),
    turns: turns.counts.given,
    deaths: turns.counts.killed,
    letters: letters.count(),
    rebuilds: cast.versions.length,
    excepted: rested.excepted,
    raced: rested.raced,
  };
  return { seed, violations: [...violations], counts };
}

async function createSimulation(
  databases: Databases,
  seed: number,
  options: SeedOptions,
): Promise<Simulation> {
  const random = createRandom(seed);
  const note: Simulation['note'] = (text) => options.listener?.(text());
  const mutation: Mutation = mutations[options.mutation ?? 'none'];
  let now = 1_500_000_000_000;
  const clock = (): number => (now += 1_000);
  const turns = createTurns(random, note);
  const share_broken = random.pick([0, 0.05, 0.15, 0.3]);
  const conditionOfNext = (topic: string): Condition => {
    if (topic === dead_letter || !turns.trouble || random.next() >= share_broken) return 'whole';
    return random.oneIn(4) ? 'lost' : 'broken';
  };
  const codec = createMemoryCodec(conditionOfNext);
  const log = createMemoryLog({ clock, id: log_id, is_fenced: mutation.is_fenced !== false });
  await log.open().ensureTopics(Object.values(topics));
  return {
    ...{ random, turns, clock, output, codec, log, log_id, databases, note },
    letters: createLetterBook(log, codec),
    tables: createTables({ is_last_position: mutation.is_last_position === true }),
    newest_epochs: new Map(),
    violations: [],
    mutate: mutation.mutate,
  };
}
