import type { DatabaseSync } from 'node:sqlite';
import { laterLetter, placeText } from '../../services/log/letters/state.ts';
import { topics } from '../../services/log/topics.ts';
import { newDatabase, startFeed, type FeedProcess } from './feed.ts';
import { createGranuleSide } from './granule-side.ts';
import type { Simulation } from './parts.ts';
import { createPointSide } from './point-side.ts';
import { createProjectors, type Projectors } from './projector.ts';
import { streamsOf, type Side, type Stream } from './side.ts';

export const dead_letter = topics.dead_letter.name;

/** Which feeds the house of a seed has; `any` leaves that to the seed. */
export type Feeds = 'any' | 'both' | 'points' | 'grids';

/** A feed's place in the house, and who holds it. */
export interface Holding {
  side: Side;
  /** The process that owns the feed, or did until it died. */
  feed: FeedProcess;
  /** An older copy of the index's file. */
  copy: DatabaseSync | null;
  started: number;
}

/** Who acts in a seed. */
export interface Cast {
  simulation: Simulation;
  holdings: Holding[];
  /** Partitions that hold any record. */
  streams: Stream[];
  projectors: Projectors;
  /** Versions that are built, the serving one first. */
  versions: number[];
  /** Letters that the operator has decided to leave alone for good. */
  left_alone: Set<string>;
}

export async function createCast(simulation: Simulation, wanted: Feeds): Promise<Cast> {
  const { random } = simulation;
  const feeds = wanted === 'any' ? random.weighted({ both: 3, points: 1, grids: 1 }) : wanted;
  const sides = [
    ...(feeds === 'grids' ? [] : [createPointSide(random)]),
    ...(feeds === 'points' ? [] : [createGranuleSide(random)]),
  ];
  const projectors = createProjectors(simulation);
  const versions = [1];
  const holdings: Holding[] = [];
  for (const side of sides) {
    const feed = await startFeed(simulation, side, `${side.process_name} 1`, newDatabase(simulation));
    holdings.push({ side, feed, copy: null, started: 1 });
  }
  projectors.start(versions);
  if (random.oneIn(2)) projectors.start(versions);
  const streams = sides.flatMap(streamsOf);
  return { simulation, holdings, streams, projectors, versions, left_alone: new Set<string>() };
}

/** One of the feeds, by chance; a house of one feed leaves nothing to chance. */
export function someHolding({ simulation: { random }, holdings }: Cast): Holding {
  const [only] = holdings;
  return only !== undefined && holdings.length === 1 ? only : random.pick(holdings);
}

/** A feed's owner dies, or only does not answer any more, and another process takes the feed over. */
export async function replaceFeed({ simulation }: Cast, holding: Holding): Promise<void> {
  const { feed: former, side } = holding;
  const { random, turns, note } = simulation;
  const is_killed = random.oneIn(2);
  if (is_killed) await turns.kill(former.process);
  else former.process.is_slow = true;
  former.handle.die();
  const found = random.weighted({ own: 3, copy: 2, nothing: 2 });
  // A living process keeps its file to itself.
  const database = found === 'own' && is_killed ? former.database : found === 'nothing' ? null : holding.copy;
  if (database === holding.copy) holding.copy = null;
  holding.started += 1;
  const name = `${side.process_name} ${holding.started}`;
  holding.feed = await startFeed(simulation, side, name, database ?? newDatabase(simulation));
  note(() => `${name} takes the feed over, with ${database === null ? 'no' : `its ${found}`} index`);
}

/**
 * What an operator does about letters: retries and drops them, whether that is wise or not. At rest each is decided once: what can be
 * decoded is mostly retried, the rest mostly dropped, and some are left as they are.
 */
export async function tendLetters(
  { simulation, holdings, left_alone }: Cast,
  is_rest: boolean,
): Promise<void> {
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
  for (const { feed } of holdings) feed.settleLetters();
}
