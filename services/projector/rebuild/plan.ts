import { HailmarkError } from '../../runtime/errors.ts';
import { tablesOf } from '../../store/migrations.ts';
import { readPositions } from '../../store/positions.ts';
import {
  readProjections,
  servingVersion,
  writeProjection,
  type ProjectionState,
  type ProjectionVersion,
} from '../../store/projections.ts';
import { isMissingTable } from '../../store/store.ts';
import { projectionAt, projectionNames } from '../all-projections.ts';
import type { Projection } from '../projection.ts';
import type { RebuildDeps } from './deps.ts';

/** The projection of a view: its own name or one of its tables. */
export function projectionOf(view: string): string {
  const found = projectionNames.find(
    (name) => name === view || tablesOf(projectionAt(name, 1)?.schema_files ?? []).includes(view),
  );
  if (found !== undefined) return found;
  const known = projectionNames.map((name) => {
    const tables = tablesOf(projectionAt(name, 1)?.schema_files ?? []);
    return `${name} (${tables.join(', ')})`;
  });
  throw new HailmarkError('HAIL_REBUILD', `There is no view ${view}. There are: ${known.join('; ')}.`);
}

/** A projection at a version that is known to exist. */
export function versionOf(name: string, version: number): Projection {
  const projection = projectionAt(name, version);
  if (projection === undefined)
    throw new HailmarkError('HAIL_REBUILD', `There is no projection ${name} in this program.`);
  return projection;
}

/** The versions of one projection, or of all. */
export async function listedVersions(
  { store }: Pick<RebuildDeps, 'store'>,
  name?: string,
): Promise<ProjectionVersion[]> {
  try {
    const listed = await readProjections(store);
    return listed.filter(({ projection }) => name === undefined || projection === name);
  } catch (error) {
    if (!isMissingTable(error)) throw error;
    throw new HailmarkError(
      'HAIL_REBUILD',
      'The store has no tables yet: start the projector first; it makes version 1 of every view.',
      { cause: error },
    );
  }
}

/** The version that answers. */
export async function servingOf(deps: Pick<RebuildDeps, 'store'>, name: string): Promise<Projection> {
  const version = servingVersion(await listedVersions(deps, name), name);
  if (version !== null) return versionOf(name, version);
  throw new HailmarkError('HAIL_REBUILD', `No version of ${name} serves yet: start the projector first.`);
}

/** The newest version of this log in one of the states; null where there is none. */
export async function newestOf(
  deps: Pick<RebuildDeps, 'store' | 'log'>,
  name: string,
  ...states: ProjectionState[]
): Promise<Projection | null> {
  const listed = await listedVersions(deps, name);
  for (const { version } of listed.filter(({ state }) => states.includes(state)).reverse()) {
    const projection = versionOf(name, version);
    if (await isOfThisLog(deps, projection)) return projection;
  }
  return null;
}

/** False where a version was made from another log; one without positions is of any. */
export async function isOfThisLog(
  { store, log }: Pick<RebuildDeps, 'store' | 'log'>,
  { name, version }: Projection,
): Promise<boolean> {
  const positions = await readPositions(store, name, version);
  return positions.every(({ log_id }) => log_id === log.id);
}

/**
 * The version to build: the one that a rebuild before this one has begun, or a next one, which is listed here and taken up by the projector.
 * A number is never used twice, so that nothing of a removed version can come back.
 */
export async function beginBuilding(
  deps: RebuildDeps,
  name: string,
): Promise<{ building: Projection; found: boolean }> {
  const begun = await newestOf(deps, name, 'building');
  if (begun !== null) return { building: begun, found: true };
  const listed = await listedVersions(deps, name);
  const building = versionOf(name, Math.max(...listed.map(({ version }) => version)) + 1);
  await writeProjection(
    deps.store,
    { projection: name, version: building.version, state: 'building' },
    deps.clock(),
  );
  return { building, found: false };
}

/** `observations.v2` as a projection and a version; null where it is no such name. */
export function parseVersion(text: string): { name: string; version: number } | null {
  const [, name = '', version = ''] = /^([\w-]+)\.v([1-9]\d{0,4})$/.exec(text) ?? [];
  return projectionNames.includes(name) ? { name, version: Number(version) } : null;
}
