import type { RoofType } from '../roof/roof-type.ts';
import { convectiveDay, day_ms, hour_ms } from '../time.ts';
import { damageAtRoof, hailAtRoof, type ClassChance } from './fall.ts';
import type { ScoreModel } from './model.ts';
import type { ScoreRecord } from './record.ts';
import { tierOf, type Tier } from './tier.ts';

export interface ScoreQuestion {
  /** Already inside the window; which of them are within reach and large enough is decided here. */
  records: readonly ScoreRecord[];
  roof_type: RoofType;
  roof_age_years: number;
  now_ms: number;
}

/** What one convective day adds. */
export interface Fall {
  /** Noon UTC at which the day began, epoch milliseconds. */
  day_began_ms: number;
  /** How old the roof was then. */
  roof_age_years: number;
  hail: ClassChance[];
  /** P(functional damage by this day's hail). */
  damage: number;
}

export interface Score {
  /** P(at least one functionally damaging fall of hail within the window). */
  probability: number;
  /** round(100 P), 0 to 100. */
  value: number;
  tier: Tier;
  /** Oldest first. */
  falls: Fall[];
}

const mean_year_ms = 365.2425 * day_ms;

/**
 * The score: P = 1 - the product over convective days of (1 - P(damage on that day)). Days and not single events, because the fit's unit is a
 * place on a day, and because storms of one day share what makes radars wrong; so the score does not depend on how records are grouped for
 * listing. There is no weight for age of a fall: the window and the age of the roof on the day are all that time does. More records, larger or
 * nearer hail, a weaker or older roof never lower it; the order of records changes nothing.
 */
export function scoreRoof(model: ScoreModel, question: ScoreQuestion): Score {
  const { records, roof_type, roof_age_years, now_ms } = question;
  const counted = records.filter(
    ({ size_in, distance_mi }) => size_in >= model.min_size_in && distance_mi <= model.reach_mi,
  );
  const days = [...Map.groupBy(counted, ({ began_ms }) => convectiveDay(began_ms))].sort(([a], [b]) => a - b);
  const falls = days.map(([day, of_day]): Fall => {
    const day_began_ms = day * day_ms + 12 * hour_ms;
    const age_years = Math.max(0, roof_age_years - (now_ms - day_began_ms) / mean_year_ms);
    const hail = hailAtRoof(of_day, model);
    return {
      day_began_ms,
      roof_age_years: age_years,
      hail,
      damage: damageAtRoof(hail, { type: roof_type, age_years }, model),
    };
  });
  const probability = 1 - falls.reduce((intact, { damage }) => intact * (1 - damage), 1);
  const value = Math.round(100 * probability);
  return { probability, value, tier: tierOf(value), falls };
}
