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

export async function writeProjection(
  store: Store,
  row: ProjectionVersion,
  changed_at: number,
): Promise<void> {
  await store.insert(
    'projections',
    ['projection', 'version', 'state', 'changed_at'],
    [[row.projection, row.version, row.state, storedInstant(changed_at)]],
  );
}

/**
 * An instant as the store's DateTime64(3) takes it in any format: seconds with three decimals, exact for every millisecond, also before
 * 1970.
 */
export function storedInstant(at_ms: number): string {
  return new Date(at_ms).toISOString().replace('T', ' ').replace('Z', '');
}
