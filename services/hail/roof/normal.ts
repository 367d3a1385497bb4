/**
 * The standard normal distribution function, absolute error below 1.5e-7: the error function by Abramowitz and Stegun 7.1.26. Its rounding
 * error is not monotone at that scale, which no score of whole percents shows; 0 and 1 are exact far out.
 */
export function normalShareBelow(deviate: number): number {
  const x = Math.abs(deviate) / Math.SQRT2;
  const t = 1 / (1 + 0.3275911 * x);
  const tail =
    ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) *
    t *
    Math.exp(-x * x);
  return deviate >= 0 ? 1 - tail / 2 : tail / 2;
}
