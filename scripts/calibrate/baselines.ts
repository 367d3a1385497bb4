import type { PlaceDay } from './locations.ts';
import { fitLogistic } from './logistic.ts';

/** What a simple forecaster knows after it has seen other years; enough to forecast without them. */
export interface BaselineFit {
  /** Share of place-days with a report, January first; a month without rows has the share of all. */
  monthly: number[];
  /** Log-odds = intercept + slope x ln of the largest radar size within reach: the one to beat. */
  one_variable: { intercept: number; slope: number };
}

export const baselineNames = [
  'radar_one_inch',
  'three_quarters_of_size',
  'climatology',
  'one_variable',
] as const;
export type BaselineName = (typeof baselineNames)[number];

/** In words, for tables and the page. */
export const baselineWords: Readonly<Record<BaselineName, string>> = {
  radar_one_inch: 'radar of 1 in or more within the circle means hail',
  three_quarters_of_size: '0.75 x radar size of 1 in or more within the circle means hail',
  climatology: 'the share of the month',
  one_variable: 'logistic regression on ln(largest radar size)',
};

export function fitBaselines(rows: readonly PlaceDay[], class_in: number): BaselineFit {
  const hit = (some: readonly PlaceDay[]): number =>
    some.filter(({ reported_in }) => reported_in >= class_in).length / some.length;
  const all = hit(rows);
  const fit = fitLogistic({
    features: Float64Array.from(rows.flatMap((row) => [1, Math.log(largestWithin(row, Infinity))])),
    width: 2,
    outcomes: Uint8Array.from(rows.map(({ reported_in }) => (reported_in >= class_in ? 1 : 0))),
    blocks: Int32Array.from(rows.map(({ block }) => block)),
  });
  const [intercept, slope] = fit?.coefficients ?? [];
  if (intercept === undefined || slope === undefined) {
    throw new Error('the one-variable regression has no maximum on these rows');
  }
  return {
    monthly: Array.from({ length: 12 }, (_, index) => {
      const of_month = rows.filter(({ month }) => month === index + 1);
      return of_month.length === 0 ? all : hit(of_month);
    }),
    one_variable: { intercept, slope },
  };
}

/** A baseline's forecast; `circle_mi` is the circle that a report counts in. */
export function baselineChance(
  name: BaselineName,
  row: PlaceDay,
  fit: BaselineFit,
  class_in: number,
  circle_mi: number,
): number {
  switch (name) {
    case 'radar_one_inch':
      return largestWithin(row, circle_mi) >= class_in ? 1 : 0;
    case 'three_quarters_of_size':
      return 0.75 * largestWithin(row, circle_mi) >= class_in ? 1 : 0;
    case 'climatology':
      return fit.monthly[row.month - 1] ?? 0;
    case 'one_variable': {
      const { intercept, slope } = fit.one_variable;
      return 1 / (1 + Math.exp(-intercept - slope * Math.log(largestWithin(row, Infinity))));
    }
  }
}

function largestWithin({ cells }: PlaceDay, radius_mi: number): number {
  return cells.reduce(
    (most, { size_in, distance_mi }) => (distance_mi <= radius_mi ? Math.max(most, size_in) : most),
    0,
  );
}
