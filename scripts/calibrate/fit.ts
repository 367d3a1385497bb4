import { fromLogOdds } from '../../services/hail/score/logit.ts';
import { radarEvidence, type RadarEvidence } from '../../services/hail/score/radar.ts';
import type { PlaceDay } from './locations.ts';
import { fitLogistic, type LogisticFit, type Trials } from './logistic.ts';

/** What a fit gives: P(a report of at least `class_in` within the circle) for any evidence, and how sure it is. */
export interface HailFit {
  /** Distance at which a radar record's size has faded by a factor e, miles; the best of `kernels_mi` by likelihood. */
  kernel_mi: number;
  coefficients: { intercept: number; nearest: number; largest: number; size_class: number };
  standard_errors: { intercept: number; nearest: number; largest: number; size_class: number };
  /** Of every kernel tried. */
  log_likelihoods: { kernel_mi: number; log_likelihood: number }[];
}

export const kernels_mi = [2, 2.5, 3, 3.5, 4, 5, 6, 8] as const;

/** The size whose reports are forecast first: the severe threshold, below which hardly anybody files a report. */
export const severe_in = 1;

/** Larger rungs that people report by. Whether a report reaches a rung is all that is read of its size. */
export const rungs_in = [1.25, 1.5, 1.75, 2, 2.5] as const;

const no_severity = {
  per_percent: 0,
  usual_at_one_inch_percent: 0,
  usual_per_ln_size_percent: 0,
  bound_percent: 0,
};

export function evidenceOf({ cells }: Pick<PlaceDay, 'cells'>, kernel_mi: number): RadarEvidence {
  const records = cells.map((cell) => ({ ...cell, publisher: 'NEXRAD_SWDI' as const, sevprob: null }));
  const evidence = radarEvidence(records, { NEXRAD_SWDI: kernel_mi, MRMS_MESH: kernel_mi }, no_severity);
  if (evidence === null) throw new Error('a row of the fit holds at least one radar cell');
  return evidence;
}

/**
 * In two steps. First a logistic regression for a report of at least one inch: log-odds = intercept + nearest x evidence + largest x
 * evidence, with the kernel of the greatest likelihood. Then, with that held, one number for larger sizes: log-odds of at least s are
 * lower by size_class x ln s. In one step the many rungs would pull the first line away from the size that matters most. Null where the
 * data do not determine it.
 */
export function fitHail(rows: readonly PlaceDay[], kernels: readonly number[] = kernels_mi): HailFit | null {
  let best: (LogisticFit & { kernel_mi: number }) | null = null;
  const log_likelihoods: HailFit['log_likelihoods'] = [];
  for (const kernel_mi of kernels) {
    const fit = fitLogistic(severeTrials(rows, kernel_mi));
    if (fit === null) return null;
    log_likelihoods.push({ kernel_mi, log_likelihood: fit.log_likelihood });
    if (best === null || fit.log_likelihood > best.log_likelihood) best = { ...fit, kernel_mi };
  }
  if (best === null) return null;
  const { kernel_mi } = best;
  const [intercept, nearest, largest] = three(best.coefficients);
  const sizes = fitLogistic(
    largerTrials(rows, (row) => {
      const evidence = evidenceOf(row, kernel_mi);
      return intercept + nearest * evidence.nearest + largest * evidence.largest;
    }),
  );
  const [size_class] = sizes?.coefficients ?? [];
  const [size_class_error] = sizes?.standard_errors ?? [];
  if (size_class === undefined || size_class_error === undefined) return null;
  const [intercept_error, nearest_error, largest_error] = three(best.standard_errors);
  return {
    kernel_mi,
    coefficients: { intercept, nearest, largest, size_class },
    standard_errors: {
      intercept: intercept_error,
      nearest: nearest_error,
      largest: largest_error,
      size_class: size_class_error,
    },
    log_likelihoods,
  };
}

/** P(a report of at least `class_in` within the circle). */
export function reportChance(
  fit: Pick<HailFit, 'kernel_mi' | 'coefficients'>,
  row: Pick<PlaceDay, 'cells'>,
  class_in: number,
): number {
  const { intercept, nearest, largest, size_class } = fit.coefficients;
  const evidence = evidenceOf(row, fit.kernel_mi);
  return fromLogOdds(
    intercept + nearest * evidence.nearest + largest * evidence.largest - size_class * Math.log(class_in),
  );
}

function severeTrials(rows: readonly PlaceDay[], kernel_mi: number): Trials {
  const width = 3;
  const features = new Float64Array(rows.length * width);
  rows.forEach((row, index) => {
    const { nearest, largest } = evidenceOf(row, kernel_mi);
    features.set([1, nearest, largest], index * width);
  });
  return {
    features,
    width,
    outcomes: Uint8Array.from(rows, ({ reported_in }) => (reported_in >= severe_in ? 1 : 0)),
    blocks: Int32Array.from(rows, ({ block }) => block),
  };
}

function largerTrials(rows: readonly PlaceDay[], severe: (row: PlaceDay) => number): Trials {
  const trials = rows.flatMap((row) => {
    const offset = severe(row);
    return rungs_in.map((rung_in) => ({ row, rung_in, offset }));
  });
  return {
    features: Float64Array.from(trials, ({ rung_in }) => -Math.log(rung_in)),
    width: 1,
    outcomes: Uint8Array.from(trials, ({ row, rung_in }) => (row.reported_in >= rung_in ? 1 : 0)),
    blocks: Int32Array.from(trials, ({ row }) => row.block),
    offsets: Float64Array.from(trials, ({ offset }) => offset),
  };
}

function three([first, second, third]: readonly number[]): [number, number, number] {
  if (first === undefined || second === undefined || third === undefined) {
    throw new Error('the regression for one inch has three coefficients');
  }
  return [first, second, third];
}
