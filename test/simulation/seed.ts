import type { DatabaseSync } from 'node:sqlite';
import { pino } from 'pino';
import { laterLetter, placeText } from '../../services/log/letters/state.ts';
import { topics } from '../../services/log/topics.ts';
import { createMemoryLog } from '../support/memory-log.ts';
import { createMemoryCodec, type Condition } from './codec.ts';
import { compare } from './compare.ts';
import { copyOfIndex, newDatabase, startFeed, type FeedProcess, type Question } from './feed.ts';
import { createLetterBook } from './letters.ts';
import { mutations, type Mutation, type MutationName } from './mutations.ts';
import type { Databases, Simulation } from './parts.ts';
import { createProjectors, most_messages } from './projector.ts';
import { createPublisher, record_keys, type Document } from './publisher.ts';
import { createRandom } from './random.ts';
import { createTables } from './tables.ts';
import { createTurns } from './turns.ts';
import { partitionOf } from '../../services/log/partition.ts';

export interface SeedOptions {
  /** One rule broken on purpose. */
  mutation?: MutationName;
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

const observation = topics.observation.name;
/** Only these hold any record of the simulation. */
const partitions = [
  ...new Set(record_keys.map((key) => partitionOf(`NOAA_SED/${key}`, topics.observation.partitions))),
];
/** A log id is the same in every seed, so that nothing depends on chance but the seed's own. */
const log_id = 'simulated';
const output = pino({ level: 'silent' });
const most_rounds = 12;

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
  const random = createRandom(seed);
  const { listener } = options;
  const note = (text: () => string): void => listener?.(text());
  const mutation: Mutation = mutations[options.mutation ?? 'none'];
  let now = 1_500_000_000_000;
  const clock = (): number => (now += 1_000);
  const share_broken = random.pick([0, 0.05, 0.15, 0.3]);
  const conditionOfNext = (topic: string): Condition => {
    if (topic === topics.dead_letter.name || !turns.trouble || random.next() >= share_broken) return 'whole';
    return random.oneIn(4) ? 'lost' : 'broken';
  };
  const turns = createTurns(random, note);
  const codec = createMemoryCodec(conditionOfNext);
  const log = createMemoryLog({ clock, id: log_id, is_fenced: mutation.is_fenced !== false });
  await log.open().ensureTopics(Object.values(topics));
  const letters = createLetterBook(log, codec);
  const tables = createTables({
    ...(mutation.is_last_position === true ? { is_last_position: true } : {}),
  });
  const simulation: Simulation = {
    random,
    turns,
    clock,
    output,
    codec,
    log,
    log_id,
    tables,
    letters,
    newest_epoch: 0,
    violations: [],
    mutate: mutation.mutate,
    databases,
    note,
  };
  const world = createPublisher(random);
  const projectors = createProjectors(simulation);
  const versions = [1];
  let feeds = 0;
  let copy: DatabaseSync | null = null;
  const start = (database: DatabaseSync): Promise<FeedProcess> => {
    feeds += 1;
    return startFeed(simulation, `feed ${feeds}`, database);
  };
  let feed = await start(newDatabase(simulation));
  projectors.start(versions);
  if (random.oneIn(2)) projectors.start(versions);

  const question = (slice: string): Question => {
    const how = random.weighted({ listed: 12, again: 2, earlier: 4, incomplete: 2 });
    const document: Document = how === 'earlier' ? world.earlier(slice) : world.current(slice);
    const size = document.records.size;
    return {
      document,
      as_listed: how === 'listed',
      records: how === 'incomplete' ? random.below(size + 1) : size,
    };
  };

  const replaceFeed = async (): Promise<void> => {
    const former = feed;
    const is_killed = random.oneIn(2);
    if (is_killed) await turns.kill(former.process);
    else former.process.is_slow = true;
    former.handle.die();
    const found = random.weighted({ own: 3, copy: 2, nothing: 2 });
    // A living process keeps its file to itself.
    const database = found === 'own' && is_killed ? former.database : found === 'nothing' ? null : copy;
    if (database === copy) copy = null;
    feed = await start(database ?? newDatabase(simulation));
    note(
      () =>
        `${feed.process.name} takes the feed over, with ${database === null ? 'no' : `its ${found}`} index`,
    );
  };

  const left = new Set<string>();

  const happen = async (is_late: boolean): Promise<void> => {
    const what = random.weighted({
      // Late trouble finds a publisher that rests already: nothing new comes that would mend what went wrong.
      change: is_late ? 1 : 10,
      poll: 10,
      deliver: 8,
      replace_feed: 2.5,
      copy_index: 0.7,
      kill_projector: 1.2,
      start_projector: 1,
      hand_over: 4,
      repair: 1.5,
      rebuild: 0.6,
      letters: 2,
    });
    switch (what) {
      case 'change': {
        const text = world.change();
        note(() => text); return;
      }
      case 'poll': {
        if (feed.process.is_dead) await replaceFeed();
        const asked = world.slices.filter(() => !random.oneIn(3)).map(question);
        if (random.oneIn(2)) asked.reverse();
        feed.poll(random.oneIn(3) ? [asked] : asked.map((each) => [each])); return;
      }
      case 'deliver':
        for (const version of versions)
          for (const partition of partitions)
            if (!random.oneIn(3))
              projectors.deliver(version, partition, 1 + random.below(random.pick([1, 2, 8])));
        return;
      case 'replace_feed':
        return replaceFeed();
      case 'copy_index':
        copy = await copyOfIndex(simulation);
        return;
      case 'kill_projector': {
        const living = projectors.living();
        if (living.length > 0) await projectors.kill(random.pick(living));
        if (projectors.living().length === 0) projectors.start(versions);
        return;
      }
      case 'start_projector':
        if (projectors.living().length < 2) projectors.start(versions);
        return;
      case 'hand_over': {
        const busy = projectors.busy();
        const at = busy.length === 0 ? `1/${random.pick(partitions)}` : random.pick(busy);
        const [version = 1, partition = 0] = at.split('/').map(Number);
        projectors.handOver(version, partition, !random.oneIn(3));
        projectors.deliver(version, partition, 2 + random.below(8)); return;
      }
      case 'repair': {
        const broken = codec.broken();
        if (broken.length === 0) return;
        const id = random.pick(broken);
        note(() => `message ${id} is repaired`);
        codec.repair(id); return;
      }
      case 'rebuild':
        if (versions.length > 1) return;
        note(() => 'version 2 is rebuilt from the beginning');
        versions.push(2);
        { projectors.add(2); return; }
      case 'letters':
        return tendLetters(false);
    }
  };

