import type { RoofModel, RoofNumbers } from '../score/model.ts';
import { normalShareBelow } from './normal.ts';
import type { RoofType } from './roof-type.ts';

/**
 * P(a fall whose largest stones have `size_in` inches damages the roof functionally): the share of such roofs whose capacity lies below the
 * size. Capacity is lognormal; the published onset is a low quantile of it, not its median, because it is the smallest size that
 * might damage. Cosmetic dents are no functional damage. All priors, none calibrated on claims.
 */
export function damageChance(roof: RoofModel, type: RoofType, age_years: number, size_in: number): number {
  const numbers = roof.types[type];
  const median_in = numbers.onset_in * Math.exp(-roof.onset_deviate * roof.capacity_spread);
  const capacity_in = median_in * shareLeft(numbers, age_years);
  return normalShareBelow(Math.log(size_in / capacity_in) / roof.capacity_spread);
}

/** What is left of the capacity at an age: all of it at first, then falling in a straight line, then level. Never rises with age. */
export function shareLeft(numbers: RoofNumbers, age_years: number): number {
  const { ages_from_years, ages_until_years, aged_share } = numbers;
  const aged = (age_years - ages_from_years) / (ages_until_years - ages_from_years);
  return 1 - (1 - aged_share) * Math.max(0, Math.min(1, aged));
}
