import type { DatabaseSync } from 'node:sqlite';
import type { FeedIndex } from '../../services/feeds/index/feed-index.ts';
import type { FactKind } from '../../services/feeds/kinds/kind.ts';
import type { EventLog } from '../../services/log/event-log.ts';
import type { DeadLetters } from '../../services/projector/dead-letters.ts';
import type { Projection } from '../../services/projector/projection.ts';
import { topics } from '../../services/log/topics.ts';
import type { Clock } from '../../services/runtime/clock.ts';
import type { LogOutput } from '../../services/runtime/log-output.ts';
import type { MemoryHandle, MemoryLog } from '../support/memory-log.ts';
import type { MemoryCodec } from './codec.ts';
import type { LetterBook } from './letters.ts';
import type { Random } from './random.ts';
import type { Tables } from './tables.ts';
import type { createTurns, Process } from './turns.ts';

/** What is done to the services' parts on their way into the simulation: nothing, or one rule broken on purpose. */
export interface Mutate {
  index: (index: FeedIndex, kind: FactKind) => FeedIndex;
  kind: (kind: FactKind) => FactKind;
  projection: (projection: Projection) => Projection;
  dead_letters: (letters: DeadLetters) => DeadLetters;
}

/** Indexes in memory: those of this seed, and those that are free because their seed is over. */
export interface Databases {
  used: DatabaseSync[];
  free: DatabaseSync[];
}

/** What all parts of one seed share. */
export interface Simulation {
  random: Random;
  turns: ReturnType<typeof createTurns>;
  clock: Clock;
  output: LogOutput;
  codec: MemoryCodec;
  log: MemoryLog;
  log_id: string;
  tables: Tables;
  letters: LetterBook;
  mutate: Mutate;
  databases: Databases;
  /** The newest owner of each feed by its epoch. */
  newest_epochs: Map<string, number>;
  /** What must never happen and did, as sentences. */
  violations: string[];
  /** Tells what happens; the words are made only where somebody listens. */
  note: (text: () => string) => void;
}

/** The log as one process sees it: before every call, and after an append, it waits for its turn, dies, or finds the log away. */
export function handleOf(simulation: Simulation, process: Process, handle: MemoryHandle): EventLog {
  const { turns, log } = simulation;
  return {
    ...handle,
    append: async (topic, messages, owner) => {
      await turns.turn(process, `append to ${topic}`, 'log');
      const appended = await handle.append(topic, messages, owner);
      if (owner !== undefined && owner.epoch < (simulation.newest_epochs.get(owner.resource) ?? 0))
        simulation.violations.push(`${process.name} has written to ${topic} and is no owner any more`);
      await turns.turn(process, `appended to ${topic}`, 'log');
      return appended;
    },
    endOffsets: async (topic) => {
      await turns.turn(process, `ends of ${topic}`);
      return handle.endOffsets(topic);
    },
    async *scan(topic, options) {
      await turns.turn(process, `scan of ${topic}`, 'log');
      const end = log.messages(topic, 0).length;
      yield* handle.scan(topic, options);
      if (topic === topics.dead_letter.name) process.letters_read = Math.max(process.letters_read, end);
    },
  };
}
