import { pause } from '../runtime/clock.ts';
import { isHailmarkError } from '../runtime/errors.ts';
import type { GroupMember } from '../log/event-log.ts';
import type { ViewOptions } from '../store/analysts.ts';
import { createVersion } from '../store/migrations.ts';
import { readProjections, servingVersion, type ProjectionVersion } from '../store/projections.ts';
import { createFollower } from './follow-views.ts';
import { runProjection, type LoopDeps, type LoopOptions } from './loop.ts';
import { projectionsToRun } from './prepare.ts';
import { nameOf, type Projection } from './projection.ts';
import { claimTables } from './resume.ts';

export interface Versions {
  /** Rejects with the first error of a version that does not pass; resolves when all have left. */
  done: Promise<void>;
  leave: () => Promise<void>;
}

interface Running {
  projection: Projection;
  member: GroupMember;
  stop: AbortController;
}

/**
 * Runs every version that the table `projections` lists as building, serving or kept, also those listed later, and lets go of those marked
 * removed. Resolves when the versions listed now run. With `views`, those for analysts follow the pointer.
 */
export async function runVersions(
  deps: LoopDeps,
  options: LoopOptions & { look_ms?: number; views?: ViewOptions },
): Promise<Versions> {
  const { store, patiently, output, observer } = deps;
  const { signal, look_ms = 1_000, views } = options;
  const follow = views === undefined ? undefined : createFollower(deps, views);
  const stopping = new AbortController();
  const either = AbortSignal.any([signal, stopping.signal]);
  const stopped = (): boolean => either.aborted;
  const running = new Map<string, Running>();
  const left_out = new Set<string>();
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => undefined);

  const letGo = async (name: string): Promise<void> => {
    const version = running.get(name);
    running.delete(name);
    version?.stop.abort();
    await version?.member.leave();
    output.info({ projection: name }, 'removed: let go');
  };

  const takeUp = async (projection: Projection): Promise<void> => {
    const stop = new AbortController();
    const member = await runProjection(deps, projection, {
      ...options,
      signal: AbortSignal.any([either, stop.signal]),
    });
    const name = nameOf(projection);
    running.set(name, { projection, member, stop });
    member.done
      .catch(async (error: unknown) => {
        // The tables of a version that was just removed are gone under its hands: that is how it ends.
        const listed = await patiently('projections', () => readProjections(store));
        if (projectionsToRun(listed).some((each) => nameOf(each) === name)) throw error;
        running.delete(name);
      })
      .catch(failed.reject);
  };

  const look = async (): Promise<void> => {
    observer?.looking();
    const listed = await readProjections(store);
    const wanted = projectionsToRun(listed);
    const names = new Set(wanted.map(nameOf));
    for (const name of running.keys()) if (!names.has(name)) await letGo(name);
    const fresh = wanted.filter((each) => !running.has(nameOf(each)) && !left_out.has(nameOf(each)));
    // Version 1 came with the migrations; a later one is made here, by whichever projector finds it listed first.
    for (const { schema_files, version } of fresh) await createVersion(store, schema_files, version);
    const { own, others } = await claimAll(deps, fresh);
    for (const { projection, error } of others) {
      if (!isReplaced(projection, [...own, ...wanted.filter((each) => running.has(nameOf(each)))], listed))
        throw error;
      left_out.add(nameOf(projection));
      output.warn({ projection: nameOf(projection) }, 'made from another log: left as it stands');
    }
    for (const projection of own) await takeUp(projection);
    if (own.length > 0) output.info({ projections: own.map(nameOf) }, 'taken up');
    const isServing = ({ name, version }: Projection): boolean => version === servingVersion(listed, name);
    observer?.runs(
      [...running.values()].map(({ projection }) => ({ projection, is_serving: isServing(projection) })),
    );
    await follow?.(listed);
  };

  await patiently('projections', look);
  const looking = (async () => {
    while (!stopped()) {
      await pause(look_ms, either);
      if (!stopped()) await patiently('projections', look);
    }
    await Promise.all([...running.values()].map(({ member }) => member.done));
  })();
  return {
    done: Promise.race([looking, failed.promise]),
    leave: async () => {
      stopping.abort();
      for (const { member } of running.values()) await member.leave();
    },
  };
}

/** All tables are held against the log before any is written to. */
async function claimAll(
  deps: LoopDeps,
  projections: readonly Projection[],
): Promise<{ own: Projection[]; others: { projection: Projection; error: unknown }[] }> {
  const own: Projection[] = [];
  const others: { projection: Projection; error: unknown }[] = [];
  for (const projection of projections) {
    try {
      await deps.patiently('resume', () => claimTables(deps, projection));
      own.push(projection);
    } catch (error) {
      if (!isHailmarkError(error, 'HAIL_OTHER_LOG')) throw error;
      others.push({ projection, error });
    }
  }
  return { own, others };
}

/** True where a version of this log serves or is being built: the other one goes on answering as it stands until it is replaced. */
function isReplaced(
  { name }: Projection,
  runs: readonly Projection[],
  listed: readonly ProjectionVersion[],
): boolean {
  return runs.some(
    (each) =>
      each.name === name &&
      listed.some(
        ({ projection, version, state }) =>
          projection === name && version === each.version && (state === 'serving' || state === 'building'),
      ),
  );
}
