import type { GroupOptions, MessageBatch } from '../../services/log/event-log.ts';
import { createDeadLetters } from '../../services/projector/dead-letters.ts';
import { runProjections, type LoopDeps } from '../../services/projector/loop.ts';
import type { Projection } from '../../services/projector/projection.ts';
import { observationsProjection } from '../../services/projector/projections/observations.ts';
import { isTransient } from '../../services/runtime/errors.ts';
import type { Patiently } from '../../services/runtime/patience.ts';
import type { Store, Value } from '../../services/store/store.ts';
import { decodeBlock } from '../support/native-block.ts';
import { handleOf, type Simulation } from './parts.ts';
import type { Stream } from './side.ts';
import { topicOf } from './tables.ts';
import { createProcess, type Process } from './turns.ts';

/** The largest batch that is never taken for a schema incident, however much of it is dead. */
export const most_messages = 19;

/** A partition that one member of a version's group reads. */
interface Held {
  version: number;
  stream: Stream;
}

interface Seat extends Held {
  member: Member;
  /** Counts how often the partition has changed hands. */
  generation: number;
  /** Where its member goes on; null before it has asked where to begin. */
  next: number | null;
}

interface Member {
  process: Process;
  options: GroupOptions;
}

/** All projectors, and the groups that share partitions among them. */
export interface Projectors {
  living: () => readonly Process[];
  start: (versions: readonly number[]) => void;
  /** Lets every living projector build one more version. */
  add: (version: number) => void;
  kill: (process: Process) => Promise<void>;
  /** Gives a partition to another member: when its batch is done, or at once, as when its holder does not answer any more. */
  handOver: (version: number, stream: Stream, at_once: boolean) => void;
  /** Partitions whose holder is at work. */
  busy: () => Held[];
  /** Gives the partition's holder its next messages. */
  deliver: (version: number, stream: Stream, messages: number) => void;
}

