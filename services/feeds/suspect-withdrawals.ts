import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dataFolder } from '../runtime/config.ts';

/** A reading that was refused because too many of a slice's records had vanished from it. */
export interface SuspectWithdrawal {
  feed: string;
  slice: string;
  /** Records of the slice that stood before. */
  known: number;
  /** How many of them the reading lacks. */
  absent: number;
}

export interface SuspectWithdrawals {
  refuse: (suspect: SuspectWithdrawal) => void;
  /** What is refused and not accepted or settled since. */
  refused: () => SuspectWithdrawal[];
  /** An operator's word that a refused reading is right; false where nothing of that name is refused. */
  accept: (feed: string, slice: string) => boolean;
  /** True when a withdrawal of at least so many records was accepted: more than what the operator saw is refused anew. */
  isAccepted: (feed: string, slice: string, absent: number) => boolean;
  /** True when the feed has something accepted that is still to be read. */
  anyAccepted: (feed: string) => boolean;
  /** The slice was read: refusal and acceptance are used up. */
  settle: (feed: string, slice: string) => void;
}

/** Kept as small files below the data folder, where the feed's process and the operator's command both reach them. */
export function createSuspectWithdrawals(data_dir: string): SuspectWithdrawals {
  const refused = createShelf(join(data_dir, 'refused-withdrawals'));
  const accepted = createShelf(join(data_dir, 'accepted-withdrawals'));
  return {
    refuse: (suspect) => refused.put(suspect),
    refused: () => refused.all(),
    accept: (feed, slice) => {
      const suspect = refused.get(feed, slice);
      if (suspect === null) return false;
      accepted.put(suspect);
      refused.remove(feed, slice);
      return true;
    },
    isAccepted: (feed, slice, absent) => absent <= (accepted.get(feed, slice)?.absent ?? -1),
    anyAccepted: (feed) => accepted.all().some((suspect) => suspect.feed === feed),
    settle: (feed, slice) => {
      refused.remove(feed, slice);
      accepted.remove(feed, slice);
    },
  };
}

interface Shelf {
  put: (suspect: SuspectWithdrawal) => void;
  get: (feed: string, slice: string) => SuspectWithdrawal | null;
  remove: (feed: string, slice: string) => void;
  all: () => SuspectWithdrawal[];
}

function createShelf(folder: string): Shelf {
  const pathOf = (feed: string, slice: string): string =>
    join(folder, `${encodeURIComponent(`${feed} ${slice}`)}.json`);
  const read = (path: string): SuspectWithdrawal | null =>
    existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as SuspectWithdrawal) : null;
  return {
    put: (suspect) => {
      dataFolder(folder);
      const path = pathOf(suspect.feed, suspect.slice);
      // Written aside and renamed: the other process never reads half a file.
      writeFileSync(`${path}.part`, JSON.stringify(suspect));
      renameSync(`${path}.part`, path);
    },
    get: (feed, slice) => read(pathOf(feed, slice)),
    remove: (feed, slice) => rmSync(pathOf(feed, slice), { force: true }),
    all: () => {
      const names = existsSync(folder) ? readdirSync(folder) : [];
      return names
        .filter((name) => name.endsWith('.json'))
        .sort()
        .flatMap((name) => read(join(folder, name)) ?? []);
    },
  };
}
