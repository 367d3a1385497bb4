import type { Store } from './store.ts';

export type ProjectionState = 'building' | 'serving' | 'kept' | 'removed';

export interface ProjectionVersion {
  projection: string;
  version: number;
  state: ProjectionState;
}

/** The newest state of every version of every projection. */
export async function readProjections(store: Store): Promise<ProjectionVersion[]> {
  return store.rows('SELECT projection, version, state FROM projections FINAL ORDER BY projection, version');
}

/** The table of a projection's version: readers learn names here and nowhere else. */
export function tableName(table: string, version: number): string {
  return `${table}_v${version}`;
}

/** The serving version of a projection, or null before the projector has written one. */
export function servingVersion(versions: readonly ProjectionVersion[], projection: string): number | null {
  return versions.find((each) => each.projection === projection && each.state === 'serving')?.version ?? null;
}

/**
 * Writes states, all of them in one insert of one block: of a switch readers see both rows or neither, so that exactly one version serves at
 * any moment. Dated after everything that is there, because the newest row of a version counts and a clock may have been set back.
 */
export async function writeProjections(
  store: Store,
  rows: readonly ProjectionVersion[],
  changed_at: number,
): Promise<void> {
  const [newest] = await store.rows<{ at: string | number }>(
    'SELECT toUnixTimestamp64Milli(max(changed_at)) AS at FROM projections',
  );
  const at = storedInstant(Math.max(changed_at, Number(newest?.at ?? 0) + 1));
  await store.insert(
    'projections',
    ['projection', 'version', 'state', 'changed_at'],
    rows.map(({ projection, version, state }) => [projection, version, state, at]),
  );
}

export function writeProjection(store: Store, row: ProjectionVersion, changed_at: number): Promise<void> {
  return writeProjections(store, [row], changed_at);
}

/**
 * An instant as the store's DateTime64(3) takes it in any format: seconds with three decimals, exact for every millisecond, also before
 * 1970.
 */
export function storedInstant(at_ms: number): string {
  return new Date(at_ms).toISOString().replace('T', ' ').replace('Z', '');
}
