import type { FitRecord } from '../../services/hail/methodology/fit-record.ts';
import { hailAtRoof } from '../../services/hail/score/fall.ts';
import type { ScoreModel } from '../../services/hail/score/model.ts';
import type { ScoreRecord } from '../../services/hail/score/record.ts';
import { scoreRoof } from '../../services/hail/score/score.ts';
import { day_ms, hour_ms } from '../../services/hail/time.ts';
import type { PlaceDay } from './locations.ts';

/** The prior that scores depend on most, at the values that can be argued for besides its own. */
export const arguable_reports_to_falls = [3, 6, 20] as const;

/**
 * What the score says to the whole region of the fit: asphalt as old as the data are long, by radar alone. A check on the sum of all priors,
 * and a measure of what the least certain of them does. Places without radar hail count, with a score of 0.
 */
export function spreadOf(
  rows: readonly PlaceDay[],
  region: { places: number; years: readonly number[] },
  model: ScoreModel,
): FitRecord['spread'] {
  const last_year = Math.max(...region.years);
  const now_ms = Date.UTC(last_year + 1, 0, 1);
  const by_place = [...Map.groupBy(rows, ({ place }) => place).values()].map((days) =>
    days.flatMap(recordsOf),
  );
  return arguable_reports_to_falls.map((reports_to_falls) => {
    const varied = { ...model, radar: { ...model.radar, reports_to_falls } };
    const scores = by_place
      .map((records) => {
        const question = {
          records,
          roof_type: 'asphalt_shingle',
          roof_age_years: region.years.length,
          now_ms,
        } as const;
        return scoreRoof(varied, question).value;
      })
      .concat(Array.from({ length: region.places - by_place.length }, () => 0))
      .sort((a, b) => a - b);
    const at = (share: number): number => scores[Math.round(share * (scores.length - 1))] ?? 0;
    return {
      reports_to_falls,
      lowest: at(0),
      quarter: at(0.25),
      median: at(0.5),
      three_quarters: at(0.75),
      highest: at(1),
      inch_hail_days_per_year: inchFalls(rows, varied) / region.places / region.years.length,
    };
  });
}

/** Expected days with hail of an inch at the roof, over all places. */
function inchFalls(rows: readonly PlaceDay[], model: ScoreModel): number {
  return rows.reduce(
    (sum, row) =>
      sum + (hailAtRoof(recordsOf(row), model).find(({ class_in }) => class_in === 1)?.chance ?? 0),
    0,
  );
}

/** At noon, where a convective day begins: the files know dates and no times. */
function recordsOf({ day, cells }: PlaceDay): ScoreRecord[] {
  const began_ms = day * day_ms + 12 * hour_ms;
  return cells.map((cell) => ({ ...cell, publisher: 'NEXRAD_SWDI', sevprob: null, began_ms }));
}
