import { partitions, replaceFeed, tendLetters, type Cast } from './cast.ts';
import { copyOfIndex, type Question } from './feed.ts';

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
  const { simulation, world, projectors, versions } = cast;
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
      const text = world.change();
      note(() => text);
      break;
    }
    case 'poll':
      await poll(cast);
      break;
    case 'deliver':
      for (const version of versions) {
        for (const partition of partitions) {
          const messages = 1 + random.below(random.pick([1, 2, 8]));
          if (!random.oneIn(3)) projectors.deliver(version, partition, messages);
        }
      }
      break;
    case 'replace_feed':
      await replaceFeed(cast);
      break;
    case 'copy_index':
      cast.copy = await copyOfIndex(simulation);
      break;
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
  const { simulation, world } = cast;
  const { random } = simulation;
  if (cast.feed.process.is_dead) await replaceFeed(cast);
  const question = (slice: string): Question => {
    const how = random.weighted({ listed: 12, again: 2, earlier: 4, incomplete: 2 });
    const document = how === 'earlier' ? world.earlier(slice) : world.current(slice);
    const size = document.records.size;
    const records = how === 'incomplete' ? random.below(size + 1) : size;
    return { document, as_listed: how === 'listed', records };
  };
  const asked = world.slices.filter(() => !random.oneIn(3)).map(question);
  if (random.oneIn(2)) asked.reverse();
  cast.feed.poll(random.oneIn(3) ? [asked] : asked.map((each) => [each]));
}

async function killProjector({ simulation, projectors, versions }: Cast): Promise<void> {
  const living = projectors.living();
  if (living.length > 0) await projectors.kill(simulation.random.pick(living));
  if (projectors.living().length === 0) projectors.start(versions);
}

/** Mostly a partition whose holder is at work, and mostly at once, so that two processes write for it at one time. */
function handOver({ simulation: { random }, projectors }: Cast): void {
  const busy = projectors.busy();
  const at = busy.length === 0 ? `1/${random.pick(partitions)}` : random.pick(busy);
  const [version = 1, partition = 0] = at.split('/').map(Number);
  projectors.handOver(version, partition, !random.oneIn(3));
  projectors.deliver(version, partition, 2 + random.below(8));
}

function repair({ simulation: { random, codec, note } }: Cast): void {
  const broken = codec.broken();
  if (broken.length === 0) return;
  const id = random.pick(broken);
  note(() => `message ${id} is repaired`);
  codec.repair(id);
}
