import { pause } from '../../runtime/clock.ts';
import { HailmarkError } from '../../runtime/errors.ts';
import { lastBeat, writeHolds } from '../../store/holds.ts';
import { hold_lease_ms } from '../holds.ts';
import { nameOf, type Projection } from '../projection.ts';
import type { Place, RebuildDeps } from './deps.ts';
import { createMeter, endsOf, reachedAt, sum } from './watch.ts';

const look_ms = 100;
const beat_ms = 1_000;
/** Past so many vectors the projector does not honour holds. */
const most_vectors = 30;

export interface Together {
  vector: readonly Place[];
  /** True while both versions stand at the vector and the projector still knows that we live. */
  holds: () => Promise<boolean>;
}

/**
 * Brings versions of one projection to the same position in every partition, keeps them there while `work` runs, and lets them go whatever
 * became of it. The vector is the log's end of a moment; versions never go back, so where one has passed it already a later one is taken.
 */
export async function together<T>(
  deps: RebuildDeps,
  versions: readonly [Projection, ...Projection[]],
  work: (together: Together) => Promise<T>,
): Promise<T> {
  const { store, clock, say, signal } = deps;
  const [{ name: projection }] = versions;
  let vector: Place[] = [];
  let beat = await lastBeat(store, projection);
  let beaten_at = -Infinity;
  const write = async (lifted: boolean): Promise<void> => {
    beat += 1;
    const at = clock();
    const holds = vector.map(({ topic, partition, offset }) => ({
      projection,
      topic,
      partition,
      hold_at: offset,
      beat,
    }));
    await writeHolds(store, holds, lifted);
    beaten_at = at;
  };
  let beating = Promise.resolve();
  // A beat that fails is made up for by the next; past the lease `holds` says so.
  const timer = setInterval(() => {
    beating = beating.then(() => write(false)).catch(() => undefined);
  }, beat_ms);

  try {
    vector = await hold();
    say({ event: 'held', projection, vector });
    return await work({
      vector,
      holds: async () =>
        clock() - beaten_at < hold_lease_ms / 2 && (await standings()).every((each) => each === 'at'),
    });
  } finally {
    clearInterval(timer);
    await beating;
    if (vector.length > 0) await write(true);
  }

  /** Every version's standing against the vector: the furthest partition decides what is done. */
  async function standings(): Promise<('before' | 'at' | 'beyond')[]> {
    return Promise.all(
      versions.map(async (version) => {
        const reached = await reachedAt(deps, version, vector);
        if (reached.some((offset, at) => (offset ?? 0) > (vector[at]?.offset ?? 0))) return 'beyond';
        return reached.every((offset, at) => offset === vector[at]?.offset) ? 'at' : 'before';
      }),
    );
  }

  async function hold(): Promise<Place[]> {
    for (let vectors = 1; vectors <= most_vectors; vectors += 1) {
      vector = await endsOf(deps, versions[0]);
      await write(false);
      const meters = versions.map((version) => createMeter(deps, nameOf(version)));
      for (;;) {
        signal.throwIfAborted();
        const standing = await standings();
        if (standing.includes('beyond')) break;
        if (standing.every((each) => each === 'at')) return vector;
        for (const [at, version] of versions.entries()) {
          if (standing[at] === 'at') continue;
          const reached = await reachedAt(deps, version, vector);
          meters[at]?.read(sum(reached), sum(vector.map(({ offset }) => offset)));
        }
        await pause(look_ms, signal);
      }
      say({ event: 'passed_over', projection });
    }
    throw new HailmarkError(
      'HAIL_REBUILD',
      `The versions of ${projection} do not stand still where they are held: are all projectors of this release?`,
    );
  }
}
