import type { ScoreModel } from './model.ts';
import type { ScoreRecord } from './record.ts';

/**
 * P(hail of at least `class_in` at the roof) by people on the ground: Storm Events and CoCoRaHS as one evidence, the record that speaks
 * loudest. Being under the same hail fades with distance and no reported size makes up for it; sizes beyond the reported one fade with
 * their ratio. 0 where no record is theirs.
 */
export function groundChance(
  records: readonly Pick<ScoreRecord, 'publisher' | 'size_in' | 'distance_mi'>[],
  class_in: number,
  ground: ScoreModel['ground'],
): number {
  let chance = 0;
  for (const { publisher, size_in, distance_mi } of records) {
    if (publisher !== 'NOAA_SED' && publisher !== 'COCORAHS') continue;
    const same_hail = ground.chance_at_place[publisher] * Math.exp(-((distance_mi / ground.kernel_mi) ** 2));
    chance = Math.max(chance, same_hail * Math.min(1, (size_in / class_in) ** ground.size_power));
  }
  return chance;
}