export function createProjectors(simulation: Simulation): Projectors {
  const { turns, random, codec, clock, output, note } = simulation;
  const processes: { process: Process; deps: LoopDeps }[] = [];
  const members: Member[] = [];
  const seats = new Map<string, Seat>();
  /** How many letters a process had read when its newest batch of a partition began. */
  const letters_read = new Map<string, number>();
  let started = 0;

  /** A row of a message whose letter the process had read before it got the batch. One written meanwhile it cannot know. */
  const watch = (
    process: Process,
    table: string,
    columns: readonly string[],
    rows: readonly (readonly Value[])[],
  ): void => {
    const [partition_at, revision_at] = [columns.indexOf('log_partition'), columns.indexOf('revision')];
    const publisher_at = columns.indexOf('publisher');
    if (revision_at < 0) return;
    for (const row of rows) {
      const [partition, offset] = [Number(row[partition_at]), Number(row[revision_at])];
      const topic = topicOf({ publisher: row[publisher_at] ?? null });
      const opened = simulation.letters.openedAt({ topic, partition, offset });
      const at = placeOf(Number(table.replace(/.*_v/, '')), { topic, partition });
      const read = letters_read.get(`${process.name} ${at}`) ?? 0;
      if (opened !== null && opened < read)
        simulation.violations.push(
          `${table}: ${topic}/${partition}/${offset} has a dead letter and is projected`,
        );
    }
  };

  const groupOf = (version: number): string => `projector.observations.v${version}`;

  const living = (): Process[] => processes.map(({ process }) => process).filter(({ is_dead }) => !is_dead);

  const join = (process: Process, options: GroupOptions): ReturnType<LoopDeps['log']['join']> => {
    members.push({ process, options });
    const leave = (): Promise<void> => Promise.resolve();
    return Promise.resolve({ done: new Promise<void>(() => undefined), leave });
  };

  const run = (process: Process, deps: LoopDeps, versions: readonly number[]): void => {
    const projections = versions.map((version) =>
      simulation.mutate.projection(observationsProjection(version) as Projection),
    );
    turns.start(process, 'joins', async () => {
      await runProjections(deps, projections, { batch_messages: most_messages, signal: never });
    });
  };

  const membersOf = (version: number): Member[] =>
    members.filter(({ process, options }) => !process.is_dead && options.group === groupOf(version));

  const give = (version: number, stream: Stream, member: Member): Seat => {
    const at = placeOf(version, stream);
    const generation = (seats.get(at)?.generation ?? 0) + 1;
    const seat = { version, stream, member, generation, next: null };
    seats.set(at, seat);
    return seat;
  };

  /** The seat of a living member; somebody else's where the former one is dead. */
  const seatOf = (version: number, stream: Stream): Seat | null => {
    const seat = seats.get(placeOf(version, stream));
    if (seat !== undefined && !seat.member.process.is_dead) return seat;
    const able = membersOf(version);
    return able.length === 0 ? null : give(version, stream, random.pick(able));
  };

  return {
    living,
    start: (versions) => {
      started += 1;
      const process = createProcess(`projector ${started}`);
      note(() => `${process.name} starts with versions ${versions.join(' and ')}`);
      const log = {
        ...handleOf(simulation, process, simulation.log.open()),
        join: (options: GroupOptions) => join(process, options),
      };
      const dead_letters = simulation.mutate.dead_letters(createDeadLetters({ log, codec, clock, output }));
      const store = storeOf(simulation, process, watch);
      const patiently = patienceOf(simulation, process);
      const deps: LoopDeps = { log, codec, store, dead_letters, clock, output, patiently };
      processes.push({ process, deps });
      run(process, deps, versions);
    },
    add: (version) => {
      for (const { process, deps } of processes) if (!process.is_dead) run(process, deps, [version]);
    },
    kill: (process) => turns.kill(process),
    handOver: (version, stream, at_once) => {
      const seat = seatOf(version, stream);
      const at = placeOf(version, stream);
      const others = membersOf(version).filter((member) => member !== seat?.member);
      if (seat === null || others.length === 0) return;
      if (!at_once && turns.isBusy(seat.member.process, at)) return;
      const next = random.pick(others);
      note(() => `${next.process.name} takes v${at} from ${seat.member.process.name}`);
      // Who does not answer is slow, not dead: what it was about to write is still to come.
      if (at_once) seat.member.process.is_slow = true;
      give(version, stream, next);
    },
    busy: () => [...seats].flatMap(([at, seat]) => (turns.isBusy(seat.member.process, at) ? [seat] : [])),
    deliver: (version, stream, most) => {
      const at = placeOf(version, stream);
      const { topic, partition } = stream;
      const seat = seatOf(version, stream);
      if (seat === null || turns.isBusy(seat.member.process, at)) return;
      const { process, options } = seat.member;
      const isStale = (): boolean => seats.get(at) !== seat;
      turns.start(process, at, async () => {
        seat.next ??= await options.startAt(topic, partition);
        const stored = simulation.log.messages(topic, partition);
        const messages = stored.slice(seat.next, seat.next + most);
        if (messages.length === 0 || isStale()) return;
        const [first_offset, end_offset] = [seat.next, seat.next + messages.length];
        note(() => `${process.name} gets v${at} from ${first_offset} to ${end_offset}`);
        const batch: MessageBatch = {
          topic,
          partition,
          messages,
          first_offset,
          end_offset,
          high_watermark: stored.length,
          isStale,
        };
        letters_read.set(`${process.name} ${at}`, process.letters_read);
        await options.onBatch(batch);
        if (!isStale()) seat.next = end_offset;
      });
    },
  };
}

/** As in `1/hail.grid.v1/3`. */
function placeOf(version: number, { topic, partition }: Stream): string {
  return `${version}/${topic}/${partition}`;
}

const never = new AbortController().signal;

type Watch = (
  process: Process,
  table: string,
  columns: readonly string[],
  rows: readonly (readonly Value[])[],
) => void;

/** The store as one process sees it: its inserts happen in their turn, and their answers can be lost. */
function storeOf({ turns, tables }: Simulation, process: Process, watch: Watch): Store {
  const insert: Store['insert'] = async (table, columns, rows) => {
    await turns.turn(process, `insert into ${table}`, 'store');
    watch(process, table, columns, rows);
    await tables.insert(table, columns, rows);
    await turns.turn(process, `inserted into ${table}`, 'store');
  };
  return {
    rows: async (sql, parameters) => {
      await turns.turn(process, 'reads positions', 'store');
      return tables.rows(sql, parameters);
    },
    insert,
    insertBlock: async (table, block) => {
      const { columns, rows } = decodeBlock(block.bytes);
      if (rows.length > 0) await insert(table, columns, rows);
    },
    command: () => Promise.reject(new Error('no table is made here')),
    ping: () => Promise.resolve(true),
    close: () => Promise.resolve(),
  };
}

/** Waits by letting others have their turn. */
function patienceOf({ turns }: Simulation, process: Process): Patiently {
  return async (what, work) => {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!isTransient(error)) throw error;
        await turns.turn(process, `${what}, once more`);
      }
    }
  };
}
