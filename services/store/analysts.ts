import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readProjections, servingVersion, type ProjectionVersion } from './projections.ts';
import type { Store } from './store.ts';

const folder = join(import.meta.dirname, '../../schemas/clickhouse/views');

/** What analysts read, in the order in which it is made: a view stands after those that it reads. */
export const analystViews = [
  'observations',
  'hail_cells',
  'hail_near',
  'hail_days',
  'citations',
  'coverage',
  'feed_status',
  'set_aside',
  'storm_reports',
  'alerts',
  'usage_daily',
  'dead_letters',
] as const;

export interface ViewOptions {
  /** The one product of the grids that answers are made of. */
  mrms_product: string;
}

export interface ViewDefinition {
  name: string;
  sql: string;
  /** The view's own COMMENT, which ends with the tables that it reads: by it the store says what a view was made of. */
  comment: string;
}

/**
 * The views as they are while these versions serve; those that read a projection of which none serves yet are left out. In the files
 * `{observations}` stands for the serving version of that projection, `{mrms_product}` for the product; `{name:Type}` is a parameter of the
 * view and stays.
 */
export function viewDefinitions(
  listed: readonly ProjectionVersion[],
  { mrms_product }: ViewOptions,
): ViewDefinition[] {
  const standsFor = (name: string): string | number | null =>
    name === 'mrms_product' ? mrms_product : servingVersion(listed, name.replaceAll('_', '-'));
  return analystViews.flatMap((name) => {
    const file = readFileSync(join(folder, `${name}.sql`), 'utf8').replace(/^\s*--.*\n/gm, '');
    if ([...file.matchAll(placeholder)].some(([, stood = '']) => standsFor(stood) === null)) return [];
    const sql = file.replace(placeholder, (_, stood: string) => String(standsFor(stood))).trim();
    const [, comment] = /\)?\s*COMMENT '((?:[^']|'')*)'$/.exec(sql) ?? [];
    if (comment === undefined)
      throw new Error(`schemas/clickhouse/views/${name}.sql does not end in a COMMENT`);
    return [{ name, sql, comment: comment.replaceAll("''", "'") }];
  });
}

const placeholder = /\{(\w+)\}/g;

/** Makes every view anew, at a program's start: a file may have changed since the store was last used. Safe to run again. */
export async function defineViews(
  store: Store,
  listed: readonly ProjectionVersion[],
  options: ViewOptions,
): Promise<void> {
  for (const { sql } of viewDefinitions(listed, options)) await store.command(sql);
}

/**
 * Makes those views anew that read other tables than the serving ones, or are missing. What the store has is asked each time, and no process
 * remembers it: whoever was killed between moving the pointer and making the views, or made them by a pointer it had read before, is put
 * right by a later look of any projector. Returns the names of the views it made.
 */
export async function followPointer(store: Store, options: ViewOptions): Promise<string[]> {
  const listed = await readProjections(store);
  const made = await store.rows<{ name: string; comment: string }>(
    "SELECT name, comment FROM system.tables WHERE database = currentDatabase() AND engine = 'View'",
  );
  const comments = new Map(made.map(({ name, comment }) => [name, comment]));
  const behind = viewDefinitions(listed, options).filter(
    ({ name, comment }) => comments.get(name) !== comment,
  );
  for (const { sql } of behind) await store.command(sql);
  return behind.map(({ name }) => name);
}
