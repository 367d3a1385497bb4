/**
 * Rounds to two decimals, half up: 0.875 is 0.88. Publishers print decimals with at most a few places, so the nearest binary number of a
 * printed half lies within 1e-9 of it and is lifted over the half before rounding; without that 1.005 would become 1.00.
 */
export function roundToHundredths(value: number): number {
  return Math.floor(value * 100 + 0.5 + 1e-7) / 100;
}

export const tenths_mm_per_inch = 254;

/** Sizes a hailstone can have, inches: nothing recorded exceeds 8 in by much, and 9.99 is a publisher's mark for "unknown". */
export const max_size_in = 12;
