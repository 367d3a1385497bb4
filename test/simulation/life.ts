import { replaceFeed, someHolding, tendLetters, type Cast } from './cast.ts';
import { copyOfIndex } from './feed.ts';

/** The last part of a life finds a publisher that changes hardly anything: nothing new comes that would mend what went wrong. */
const late = 0.6;

/** A life with trouble: things happen by chance, and between them some of those that wait get their turn. */
export async function live(cast: Cast): Promise<void> {
  const { random, turns } = cast.simulation;
  const happenings = 10 + random.below(41);
  for (let each = 0; each < happenings && turns.failure === null; each += 1) {
    await happen(cast, each > happenings * late);
    for (let given = random.below(14); given > 0; given -= 1) await turns.giveOne();
  }
}

async function happen(cast: Cast, is_late: boolean): Promise<void> {
  const { simulation, streams, projectors, versions } = cast;
  const { random, note } = simulation;
  const what = random.weighted({
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
      const text = someHolding(cast).side.change();
      note(() => text);
      break;
    }
    case 'poll':
      await poll(cast);
      break;
    case 'deliver':
      for (const version of versions) {
        for (const stream of streams) {
          const messages = 1 + random.below(random.pick([1, 2, 8]));
          if (!random.oneIn(3)) projectors.deliver(version, stream, messages);
        }
      }
      break;
    case 'replace_feed':
      await replaceFeed(cast, someHolding(cast));
      break;
    case 'copy_index': {
      const holding = someHolding(cast);
      holding.copy = await copyOfIndex(simulation, holding.side);
      break;
    }
    case 'kill_projector':
      await killProjector(cast);
      break;
    case 'start_projector':
      if (projectors.living().length < 2) projectors.start(versions);
      break;
    case 'hand_over':
      handOver(cast);
      break;
    case 'repair':
      repair(cast);
      break;
    case 'rebuild':
      if (versions.length > 1) break;
      note(() => 'version 2 is rebuilt from the beginning');
      versions.push(2);
      projectors.add(2);
      break;
    case 'letters':
      await tendLetters(cast, false);
      break;
  }
}

async function poll(cast: Cast): Promise<void> {
  const holding = someHolding(cast);
  if (holding.feed.process.is_dead) await replaceFeed(cast, holding);
  holding.feed.poll(holding.side.poll());
}

async function killProjector({ simulation, projectors, versions }: Cast): Promise<void> {
  const living = projectors.living();
  if (living.length > 0) await projectors.kill(simulation.random.pick(living));
  if (projectors.living().length === 0) projectors.start(versions);
}

/** Mostly a partition whose holder is at work, and mostly at once, so that two processes write for it at one time. */
function handOver({ simulation: { random }, streams, projectors }: Cast): void {
  const busy = projectors.busy();
  const { version, stream } =
    busy.length === 0 ? { version: 1, stream: random.pick(streams) } : random.pick(busy);
  projectors.handOver(version, stream, !random.oneIn(3));
  projectors.deliver(version, stream, 2 + random.below(8));
}

function repair({ simulation: { random, codec, note } }: Cast): void {
  const broken = codec.broken();
  if (broken.length === 0) return;
  const id = random.pick(broken);
  note(() => `message ${id} is repaired`);
  codec.repair(id);
}
