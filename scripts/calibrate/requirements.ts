import type { Reliability, Requirement } from '../../services/hail/methodology/fit-record.ts';

/**
 * What a version must reach to be called calibrated. Set before the fit, but for the third, which catches forecasts that are all too high or
 * too low and would keep their slope; the same for every forecaster, a constant one too.
 */
export function requirements(report: Omit<Reliability, 'requirements'>): Requirement[] {
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
    {
      says: 'the mean forecast inside the interval of the observed share',
      figure: `${model.mean_forecast.toFixed(5)} (${model.low.toFixed(5)} to ${model.high.toFixed(5)})`,
      reached: model.mean_forecast >= model.low && model.mean_forecast <= model.high,
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
