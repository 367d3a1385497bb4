import { HailmarkError } from '../../runtime/errors.ts';
import { followPointer } from '../../store/analysts.ts';
import { dropVersion, tablesOf } from '../../store/migrations.ts';
import { tableName, writeProjection, writeProjections } from '../../store/projections.ts';
import { nameOf, type Projection } from '../projection.ts';
import { compareTable } from './compare.ts';
import type { RebuildDeps } from './deps.ts';
import { beginBuilding, isOfThisLog, listedVersions, newestOf, servingOf, versionOf } from './plan.ts';
import { compareSample } from './sample.ts';
import { together, type Together } from './together.ts';
import { untilClose } from './watch.ts';

/** A comparison that lost its hold is made again so often. */
const most_comparisons = 5;

export type RebuildResult = 'switched' | 'agree' | 'differ';

export interface RebuildOptions {
  /** Compares and leaves the pointer where it is. */
  verify_only: boolean;
  /** Moves the pointer whatever the comparison says. */
  accept: boolean;
  sampled_cells: number;
}

/**
 * Builds the next version of a projection beside the serving one, compares both at one position vector, and moves the pointer where they
 * agree. May be killed at any moment: the version goes on being built, and the next rebuild finds it. One at a time for each projection.
 */
export async function rebuild(
  deps: RebuildDeps,
  name: string,
  options: RebuildOptions,
): Promise<RebuildResult> {
  return alone(deps, name, async () => {
    const serving = await servingOf(deps, name);
    const { building, found } = options.verify_only
      ? { building: await toVerify(deps, name), found: true }
      : await beginBuilding(deps, name);
    deps.say({ event: 'planned', serving: nameOf(serving), building: nameOf(building), found });
    if (!(await isOfThisLog(deps, serving))) return withoutComparison(deps, serving, building, options);

    await untilClose(deps, building, serving);
    for (let comparisons = 1; comparisons <= most_comparisons; comparisons += 1) {
      const result = await together(deps, [serving, building], (held) =>
        compareAndMove(deps, serving, building, options, held),
      );
      if (result !== null) return result;
    }
    throw new HailmarkError(
      'HAIL_REBUILD',
      'The versions could not be held for as long as the comparison takes: is the store overloaded? Nothing was switched; run it again.',
    );
  });
}

/** Moves the pointer back to the version that served before, once it stands where the serving one does. */
export async function rollback(deps: RebuildDeps, name: string): Promise<void> {
  await alone(deps, name, async () => {
    const serving = await servingOf(deps, name);
    const kept = await newestOf(deps, name, 'kept');
    if (kept === null)
      throw new HailmarkError('HAIL_REBUILD', `No version of ${name} is kept that could serve instead.`);
    if (!(await isOfThisLog(deps, serving))) return switchTo(deps, serving, kept);
    await untilClose(deps, kept, serving);
    return together(deps, [serving, kept], () => switchTo(deps, serving, kept));
  });
}

/** Removes a version by its name: marked first, so that the projector lets go of it, then its tables. Safe to run again after a kill. */
export async function remove(deps: RebuildDeps, name: string, version: number): Promise<void> {
  await alone(deps, name, async () => {
    const own = (await listedVersions(deps, name)).find((each) => each.version === version);
    if (own === undefined) throw new HailmarkError('HAIL_REBUILD', `There is no ${name}.v${version}.`);
    if (own.state === 'serving')
      throw new HailmarkError(
        'HAIL_REBUILD',
        `${name}.v${version} is the version that answers: it cannot be removed.`,
      );
    if (own.state !== 'removed')
      await writeProjection(deps.store, { ...own, state: 'removed' }, deps.clock());
    // A switch that was killed before its views were made may have left them on the tables that go now.
    await followPointer(deps.store, deps.views);
    const { schema_files } = versionOf(name, version);
    await dropVersion(deps.store, schema_files, version);
    const tables = tablesOf(schema_files).map((table) => tableName(table, version));
    deps.say({ event: 'removed', version: `${name}.v${version}`, tables });
  });
}

/** One operator at a time for each projection; a dead one's place is taken at once. */
async function alone<T>(deps: RebuildDeps, name: string, work: () => Promise<T>): Promise<T> {
  const ownership = await deps.log.claim(`rebuild/${name}`);
  try {
    return await work();
  } finally {
    await ownership.release();
  }
}

async function toVerify(deps: RebuildDeps, name: string): Promise<Projection> {
  const found = (await newestOf(deps, name, 'building')) ?? (await newestOf(deps, name, 'kept'));
  if (found !== null) return found;
  throw new HailmarkError(
    'HAIL_REBUILD',
    `There is one version of ${name} only: nothing to compare it with. Without --verify-only the next one is built.`,
  );
}

/** Null where the hold was lost on the way: what was compared then says nothing. */
async function compareAndMove(
  deps: RebuildDeps,
  serving: Projection,
  building: Projection,
  { verify_only, accept, sampled_cells }: RebuildOptions,
  held: Together,
): Promise<RebuildResult | null> {
  const { store, say, random } = deps;
  const versions = [serving.version, building.version] as const;
  let agree = true;
  const said: Parameters<typeof say>[0][] = [];
  for (const table of serving.compared) {
    deps.signal.throwIfAborted();
    const comparison = await compareTable(store, table, versions);
    agree &&= comparison.differing === 0;
    said.push({ event: 'compared', ...comparison });
  }
  if (serving.name === 'observations') {
    const sample = await compareSample(store, versions, { cells: sampled_cells, random });
    agree &&= sample.differing.length === 0;
    said.push({ event: 'sampled', ...sample });
  }
  if (!(await held.holds())) return null;
  said.forEach(say);
  if (verify_only) return agree ? 'agree' : 'differ';
  if (!agree && !accept) return 'differ';
  // Still held: the first answer of the new version is not older than the last of the old one.
  await switchTo(deps, serving, building);
  return 'switched';
}

async function withoutComparison(
  deps: RebuildDeps,
  serving: Projection,
  building: Projection,
  { verify_only, accept }: RebuildOptions,
): Promise<RebuildResult> {
  if (verify_only || !accept)
    throw new HailmarkError(
      'HAIL_REBUILD',
      `${nameOf(serving)} was made from another log, so that ${nameOf(building)} cannot be compared with it: --accept switches without.`,
    );
  await untilClose(deps, building, null);
  await together(deps, [building], () => switchTo(deps, serving, building));
  return 'switched';
}

/**
 * Both rows in one insert: for readers there is exactly one serving version at any moment. The views for analysts come after it; killed in
 * between, they go on reading the version before, which is kept and written, until a later look of a projector.
 */
async function switchTo(deps: RebuildDeps, from: Projection, to: Projection): Promise<void> {
  const row = ({ name, version }: Projection): { projection: string; version: number } => ({
    projection: name,
    version,
  });
  await writeProjections(
    deps.store,
    [
      { ...row(from), state: 'kept' },
      { ...row(to), state: 'serving' },
    ],
    deps.clock(),
  );
  await followPointer(deps.store, deps.views);
  deps.say({ event: 'switched', from: nameOf(from), to: nameOf(to) });
}
