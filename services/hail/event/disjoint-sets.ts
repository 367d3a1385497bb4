/** Sets that only ever grow together, of the numbers from 0: which of them belong to one another so far. */
export interface DisjointSets {
  /** The number that stands for the set of `member`, the same for all its members. */
  of: (member: number) => number;
  join: (one: number, other: number) => void;
}

/** Union-find with path halving. */
export function createDisjointSets(count: number): DisjointSets {
  const parents = Int32Array.from({ length: count }, (_, member) => member);
  const of = (member: number): number => {
    let at = member;
    for (;;) {
      const parent = parents[at] ?? at;
      if (parent === at) return at;
      at = parents[at] = parents[parent] ?? parent;
    }
  };
  return {
    of,
    join: (one, other) => {
      const [first, second] = [of(one), of(other)];
      // The lower number stands for both, whatever the order in which sets are joined.
      parents[Math.max(first, second)] = Math.min(first, second);
    },
  };
}
