import { middleOf } from '../score/fall.ts';
import type { ScoreModel } from '../score/model.ts';
import { damageChance } from './capacity.ts';
import { roofTypes, type RoofType } from './roof-type.ts';

export interface MaterialRow {
  roof_type: RoofType;
  /** P(functional damage) given a fall of at least an inch at the roof, its sizes as the fit has them. */
  damage: number;
  /** The same as a multiple of asphalt's. */
  to_asphalt: number;
  /** Claims as a multiple of asphalt's, where they were counted. */
  claimed_to_asphalt: number | null;
}

/** How the roof priors compare with each other and with the only claim rates by material that were found, most damaged first. */
export function materialTable(
  model: ScoreModel,
  claims: { age_years: number; rates_percent: Readonly<Partial<Record<RoofType, number>>> },
): MaterialRow[] {
  const damage = (type: RoofType): number => damageBySevereHail(model, type, claims.age_years);
  const asphalt = damage('asphalt_shingle');
  const asphalt_rate = claims.rates_percent.asphalt_shingle;
  return roofTypes
    .map((roof_type): MaterialRow => {
      const rate = claims.rates_percent[roof_type];
      return {
        roof_type,
        damage: damage(roof_type),
        to_asphalt: damage(roof_type) / asphalt,
        claimed_to_asphalt: rate === undefined || asphalt_rate === undefined ? null : rate / asphalt_rate,
      };
    })
    .sort((a, b) => b.damage - a.damage);
}

/** Sizes above an inch thin out like size to the power of -size_class, which is the fit's line where chances are small. */
export function damageBySevereHail(model: ScoreModel, type: RoofType, age_years: number): number {
  const classes = model.size_classes_in.filter((class_in) => class_in >= 1);
  const share = (class_in: number | undefined): number =>
    class_in === undefined ? 0 : class_in ** -model.radar.coefficients.size_class;
  return classes.reduce((sum, class_in, index) => {
    const next_in = classes[index + 1];
    const chance = damageChance(model.roof, type, age_years, middleOf(class_in, next_in));
    return sum + (share(class_in) - share(next_in)) * chance;
  }, 0);
}
