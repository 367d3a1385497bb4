import { placeText } from '../../services/log/letters/state.ts';
import { topics } from '../../services/log/topics.ts';
import { dead_letter, replaceFeed, tendLetters, type Cast } from './cast.ts';
import { compare } from './compare.ts';
import { most_messages } from './projector.ts';

/** A version that is built from offset 0 when all is over. */
const fresh = 3;
/** A feed whose publisher rests has nothing left to publish after fewer polls. */
const most_rounds = 12;

export interface Rested {
  /** What does not hold, as sentences. */
  violations: string[];
  excepted: number;
  raced: number;
}

/** Nothing fails any more: everything repaired or decided, polls until they are quiet, projectors at the end of the log. */
export async function rest(cast: Cast): Promise<Rested> {
  const { turns, codec, note } = cast.simulation;
  turns.trouble = false;
  note(() => 'rest');
  await turns.drain();
  for (const { side } of cast.holdings) side.rest();
  for (const id of codec.broken()) codec.repair(id);
  for (const holding of cast.holdings) if (holding.feed.process.is_dead) await replaceFeed(cast, holding);
  if (cast.projectors.living().length === 0) cast.projectors.start(cast.versions);
  const is_quiet = await becomeQuiet(cast);
  if (turns.failure !== null) return { violations: [], excepted: 0, raced: 0 };
  if (!is_quiet) {
    const goes_on = 'a feed goes on publishing though its publisher rests';
    return { violations: [goes_on], excepted: 0, raced: 0 };
  }
  return judge(cast);
}

/** Polls as feeds do, which leave unread what they take for settled. */
async function becomeQuiet(cast: Cast): Promise<boolean> {
  const { turns } = cast.simulation;
  const size = (): number => recordsOfLog(cast) + sizeOfLog(cast, dead_letter);
  for (let round = 0; round < most_rounds; round += 1) {
    const before = size();
    await pollAll(cast, true);
    await deliverAll(cast, cast.versions);
    await tendLetters(cast, true);
    await turns.drain();
    if (turns.failure !== null || size() === before) return true;
  }
  return false;
}

async function judge(cast: Cast): Promise<Rested> {
  const { simulation, projectors, versions } = cast;
  projectors.start([fresh]);
  await deliverAll(cast, [fresh]);
  const sides = cast.holdings.map(({ side }) => side);
  const { differences, excepted, raced } = compare({ ...simulation, sides }, [...versions, fresh]);
  const violations = [...differences];
  for (const letter of simulation.letters.inState('retry'))
    violations.push(`nobody has answered ${placeText(letter)}`);
  const before = recordsOfLog(cast);
  await pollAll(cast, false);
  if (recordsOfLog(cast) > before) violations.push('what has not changed is published again');
  return { violations, excepted: excepted.length, raced: raced.length };
}

async function deliverAll(
  { simulation, streams, projectors }: Cast,
  versions: readonly number[],
): Promise<void> {
  const { turns, tables, log } = simulation;
  for (let is_behind = true; is_behind && turns.failure === null;) {
    await turns.drain();
    is_behind = false;
    for (const version of versions) {
      for (const stream of streams) {
        const { topic, partition } = stream;
        const passed = tables.positions(version, topic).get(partition) ?? 0;
        if (passed >= log.messages(topic, partition).length) continue;
        is_behind = true;
        projectors.deliver(version, stream, most_messages);
      }
    }
  }
}

async function pollAll({ simulation, holdings }: Cast, as_listed: boolean): Promise<void> {
  for (const { side, feed } of holdings) feed.poll(side.pollAll(as_listed));
  await simulation.turns.drain();
}

/** How many messages all topics of records have. */
export function recordsOfLog(cast: Cast): number {
  return sizeOfLog(cast, topics.observation.name) + sizeOfLog(cast, topics.grid.name);
}

function sizeOfLog({ simulation: { log } }: Cast, topic: string): number {
  let size = 0;
  for (let each = 0; each < topics.observation.partitions; each += 1)
    size += log.messages(topic, each).length;
  return size;
}
