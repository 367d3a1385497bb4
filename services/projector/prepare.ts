import type { Clock } from '../runtime/clock.ts';
import type { Config } from '../runtime/config.ts';
import { defineViews, type ViewOptions } from '../store/analysts.ts';
import { catchUp, requireDatabaseKind } from '../store/database.ts';
import { createVersion, migrate } from '../store/migrations.ts';
import { readProjections, writeProjection, type ProjectionVersion } from '../store/projections.ts';
import { createStore, type Store } from '../store/store.ts';
import { projectionAt, projectionNames } from './all-projections.ts';
import type { Projection } from './projection.ts';

/** What is to run of the versions listed: all that this program knows, except those removed. */
export function projectionsToRun(listed: readonly ProjectionVersion[]): Projection[] {
  return listed
    .filter(({ state }) => state !== 'removed')
    .flatMap(({ projection, version }) => projectionAt(projection, version) ?? []);
}

/**
 * Brings the store's schema up to date and returns the projections to run: every version listed as building, serving or kept. A store
 * without any gets version 1 of each, serving. Then the views for analysts are made of what serves.
 */
export async function prepareStore(config: Config, store: Store, clock: Clock): Promise<Projection[]> {
  const outside = createStore(config, { timeout_ms: 60_000, in_database: false });
  const { CLICKHOUSE_DATABASE: database, CLICKHOUSE_CLUSTER: cluster } = config;
  try {
    await requireDatabaseKind(outside, database, cluster);
    await migrate(outside, store, database);
    await catchUp(store, database, cluster);
  } finally {
    await outside.close();
  }
  const listed = await readProjections(store);
  for (const projection of projectionNames) {
    if (listed.some((each) => each.projection === projection)) continue;
    await writeProjection(store, { projection, version: 1, state: 'serving' }, clock());
    listed.push({ projection, version: 1, state: 'serving' });
  }
  const projections = projectionsToRun(listed);
  // Version 1 came with the migrations; a later one is made here, by whichever projector finds it listed first.
  for (const { schema_files, version } of projections) await createVersion(store, schema_files, version);
  await defineViews(store, listed, viewOptions(config));
  return projections;
}

/** What the views for analysts take from the configuration. */
export function viewOptions({ MRMS_PRODUCT }: Pick<Config, 'MRMS_PRODUCT'>): ViewOptions {
  return { mrms_product: MRMS_PRODUCT };
}
