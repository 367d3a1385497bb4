import type { LogOutput } from '../runtime/log-output.ts';
import { followPointer, type ViewOptions } from '../store/analysts.ts';
import type { ProjectionVersion } from '../store/projections.ts';
import type { Store } from '../store/store.ts';

/** Without a move of the pointer the store is asked every so many looks only: the question costs more than a look does. */
const looks_between = 10;

/**
 * Keeps the views for analysts with the pointer: at once where it moved, whoever moved it and whatever became of him; and now and then, for
 * views that another process made by a pointer it had read before.
 */
export function createFollower(
  { store, output }: { store: Store; output: LogOutput },
  options: ViewOptions,
): (listed: readonly ProjectionVersion[]) => Promise<void> {
  let followed = '';
  let looks = 0;
  return async (listed) => {
    const serving = listed
      .filter(({ state }) => state === 'serving')
      .map(({ projection, version }) => `${projection} ${version}`)
      .join('\n');
    looks += 1;
    if (serving === followed && looks % looks_between !== 0) return;
    const made = await followPointer(store, options);
    followed = serving;
    if (made.length > 0) output.info({ views: made }, 'views made anew: they read what serves');
  };
}
