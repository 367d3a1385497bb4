import { baselineChance, baselineNames, fitBaselines, type BaselineFit, type BaselineName } from './baselines.ts';
import { fitHail, reportChance, type HailFit } from './fit.ts';
import type { PlaceDay } from './locations.ts';
import type { Judged, Report } from './report.ts';

/** The size whose forecasts are judged first, and the circle in which a report counts. */
export interface Target {
  class_in: number;
  circle_mi: number;
}

/** How a row is forecast by something that never saw its year. */
export type Forecaster = (row: PlaceDay) => number;

/** Each year forecast by a fit on all the others. Null where a fold does not determine a fit. */
export function heldOut(
  rows: readonly PlaceDay[],
  targets: readonly Target[],
): { folds: { year: number; fit: HailFit }[]; judged: Judged[][] } | null {
  const years = [...new Set(rows.map(({ year }) => year))].sort((a, b) => a - b);
  const folds: { year: number; fit: HailFit }[] = [];
  const judged: Judged[][] = targets.map(() => []);
  for (const year of years) {
    const others = rows.filter((row) => row.year !== year);
    const own = rows.filter((row) => row.year === year);
    const fit = fitHail(others);
    if (fit === null) return null;
    folds.push({ year, fit });
    targets.forEach((target, index) => {
      const forecaster: Forecaster = (row) => reportChance(fit, row, target.class_in);
      judged[index]?.push(...judgedBy(own, target, forecaster, fitBaselines(others, target.class_in)));
    });
  }
  return { folds, judged };
}

export function judgedBy(
  rows: readonly PlaceDay[],
  target: Target,
  forecaster: Forecaster,
  baselines: BaselineFit,
): Judged[] {
  return rows.map((row) => ({
    year: row.year,
    block: row.block,
    outcome: row.reported_in >= target.class_in ? 1 : 0,
    chance: forecaster(row),
    baselines: Object.fromEntries(
      baselineNames.map((name) => [
        name,
        baselineChance(name, row, baselines, target.class_in, target.circle_mi),
      ]),
    ) as Record<BaselineName, number>,
  }));
}

export interface Requirement {
  says: string;
  figure: string;
  reached: boolean;
}

/** What a version must reach to be published as calibrated; written down before the fit, and applied to a constant as to the model. */
export function requirements(report: Report): Requirement[] {
  const { model, baselines, by_year } = report;
  const slope = model.recalibration?.slope ?? null;
  const held = by_year.filter(
    ({ brier, climatology_brier, one_variable_brier }) =>
      brier <= climatology_brier && brier <= one_variable_brier,
  ).length;
  const needed = Math.ceil((by_year.length * 4) / 6);
  return [
    {
      says: 'expected calibration error of at most 0.03',
      figure: model.calibration_error.toFixed(5),
      reached: model.calibration_error <= 0.03,
    },
    {
      says: 'slope of the recalibration line between 0.85 and 1.15',
      figure: slope === null ? 'none' : slope.toFixed(3),
      reached: slope !== null && slope >= 0.85 && slope <= 1.15,
    },
    ...baselines.map(({ name, gain, low, high }) => ({
      says: `better in Brier score than ${name}, the whole interval above 0`,
      figure: `${gain.toExponential(2)} (${low.toExponential(2)} to ${high.toExponential(2)})`,
      reached: low > 0,
    })),
    {
      says: `not worse than climatology and one_variable in at least ${needed} of ${by_year.length} years`,
      figure: String(held),
      reached: held >= needed,
    },
  ];
}
