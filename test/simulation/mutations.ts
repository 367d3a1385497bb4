import type { FeedIndex } from '../../services/feeds/index/feed-index.ts';
import type { KnownRecord } from '../../services/feeds/index/records.ts';
import type { GridDraft } from '../../services/feeds/kinds/grids.ts';
import type { FactKind } from '../../services/feeds/kinds/kind.ts';
import { topics } from '../../services/log/topics.ts';
import type { Projection } from '../../services/projector/projection.ts';
import type { ObservationChange } from '../../services/projector/projections/observations.ts';
import type { Mutate } from './parts.ts';

export interface Mutation {
  mutate: Mutate;
  /** False: a former owner's append is taken. */
  is_fenced?: boolean;
  /** True: the last position written counts, not the greatest. */
  is_last_position?: boolean;
  /** True where other rules mend nearly all of what this one being broken does, so that thousands of seeds are needed to see it. */
  is_rare?: boolean;
}

const same = <T>(part: T): T => part;
const nothing: Mutate = { index: same, kind: same, projection: same, dead_letters: same };

/** Breaks something of the kind of granules alone. */
function ofGrids(change: (kind: FactKind) => Partial<FactKind>): Mutation {
  const kind: Mutate['kind'] = (of) => (of.topic === topics.grid ? { ...of, ...change(of) } : of);
  return { mutate: { ...nothing, kind } };
}

function ofIndex(change: (index: FeedIndex, kind: FactKind) => Partial<FeedIndex>): Mutation {
  return { mutate: { ...nothing, index: (index, kind) => ({ ...index, ...change(index, kind) }) } };
}

function ofRecord(change: (record: KnownRecord) => Partial<KnownRecord>): Mutation {
  return ofIndex((index) => ({
    record: (record_key) => {
      const record = index.record(record_key);
      return record === null ? null : { ...record, ...change(record) };
    },
  }));
}

function ofChange(change: (change: ObservationChange) => ObservationChange): Mutation {
  const projection = (made: Projection): Projection => ({
    ...made,
    project: (...message) => {
      const outcome = made.project(...message);
      if (outcome.outcome !== 'ok') return outcome;
      return { outcome: 'ok', change: change(outcome.change as ObservationChange) };
    },
  });
  return { mutate: { ...nothing, projection } };
}

/** Rules of the protocol, each broken in turn: a simulation that does not notice proves nothing. */
export const mutations = {
  none: { mutate: nothing },
  'index reads the log at the start only': ofIndex((index) => {
    let is_read = false;
    return {
      catchUp: async () => {
        if (!is_read) await index.catchUp();
        is_read = true;
      },
    };
  }),
  'index reads the log before one slice in two': {
    ...ofIndex((index) => {
      let calls = 0;
      return { catchUp: () => ((calls += 1) % 2 === 1 ? index.catchUp() : Promise.resolve()) };
    }),
    is_rare: true,
  },
  'held records are published': { ...ofIndex(() => ({ held: () => false })), is_rare: true },
  'an older version is published': ofIndex(() => ({ newestVersion: () => null })),
  'records that leave out a place are not mended': ofRecord(() => ({ complete: true })),
  'supersedes forgets one place': ofRecord(({ standings }) => ({ standings: standings.slice(1) })),
  'a deletion at its own sort key': ofChange((change) => {
    const live = change.rows.find(({ is_deleted }) => is_deleted === 0);
    if (live === undefined || change.set_aside === null) return change;
    return { ...change, rows: [{ ...live, is_deleted: 1 }, ...change.rows] };
  }),
  'superseding leaves what was set aside': ofChange((change) =>
    change.set_aside?.is_deleted === 1 ? { ...change, set_aside: null } : change,
  ),
  'an offset with a letter is projected again': {
    mutate: { ...nothing, dead_letters: (letters) => ({ ...letters, has: () => false }) },
  },
  'a granule names no cell that it drops': ofGrids((kind) => ({ fact: (draft) => kind.fact(draft, []) })),
  'a granule leaves out one cell that it drops': ofGrids((kind) => ({
    fact: (draft, superseded) => kind.fact(draft, superseded.slice(1)),
  })),
  // Whoever reads an older issue finds the newest one listed as news the next time, which mostly mends it.
  'an older issue of a granule is published': {
    ...ofIndex((_, kind) => (kind.topic === topics.grid ? { newestVersion: () => null } : {})),
    is_rare: true,
  },
  'the cells of the issue before are all that is dropped': ofIndex((index, kind) => ({
    record: (record_key) => {
      const record = index.record(record_key);
      return record === null || kind.topic !== topics.grid ? record : { ...record, standings: record.own };
    },
  })),
  'sizes are no part of what a granule says': ofGrids((kind) => {
    const hash = (granule: unknown): string =>
      kind.contentHash({ ...(granule as GridDraft), sizes: [] } as GridDraft);
    return { contentHash: hash, said: (fact) => ({ ...kind.said(fact), hash: hash(fact) }) };
  }),
  'a cell that is there is deleted too': ofChange((change) => {
    const live = change.rows.find(({ is_deleted }) => is_deleted === 0);
    if (live?.publisher !== 'MRMS_MESH') return change;
    return { ...change, rows: [{ ...live, is_deleted: 1 }, ...change.rows] };
  }),
  'deletions of cells come to nothing': ofChange((change) => ({
    ...change,
    rows: change.rows.filter(({ publisher, is_deleted }) => publisher !== 'MRMS_MESH' || is_deleted === 0),
  })),
  'positions go back': { mutate: nothing, is_last_position: true },
  'a former owner may write': { mutate: nothing, is_fenced: false },
} satisfies Record<string, Mutation>;

export type MutationName = keyof typeof mutations;

/** Rules whose breaking a few hundred seeds show. */
export function plainMutations(): MutationName[] {
  const all: Readonly<Record<string, Mutation>> = mutations;
  return Object.keys(mutations)
    .filter(isMutation)
    .filter((name) => name !== 'none' && all[name]?.is_rare !== true);
}

export function isMutation(name: string): name is MutationName {
  return Object.hasOwn(mutations, name);
}
