import { fitLogistic } from './logistic.ts';

/** One forecast and what happened. `block` groups forecasts that depend on each other. */
export interface Forecast {
  chance: number;
  outcome: 0 | 1;
  block: number;
}

export interface Bin {
  /** Bounds of the forecasts in it, `[from, until)`; the last bin holds 1 too. */
  from: number;
  until: number;
  count: number;
  outcomes: number;
  mean_forecast: number;
}

/** Each twice as wide as the one before, because most forecasts are small: a grid of tenths would hold nearly everything in one bin. */
export const bin_edges = [0, 0.0025, 0.005, 0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 1] as const;

/** A forecast of 0 or 1 that fails has an infinite log score; it is charged as if it had left this much room. */
const least_chance = 1e-6;

/** Mean squared difference between forecast and outcome; smaller is better. */
export function brierScore(forecasts: readonly Forecast[]): number {
  return mean(forecasts, ({ chance, outcome }) => (chance - outcome) ** 2);
}

/** Mean of -ln(probability given to what happened); smaller is better. */
export function logScore(forecasts: readonly Forecast[]): number {
  return mean(forecasts, ({ chance, outcome }) => {
    const bounded = Math.max(least_chance, Math.min(1 - least_chance, chance));
    return -Math.log(outcome === 1 ? bounded : 1 - bounded);
  });
}

/** The reliability curve: empty bins are left out. */
export function binned(forecasts: readonly Forecast[]): Bin[] {
  return bin_edges.slice(0, -1).flatMap((from, index) => {
    const until = bin_edges[index + 1] ?? 1;
    const inside = forecasts.filter(({ chance }) => binOf(chance) === index);
    if (inside.length === 0) return [];
    const outcomes = inside.reduce((sum, { outcome }) => sum + outcome, 0);
    return [
      { from, until, count: inside.length, outcomes, mean_forecast: mean(inside, ({ chance }) => chance) },
    ];
  });
}

export function binOf(chance: number): number {
  const above = bin_edges.findIndex((edge) => edge > chance);
  return above === -1 ? bin_edges.length - 2 : above - 1;
}

/** Mean distance between forecast and observed frequency over the bins, weighted by their counts. */
export function calibrationError(bins: readonly Bin[]): number {
  const count = bins.reduce((sum, bin) => sum + bin.count, 0);
  const misses = bins.reduce((sum, bin) => sum + Math.abs(bin.mean_forecast * bin.count - bin.outcomes), 0);
  return misses / count;
}

/**
 * Murphy's decomposition over the bins: Brier = reliability - resolution + uncertainty + what forecasts differ by inside a bin
 * (`within_bins`, printed so that the sum is exact).
 */
export function decomposed(forecasts: readonly Forecast[]): {
  reliability: number;
  resolution: number;
  uncertainty: number;
  within_bins: number;
} {
  const bins = binned(forecasts);
  const base = mean(forecasts, ({ outcome }) => outcome);
  const weighted = (part: (bin: Bin) => number): number =>
    bins.reduce((sum, bin) => sum + bin.count * part(bin), 0) / forecasts.length;
  const reliability = weighted((bin) => (bin.mean_forecast - bin.outcomes / bin.count) ** 2);
  const resolution = weighted((bin) => (bin.outcomes / bin.count - base) ** 2);
  const uncertainty = base * (1 - base);
  return {
    reliability,
    resolution,
    uncertainty,
    within_bins: brierScore(forecasts) - reliability + resolution - uncertainty,
  };
}

/** Log-odds of what happened = intercept + slope x log-odds of the forecast; 0 and 1 are perfect. Null where no line exists. */
export function recalibration(forecasts: readonly Forecast[]): { intercept: number; slope: number } | null {
  if (forecasts.some(({ chance }) => chance <= 0 || chance >= 1)) return null;
  const fit = fitLogistic({
    features: Float64Array.from(forecasts.flatMap(({ chance }) => [1, Math.log(chance / (1 - chance))])),
    width: 2,
    outcomes: Uint8Array.from(forecasts.map(({ outcome }) => outcome)),
    blocks: Int32Array.from(forecasts.map(({ block }) => block)),
  });
  const [intercept, slope] = fit?.coefficients ?? [];
  return intercept === undefined || slope === undefined ? null : { intercept, slope };
}

export function mean<T>(values: readonly T[], of: (value: T) => number): number {
  return values.reduce((sum, value) => sum + of(value), 0) / values.length;
}
