import { fromLogOdds } from './logit.ts';
import type { ScoreModel } from './model.ts';
import type { ScoreRecord } from './record.ts';

/**
 * P(hail of at least `class_in` at the roof) by people on the ground: Storm Events and CoCoRaHS as one evidence, the record that speaks
 * loudest. 0 where no record is theirs.
 */
export function groundChance(
  records: readonly Pick<ScoreRecord, 'publisher' | 'size_in' | 'distance_mi'>[],
  class_in: number,
  ground: ScoreModel['ground'],
): number {
  let chance = 0;
  for (const { publisher, size_in, distance_mi } of records) {
    if (publisher !== 'NOAA_SED' && publisher !== 'COCORAHS') continue;
    const log_odds =
      ground.log_odds_at_place[publisher] -
      (distance_mi / ground.kernel_mi) ** 2 +
      ground.size_class * (Math.log(size_in) - Math.log(class_in));
    chance = Math.max(chance, fromLogOdds(log_odds));
  }
  return chance;
}
