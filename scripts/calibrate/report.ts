import type { Reliability, Skill } from '../../services/hail/methodology/fit-record.ts';
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
  type Forecast,
} from './measures.ts';
import { requirements } from './requirements.ts';

/** A place-day with every forecast of it: the model's and the baselines', none of them made with the year's own data. */
export interface Judged {
  year: number;
  month: number;
  block: number;
  /** The largest radar size within reach, inches. */
  largest_in: number;
  outcome: 0 | 1;
  chance: number;
  baselines: Readonly<Record<BaselineName, number>>;
}

/** The largest radar size within reach, as table rows want it: the classes of the literature on how often radar is right. */
const size_strata = [
  ['largest radar size 1.00 to 1.49 in', 0, 1.5],
  ['largest radar size 1.50 to 1.99 in', 1.5, 2],
  ['largest radar size 2.00 to 2.99 in', 2, 3],
  ['largest radar size 3.00 in and more', 3, Infinity],
] as const;

const seasons = [
  ['December to February', [12, 1, 2]],
  ['March to May', [3, 4, 5]],
  ['June to August', [6, 7, 8]],
  ['September to November', [9, 10, 11]],
] as const;

/** Every figure of one size class. Interval ends and all sums are of the rows in their order, so two runs give the same bits. */
export function reportOf(judged: readonly Judged[], class_in: number): Reliability {
  const years = [...new Set(judged.map(({ year }) => year))].sort((a, b) => a - b);
  const report = {
    class_in,
    place_days: judged.length,
    outcomes: judged.filter(({ outcome }) => outcome === 1).length,
    blocks: new Set(judged.map(({ block }) => block)).size,
    model: {
      ...skillOf(judged),
      mean_forecast: mean(judged, ({ chance }) => chance),
      observed: mean(judged, ({ outcome }) => outcome),
      ...blockInterval(sumsByBlock(judged, ({ outcome }) => [outcome, 1])),
      recalibration: recalibration(judged),
      decomposition: decomposed(judged),
    },
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
      return {
        name,
        ...skillOf(other),
        gain: brierScore(other) - brierScore(judged),
        ...blockInterval(sums),
      };
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
    strata: [
      ...size_strata.map(([name, from, until]) =>
        stratum(name, judged, ({ largest_in }) => largest_in >= from && largest_in < until),
      ),
      ...seasons.map(([name, months]) =>
        stratum(name, judged, ({ month }) => (months as readonly number[]).includes(month)),
      ),
    ].filter(({ place_days }) => place_days > 0),
  };
  return { ...report, requirements: requirements(report) };
}

function stratum(
  name: string,
  judged: readonly Judged[],
  inside: (each: Judged) => boolean,
): Reliability['strata'][number] {
  const some = judged.filter(inside);
  const outcomes = some.filter(({ outcome }) => outcome === 1).length;
  const sums = sumsByBlock(judged, (each) => (inside(each) ? [each.outcome, 1] : [0, 0]));
  return {
    name,
    place_days: some.length,
    outcomes,
    mean_forecast: some.length === 0 ? 0 : mean(some, ({ chance }) => chance),
    observed: some.length === 0 ? 0 : outcomes / some.length,
    ...(some.length === 0 ? { low: 0, high: 0 } : blockInterval(sums)),
  };
}

function skillOf(forecasts: readonly Forecast[]): Skill {
  return {
    brier: brierScore(forecasts),
    log_score: logScore(forecasts),
    calibration_error: calibrationError(binned(forecasts)),
  };
}
