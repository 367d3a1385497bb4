/** Chance that a seed decides: the same seed gives the same sequence, on every machine. */
export interface Random {
  /** From 0 (inclusive) to 1 (exclusive). */
  next: () => number;
  /** A whole number below `limit`. */
  below: (limit: number) => number;
  /** True once in `times`. */
  oneIn: (times: number) => boolean;
  pick: <T>(values: readonly T[]) => T;
  /** One of the named values; a weight says how often it comes beside the others. */
  weighted: <T extends string>(weights: Readonly<Record<T, number>>) => T;
}

/** mulberry32, after its seed was stirred so that neighbouring seeds do not begin alike. */
export function createRandom(seed: number): Random {
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) | 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  next();
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    next,
    below,
    oneIn: (times) => below(times) === 0,
    pick: (values) => {
      const value = values[below(values.length)];
      if (value === undefined) throw new RangeError('nothing to pick from');
      return value;
    },
    weighted: <T extends string>(weights: Readonly<Record<T, number>>): T => {
      const entries = Object.entries(weights) as [T, number][];
      let left = next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [name, weight] of entries) {
        left -= weight;
        if (left < 0) return name;
      }
      throw new RangeError('no weight is above zero');
    },
  };
}
