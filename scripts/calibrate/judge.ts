import {
  baselineChance,
  baselineNames,
  fitBaselines,
  type BaselineFit,
  type BaselineName,
} from './baselines.ts';
import { fitHail, reportChance, type HailFit } from './fit.ts';
import type { PlaceDay } from './locations.ts';
import type { Judged } from './report.ts';

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
    month: row.month,
    block: row.block,
    largest_in: row.cells.reduce((most, { size_in }) => Math.max(most, size_in), 0),
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
