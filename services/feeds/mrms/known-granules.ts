import { granuleId } from '../../hail/grid.ts';
import type { FeedIndex } from '../index/feed-index.ts';
import type { GranuleEnding } from './read-granule.ts';
import type { ListedGranule } from './list-granules.ts';
import type { MeshProduct } from './products.ts';

/** What a feed knows of the granules that are listed. */
export interface KnownGranules {
  /** The granule, or this issue of it, has not been read, and asking for it may help. */
  isNews: (granule: ListedGranule) => boolean;
  /** As the index or this process's own reading has it: nothing of the granule is missing. */
  isRead: (granule: ListedGranule) => boolean;
  /** This issue was fetched and its bytes refused. */
  isRefused: (granule: ListedGranule) => boolean;
  ended: (granule: ListedGranule, ending: GranuleEnding) => void;
}

/**
 * The index knows what was published. What was refused is remembered by this process alone: fetching the same bytes every few minutes would
 * change nothing, and after a restart, perhaps with a better decoder, they are tried once more.
 */
export function createKnownGranules(
  product: Pick<MeshProduct, 'name'>,
  refused: Map<string, string>,
  index: Pick<FeedIndex, 'slice' | 'newestVersion' | 'isSettled'>,
): KnownGranules {
  const just_read = new Map<string, string>();

  const isRefused = ({ key, last_modified }: ListedGranule): boolean => refused.get(key) === last_modified;

  const isRead = ({ key, stamp, last_modified }: ListedGranule): boolean => {
    if (just_read.get(key) === last_modified) return true;
    const slice = granuleId({ product: product.name, stamp });
    // An older issue than was ever published could only take corrections back.
    if (last_modified < (index.newestVersion(slice) ?? '')) return true;
    const read = index.slice(slice)?.publisher_version ?? null;
    return read !== null && last_modified <= read && index.isSettled(slice);
  };

  return {
    isRead,
    isRefused,
    isNews: (granule) => !isRead(granule) && !isRefused(granule),
    ended: (granule, ending) => {
      if (ending === 'read') just_read.set(granule.key, granule.last_modified);
      if (ending === 'refused') refused.set(granule.key, granule.last_modified);
    },
  };
}
