import { damageChance } from '../roof/capacity.ts';
import type { RoofType } from '../roof/roof-type.ts';
import { groundChance } from './ground.ts';
import type { ScoreModel } from './model.ts';
import { radarChance, radarEvidence } from './radar.ts';
import type { ScoreRecord } from './record.ts';

/** The hail of one convective day at the roof: P(stones of at least this class), class by class, never rising with size. */
export interface ClassChance {
  class_in: number;
  chance: number;
}

/**
 * Radars are one evidence and people another. Either may miss what the other saw, so hail is missing only where both say so:
 * 1 - (1 - radar)(1 - ground). A prior: nothing of ours measures how the two depend on each other.
 */
export function hailAtRoof(records: readonly ScoreRecord[], model: ScoreModel): ClassChance[] {
  const evidence = radarEvidence(records, model.radar.kernel_mi, model.radar.severity);
  return model.size_classes_in.map((class_in) => {
    const radar = evidence === null ? 0 : radarChance(evidence, class_in, model.radar);
    const ground = groundChance(records, class_in, model.ground);
    return { class_in, chance: 1 - (1 - radar) * (1 - ground) };
  });
}

/** P(the day's hail damages the roof functionally): over the size classes, the chance of each times the share of roofs it damages. */
export function damageAtRoof(
  hail: readonly ClassChance[],
  roof: { type: RoofType; age_years: number },
  model: ScoreModel,
): number {
  return hail.reduce((sum, { class_in, chance }, index) => {
    const next = hail[index + 1];
    const share = chance - (next?.chance ?? 0);
    return (
      sum + share * damageChance(model.roof, roof.type, roof.age_years, middleOf(class_in, next?.class_in))
    );
  }, 0);
}

/** The size that stands for a class: the geometric middle, and for the open one at the top its lower bound. */
export function middleOf(class_in: number, next_in: number | undefined): number {
  return next_in === undefined ? class_in : Math.sqrt(class_in * next_in);
}
