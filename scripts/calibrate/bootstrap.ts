import { seededRandom } from './random.ts';

const samples = 2000;
const seed = 20171103;

/**
 * The middle 95 percent of a ratio of sums when whole blocks are drawn anew, with replacement: hail of one storm is one draw, not one for
 * each place it passed. `sums` holds numerator and denominator of each block. A sample whose denominator is 0 says nothing and is
 * drawn again. Seeded, so that two runs print the same.
 */
export function blockInterval(sums: readonly (readonly [number, number])[]): { low: number; high: number } {
  const random = seededRandom(seed);
  const ratios: number[] = [];
  if (sums.every(([, below]) => below === 0)) throw new Error('an interval needs something to divide by');
  while (ratios.length < samples) {
    let above = 0;
    let below = 0;
    for (let draw = 0; draw < sums.length; draw += 1) {
      const block = sums[Math.floor(random() * sums.length)];
      above += block?.[0] ?? 0;
      below += block?.[1] ?? 0;
    }
    if (below > 0) ratios.push(above / below);
  }
  ratios.sort((a, b) => a - b);
  return { low: ratios[samples * 0.025] ?? 0, high: ratios[samples * 0.975 - 1] ?? 0 };
}

/** Sums by block, every block present, in the order in which blocks first appear. */
export function sumsByBlock<T extends { block: number }>(
  values: readonly T[],
  of: (value: T) => readonly [number, number],
): (readonly [number, number])[] {
  const sums = new Map<number, [number, number]>();
  for (const value of values) {
    const sum = sums.get(value.block) ?? [0, 0];
    const [above, below] = of(value);
    sum[0] += above;
    sum[1] += below;
    sums.set(value.block, sum);
  }
  return [...sums.values()];
}
