import { baselineNames, type BaselineName } from './baselines.ts';
import { blockInterval, sumsByBlock } from './bootstrap.ts';
import {
  binned,
  binOf,
  brierScore,
  calibrationError,
  decomposed,
  logScore,
  mean,
  recalibration,
  type Bin,
  type Forecast,
} from './measures.ts';

/** A place-day with every forecast of it: the model's and the baselines', none of them made with the year's own data. */
export interface Judged {
  year: number;
  block: number;
  outcome: 0 | 1;
  chance: number;
  baselines: Readonly<Record<BaselineName, number>>;
}

export interface Skill {
  brier: number;
  log_score: number;
  calibration_error: number;
}

export interface Report {
  place_days: number;
  outcomes: number;
  blocks: number;
  model: Skill & {
    recalibration: { intercept: number; slope: number } | null;
    decomposition: ReturnType<typeof decomposed>;
  };
  /** Observed frequency with the 95 percent interval of drawing day blocks anew. */
  curve: (Bin & { observed: number; low: number; high: number })[];
  /** `gain` is the baseline's Brier score less the model's, with the same kind of interval: above 0 the model is better. */
  baselines: (Skill & { name: BaselineName; gain: number; low: number; high: number })[];
  by_year: (Pick<Skill, 'brier' | 'calibration_error'> & {
    year: number;
    place_days: number;
    outcomes: number;
    mean_forecast: number;
    climatology_brier: number;
    one_variable_brier: number;
  })[];
}

export function reportOf(judged: readonly Judged[]): Report {
  const years = [...new Set(judged.map(({ year }) => year))].sort((a, b) => a - b);
  return {
    place_days: judged.length,
    outcomes: judged.filter(({ outcome }) => outcome === 1).length,
    blocks: new Set(judged.map(({ block }) => block)).size,
    model: { ...skillOf(judged), recalibration: recalibration(judged), decomposition: decomposed(judged) },
    curve: binned(judged).map((bin) => {
      const index = binOf(bin.from);
      const inside = (each: Judged): boolean => binOf(each.chance) === index;
      const sums = sumsByBlock(judged, (each) => (inside(each) ? [each.outcome, 1] : [0, 0]));
      return { ...bin, observed: bin.outcomes / bin.count, ...blockInterval(sums) };
    }),
    baselines: baselineNames.map((name) => {
      const other = judged.map((each) => ({ ...each, chance: each.baselines[name] }));
      const sums = sumsByBlock(judged, ({ baselines, chance, outcome }) => [
        (baselines[name] - outcome) ** 2 - (chance - outcome) ** 2,
        1,
      ]);
      return { name, ...skillOf(other), gain: brierScore(other) - brierScore(judged), ...blockInterval(sums) };
    }),
    by_year: years.map((year) => {
      const of_year = judged.filter((each) => each.year === year);
      const against = (name: BaselineName): number =>
        brierScore(of_year.map((each) => ({ ...each, chance: each.baselines[name] })));
      return {
        year,
        place_days: of_year.length,
        outcomes: of_year.filter(({ outcome }) => outcome === 1).length,
        mean_forecast: mean(of_year, ({ chance }) => chance),
        brier: brierScore(of_year),
        calibration_error: calibrationError(binned(of_year)),
        climatology_brier: against('climatology'),
        one_variable_brier: against('one_variable'),
      };
    }),
  };
}

function skillOf(forecasts: readonly Forecast[]): Skill {
  return {
    brier: brierScore(forecasts),
    log_score: logScore(forecasts),
    calibration_error: calibrationError(binned(forecasts)),
  };
}