  /**
   * What an operator does about letters: retries and drops them, whether that is wise or not. At rest each is decided once: what can be
   * decoded is mostly retried, the rest mostly dropped, and some are left as they are.
   */
  const tendLetters = async (is_rest: boolean): Promise<void> => {
    const topic = topics.dead_letter.name;
    for (const letter of letters.inState('dead')) {
      const place = placeText(letter);
      if (left.has(place)) continue;
      const stored = log.messages(letter.topic, letter.partition)[letter.offset];
      const is_whole = codec.conditionOf(stored?.value ?? null) === 'whole';
      const at_rest = is_whole ? { retry: 6, drop: 2, leave: 1 } : { retry: 0, drop: 6, leave: 1 };
      const what = random.weighted(is_rest ? at_rest : { retry: 3, drop: 1, leave: 4 });
      if (what === 'leave' && is_rest) left.add(place);
      if (what === 'leave') continue;
      const state = what === 'retry' ? ('retry' as const) : ('dropped' as const);
      note(() => `an operator: ${place} ${state}`);
      const said = { state, at: 'operator', reason: '', error: '', failed_at: clock() };
      await log
        .open()
        .append(topic, [{ key: letter.key, value: codec.encode(topic, laterLetter(letter, said)) }]);
    }
    feed.settleLetters();
  };

  const deliverAll = async (of: readonly number[]): Promise<void> => {
    for (;;) {
      await turns.drain();
      let is_behind = false;
      for (const version of of) {
        for (const partition of partitions) {
          const passed = tables.positions(version).get(partition) ?? 0;
          if (passed >= log.messages(observation, partition).length) continue;
          is_behind = true;
          projectors.deliver(version, partition, most_messages);
        }
      }
      if (!is_behind || turns.failure !== null) return;
    }
  };

  const sizeOfLog = (topic: string): number =>
    Array.from(
      { length: topics.observation.partitions },
      (_, each) => log.messages(topic, each).length,
    ).reduce((sum, each) => sum + each, 0);

  const pollAll = async (as_listed: boolean): Promise<void> => {
    feed.poll(
      world.slices
        .map(world.current)
        .map((document) => [{ document, as_listed, records: document.records.size }]),
    );
    await turns.drain();
  };

  const rest = async (): Promise<string[]> => {
    turns.trouble = false;
    note(() => 'rest');
    await turns.drain();
    world.rest();
    for (const id of codec.broken()) codec.repair(id);
    if (feed.process.is_dead) await replaceFeed();
    if (projectors.living().length === 0) projectors.start(versions);
    for (let round = 0; ; round += 1) {
      const before = [sizeOfLog(observation), sizeOfLog(topics.dead_letter.name)].join();
      await pollAll(true);
      await deliverAll(versions);
      await tendLetters(true);
      await turns.drain();
      if (turns.failure !== null) return [];
      if ([sizeOfLog(observation), sizeOfLog(topics.dead_letter.name)].join() === before) break;
      if (round === most_rounds) return ['the feed goes on publishing though its publisher rests'];
    }
    const fresh = 3;
    projectors.start([fresh]);
    await deliverAll([fresh]);
    const { differences, excepted, raced } = compare({ tables, log, codec, letters, world }, [
      ...versions,
      fresh,
    ]);
    counts.excepted = excepted.length;
    counts.raced = raced.length;
    for (const letter of letters.inState('retry'))
      differences.push(`nobody has answered ${placeText(letter)}`);
    const before = sizeOfLog(observation);
    await pollAll(false);
    if (sizeOfLog(observation) > before) differences.push('what has not changed is published again');
    return differences;
  };

  const counts: SeedResult['counts'] = {
    messages: 0,
    batches: 0,
    turns: 0,
    deaths: 0,
    letters: 0,
    rebuilds: 0,
    excepted: 0,
    raced: 0,
  };
  const violations: string[] = [];
  try {
    const happenings = 10 + random.below(41);
    for (let each = 0; each < happenings && turns.failure === null; each += 1) {
      await happen(each > happenings * 0.6);
      for (let given = random.below(14); given > 0; given -= 1) await turns.giveOne();
    }
    violations.push(...(await rest()));
  } catch (error) {
    turns.failure ??= error;
  }
  if (turns.failure !== null)
    violations.push(turns.failure instanceof Error ? (turns.failure.stack ?? '') : 'something was thrown');
  violations.push(...simulation.violations, ...tables.violations);
  counts.messages = sizeOfLog(observation);
  counts.batches = tables.batches();
  counts.turns = turns.counts.given;
  counts.deaths = turns.counts.killed;
  counts.letters = letters.count();
  counts.rebuilds = versions.length;
  return { seed, violations: [...new Set(violations)], counts };
}
