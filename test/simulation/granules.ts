import { mesh_products } from '../../services/feeds/mrms/products.ts';
import type { Random } from './random.ts';

/** One issue of a granule. Issues are never changed, only replaced. */
export interface Issue {
  /** Of the granule, epoch milliseconds. */
  stamp: number;
  /** The publisher's version, as the bucket's listing tells it. */
  last_modified: string;
  /** Sizes in tenths of a millimetre by the cell's number; a granule without hail has none. */
  hail: ReadonlyMap<number, number>;
  /** Its bytes are of no use: nothing of it can be read. */
  is_damaged: boolean;
}

export interface GranuleWorld {
  /** Granules that have been issued, by their newest issue. */
  current: () => Issue[];
  /** An issue of the granule that was current once. */
  earlier: (stamp: number) => Issue;
  /** One change of what is issued, by chance; returns what happened as words. */
  change: () => string;
  /** Issues anew what is damaged. */
  rest: () => void;
}

export const product = mesh_products.MESH_Max_60min;

/** These granules lie in two of the six partitions, and mostly in one. */
export const stamps = [
  '2017-07-14T00:00:00Z',
  '2017-07-13T21:00:00Z',
  '2017-07-13T18:00:00Z',
  '2017-07-13T22:00:00Z',
].map((text) => Date.parse(text));

/** Sixteen cells of a grid in steps of 0.04 degrees, in more than one cell of geohash-5. NOT REAL. */
export const geometry = { rows: 4, columns: 4, first_lat: 30, first_lon: -98.5, step_deg: 0.04 };

const sizes = [127, 254, 255, 1_016];

/** A bucket whose granules are issued, and issued anew with more cells, fewer, others or none. */
export function createGranules(random: Random): GranuleWorld {
  const used = stamps.slice(0, 1 + random.below(stamps.length));
  const cells = Array.from({ length: 2 + random.below(6) }, () => random.below(16));
  const issues = new Map<number, Issue[]>();
  let version = 0;

  const newest = (stamp: number): Issue | undefined => issues.get(stamp)?.at(-1);

  const issue = (stamp: number, hail: ReadonlyMap<number, number>, is_damaged = false): void => {
    version += 1;
    const last_modified = new Date(Date.parse('2017-07-14T00:02:07Z') + version * 1_000).toISOString();
    issues.set(stamp, [...(issues.get(stamp) ?? []), { stamp, last_modified, hail, is_damaged }]);
  };

  /** Every cell that may have hail, taken by chance. */
  const anything = (): Map<number, number> =>
    new Map(cells.filter(() => random.oneIn(2)).map((cell) => [cell, random.pick(sizes)]));

  const changed = (hail: ReadonlyMap<number, number>): { words: string; hail: Map<number, number> } => {
    switch (random.weighted({ more: 4, fewer: 4, none: 2, sizes: 2, other: 3, same: 1 })) {
      case 'more':
        return { words: 'with more cells', hail: new Map([...anything(), ...hail]) };
      case 'fewer':
        return { words: 'with fewer cells', hail: new Map([...hail].filter(() => random.oneIn(2))) };
      case 'none':
        return { words: 'without hail', hail: new Map() };
      case 'sizes':
        return {
          words: 'with other sizes',
          hail: new Map([...hail.keys()].map((cell) => [cell, random.pick(sizes)])),
        };
      case 'other':
        return { words: 'with other cells', hail: anything() };
      case 'same':
        return { words: 'as it was', hail: new Map(hail) };
    }
  };

  for (const stamp of used) if (!random.oneIn(3)) issue(stamp, anything());

  return {
    current: () => used.flatMap((stamp) => newest(stamp) ?? []),
    earlier: (stamp) => random.pick(issues.get(stamp) ?? []),
    change: () => {
      const stamp = random.pick(used);
      const before = newest(stamp);
      const name = new Date(stamp).toISOString();
      if (before === undefined) {
        issue(stamp, anything());
        return `granule ${name} is issued`;
      }
      const { words, hail } = changed(before.hail);
      const is_damaged = random.oneIn(12);
      issue(stamp, hail, is_damaged);
      return `granule ${name} is issued anew ${words}${is_damaged ? ', damaged' : ''}`;
    },
    rest: () => {
      for (const stamp of used) {
        const last = newest(stamp);
        if (last?.is_damaged === true) issue(stamp, last.hail);
      }
    },
  };
}
