/** One row of a logistic regression: its features (the first is 1), whether it came true, and the block it belongs to. */
export interface Trials {
  /** Features, row after row. */
  features: Float64Array;
  width: number;
  outcomes: Uint8Array;
  blocks: Int32Array;
  /** Log-odds that are given and not fitted, one a row; none where absent. */
  offsets?: Float64Array;
}

export interface LogisticFit {
  coefficients: number[];
  /** Standard errors that hold where the rows of one block depend on each other (sandwich by block). */
  standard_errors: number[];
  log_likelihood: number;
}

const most_steps = 60;
const precise_enough = 1e-10;

/**
 * Maximum likelihood by Newton's method. Null where there is none: all outcomes alike, or a feature that says nothing (a constant
 * forecast has no recalibration line). Sums run in the order of the rows, so the same rows give the same bits.
 */
export function fitLogistic(trials: Trials): LogisticFit | null {
  const { features, width, outcomes } = trials;
  let coefficients = new Array<number>(width).fill(0);
  for (let step = 0; step < most_steps; step += 1) {
    const gradient = new Float64Array(width);
    const curvature = new Float64Array(width * width);
    let log_likelihood = 0;
    for (let row = 0; row < outcomes.length; row += 1) {
      const at = row * width;
      const log_odds = (trials.offsets?.[row] ?? 0) + dot(features, at, coefficients);
      const chance = 1 / (1 + Math.exp(-log_odds));
      const miss = (outcomes[row] ?? 0) - chance;
      const weight = chance * (1 - chance);
      log_likelihood -= outcomes[row] === 1 ? softplus(-log_odds) : softplus(log_odds);
      for (let i = 0; i < width; i += 1) {
        const value = features[at + i] ?? 0;
        gradient[i] = (gradient[i] ?? 0) + miss * value;
        for (let j = 0; j <= i; j += 1) {
          const cell = i * width + j;
          curvature[cell] = (curvature[cell] ?? 0) + weight * value * (features[at + j] ?? 0);
        }
      }
    }
    mirror(curvature, width);
    const inverse = invert(curvature, width);
    if (inverse === null || !Number.isFinite(log_likelihood)) return null;
    const move = times(inverse, width, gradient);
    if (move.every((each) => Math.abs(each) < precise_enough)) {
      return { coefficients, standard_errors: sandwich(trials, coefficients, inverse), log_likelihood };
    }
    coefficients = coefficients.map((each, index) => each + (move[index] ?? 0));
  }
  return null;
}

/** ln(1 + e^x) without overflow. */
export function softplus(x: number): number {
  return x > 0 ? x + Math.log1p(Math.exp(-x)) : Math.log1p(Math.exp(x));
}

function dot(features: Float64Array, at: number, coefficients: readonly number[]): number {
  let sum = 0;
  for (let i = 0; i < coefficients.length; i += 1) sum += (features[at + i] ?? 0) * (coefficients[i] ?? 0);
  return sum;
}

function sandwich(trials: Trials, coefficients: readonly number[], inverse: Float64Array): number[] {
  const { features, width, outcomes, blocks } = trials;
  const scores = new Map<number, Float64Array>();
  for (let row = 0; row < outcomes.length; row += 1) {
    const at = row * width;
    const block = blocks[row] ?? 0;
    const score = scores.get(block) ?? new Float64Array(width);
    const log_odds = (trials.offsets?.[row] ?? 0) + dot(features, at, coefficients);
    const miss = (outcomes[row] ?? 0) - 1 / (1 + Math.exp(-log_odds));
    for (let i = 0; i < width; i += 1) score[i] = (score[i] ?? 0) + miss * (features[at + i] ?? 0);
    scores.set(block, score);
  }
  const variances = new Float64Array(width);
  for (const score of scores.values()) {
    const moved = times(inverse, width, score);
    for (let i = 0; i < width; i += 1) variances[i] = (variances[i] ?? 0) + (moved[i] ?? 0) ** 2;
  }
  return [...variances].map(Math.sqrt);
}

function mirror(matrix: Float64Array, width: number): void {
  for (let i = 0; i < width; i += 1)
    for (let j = i + 1; j < width; j += 1) matrix[i * width + j] = matrix[j * width + i] ?? 0;
}

function times(matrix: Float64Array, width: number, vector: Float64Array): number[] {
  return Array.from({ length: width }, (_, i) => {
    let sum = 0;
    for (let j = 0; j < width; j += 1) sum += (matrix[i * width + j] ?? 0) * (vector[j] ?? 0);
    return sum;
  });
}

/** Gauss and Jordan with the largest pivot; null where a pivot vanishes beside the matrix it came from. */
function invert(matrix: Float64Array, width: number): Float64Array | null {
  const left = matrix.map((value) => value);
  const right = new Float64Array(width * width);
  for (let i = 0; i < width; i += 1) right[i * width + i] = 1;
  const scale = Math.max(...matrix.map(Math.abs));
  for (let column = 0; column < width; column += 1) {
    let pivot = column;
    for (let row = column + 1; row < width; row += 1) {
      if (Math.abs(left[row * width + column] ?? 0) > Math.abs(left[pivot * width + column] ?? 0))
        pivot = row;
    }
    const value = left[pivot * width + column] ?? 0;
    if (Math.abs(value) <= scale * 1e-12) return null;
    for (const side of [left, right]) {
      for (let j = 0; j < width; j += 1) {
        const swapped = side[pivot * width + j] ?? 0;
        side[pivot * width + j] = side[column * width + j] ?? 0;
        side[column * width + j] = swapped / value;
      }
    }
    for (let row = 0; row < width; row += 1) {
      if (row === column) continue;
      const factor = left[row * width + column] ?? 0;
      for (const side of [left, right]) {
        for (let j = 0; j < width; j += 1) {
          side[row * width + j] = (side[row * width + j] ?? 0) - factor * (side[column * width + j] ?? 0);
        }
      }
    }
  }
  return right;
}
