import type { DatabaseSync } from 'node:sqlite';
import { partitionOf } from '../../services/log/partition.ts';
import { laterLetter, placeText } from '../../services/log/letters/state.ts';
import { topics } from '../../services/log/topics.ts';
import { newDatabase, startFeed, type FeedProcess } from './feed.ts';
import type { Simulation } from './parts.ts';
import { createProjectors, type Projectors } from './projector.ts';
import { createPublisher, publisher, record_keys, type PublisherWorld } from './publisher.ts';

export const observation = topics.observation.name;
export const dead_letter = topics.dead_letter.name;

/** Only these partitions hold any record of the simulation. */
export const partitions = [
  ...new Set(record_keys.map((key) => partitionOf(`${publisher}/${key}`, topics.observation.partitions))),
];

/** Who acts in a seed. */
export interface Cast {
  simulation: Simulation;
  world: PublisherWorld;
  projectors: Projectors;
  /** Versions that are built, the serving one first. */
  versions: number[];
  /** The process that owns the feed, or did until it died. */
  feed: FeedProcess;
  /** An older copy of the index's file. */
  copy: DatabaseSync | null;
  /** Letters that the operator has decided to leave alone for good. */
  left_alone: Set<string>;
  feeds_started: number;
}

export async function createCast(simulation: Simulation): Promise<Cast> {
  const { random } = simulation;
  const world = createPublisher(random);
  const projectors = createProjectors(simulation);
  const versions = [1];
  const feed = await startFeed(simulation, 'feed 1', newDatabase(simulation));
  projectors.start(versions);
  if (random.oneIn(2)) projectors.start(versions);
  const left_alone = new Set<string>();
  return { simulation, world, projectors, versions, feed, copy: null, left_alone, feeds_started: 1 };
}

/** The feed's owner dies, or only does not answer any more, and another process takes the feed over. */
export async function replaceFeed(cast: Cast): Promise<void> {
  const { simulation, feed: former } = cast;
  const { random, turns, note } = simulation;
  const is_killed = random.oneIn(2);
  if (is_killed) await turns.kill(former.process);
  else former.process.is_slow = true;
  former.handle.die();
  const found = random.weighted({ own: 3, copy: 2, nothing: 2 });
  // A living process keeps its file to itself.
  const database = found === 'own' && is_killed ? former.database : found === 'nothing' ? null : cast.copy;
  if (database === cast.copy) cast.copy = null;
  cast.feeds_started += 1;
  const name = `feed ${cast.feeds_started}`;
  cast.feed = await startFeed(simulation, name, database ?? newDatabase(simulation));
  note(() => `${name} takes the feed over, with ${database === null ? 'no' : `its ${found}`} index`);
}

/**
 * What an operator does about letters: retries and drops them, whether that is wise or not. At rest each is decided once: what can be
 * decoded is mostly retried, the rest mostly dropped, and some are left as they are.
 */
export async function tendLetters({ simulation, feed, left_alone }: Cast, is_rest: boolean): Promise<void> {
  const { random, codec, log, clock, letters, note } = simulation;
  for (const letter of letters.inState('dead')) {
    const place = placeText(letter);
    if (left_alone.has(place)) continue;
    const stored = log.messages(letter.topic, letter.partition)[letter.offset];
    const is_whole = codec.conditionOf(stored?.value ?? null) === 'whole';
    const at_rest = is_whole ? { retry: 6, drop: 2, leave: 1 } : { retry: 0, drop: 6, leave: 1 };
    const what = random.weighted(is_rest ? at_rest : { retry: 3, drop: 1, leave: 4 });
    if (what === 'leave' && is_rest) left_alone.add(place);
    if (what === 'leave') continue;
    const state = what === 'retry' ? ('retry' as const) : ('dropped' as const);
    note(() => `an operator: ${place} ${state}`);
    const said = { state, at: 'operator', reason: '', error: '', failed_at: clock() };
    const value = codec.encode(dead_letter, laterLetter(letter, said));
    await log.open().append(dead_letter, [{ key: letter.key, value }]);
  }
  feed.settleLetters();
}
