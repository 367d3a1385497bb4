import type { Reliability } from '../../services/hail/methodology/fit-record.ts';
import type { ScoredMethodology } from '../../services/hail/methodology/form.ts';
import { scoreModel } from '../../services/hail/methodology/score-model.ts';
import { materialTable } from '../../services/hail/roof/material-table.ts';
import { baselineWords } from './baselines.ts';

/** The fit itself: on what, which numbers, how they moved from fold to fold. */
export function fitText({ score, fit }: ScoredMethodology): string {
  const { coefficients, standard_errors, kernel_mi } = score.fitted;
  return [
    `${fit.place_days} place-days of ${fit.places} places, ${fit.years[0]} to ${fit.years.at(-1)}; ${fit.report_days} with a severe report within ${score.priors.circle_mi.value} miles (${fit.reports_per_place_year} a place and year)`,
    '',
    table(
      ['coefficient', 'value', 'standard error'],
      (['intercept', 'nearest', 'largest', 'size_class'] as const).map((name) => [
        name,
        coefficients[name],
        standard_errors[name],
      ]),
    ),
    `kernel ${kernel_mi} mi, of ${fit.kernels.map((each) => `${each.kernel_mi} (${each.log_likelihood})`).join(', ')}`,
    '',
    table(
      ['year held out', 'kernel', 'intercept', 'nearest', 'largest', 'size_class'],
      fit.folds.map((fold) => [
        fold.held_out,
        fold.kernel_mi,
        fold.intercept,
        fold.nearest,
        fold.largest,
        fold.size_class,
      ]),
    ),
  ].join('\n');
}

/** Everything that is known of how forecasts of one size class did. */
export function reliabilityText(report: Reliability): string {
  const { model } = report;
  const { reliability, resolution, uncertainty, within_bins } = model.decomposition;
  const words: Readonly<Record<string, string>> = baselineWords;
  return [
    `Reports of ${report.class_in.toFixed(2)} in and more: ${report.outcomes} of ${report.place_days} place-days, ${report.blocks} blocks of days`,
    '',
    table(
      ['forecast', 'place-days', 'reports', 'mean forecast', 'observed', '95 % interval'],
      report.curve.map((point) => [
        `${point.from}-${point.until}`,
        point.count,
        point.outcomes,
        point.mean_forecast,
        point.observed,
        `${point.low} to ${point.high}`,
      ]),
    ),
    `Brier ${model.brier} = reliability ${reliability} - resolution ${resolution} + uncertainty ${uncertainty} + within bins ${within_bins}`,
    `log score ${model.log_score}, expected calibration error ${model.calibration_error}, recalibration ${model.recalibration === null ? 'none' : `intercept ${model.recalibration.intercept}, slope ${model.recalibration.slope}`}`,
    '',
    table(
      ['baseline', 'Brier', 'log score', 'calibration error', 'gain of the model', '95 % interval'],
      report.baselines.map((each) => [
        words[each.name] ?? each.name,
        each.brier,
        each.log_score,
        each.calibration_error,
        each.gain,
        `${each.low} to ${each.high}`,
      ]),
    ),
    table(
      [
        'year',
        'place-days',
        'reports',
        'mean forecast',
        'Brier',
        'climatology',
        'one variable',
        'cal. error',
      ],
      report.by_year.map((each) => [
        each.year,
        each.place_days,
        each.outcomes,
        each.mean_forecast,
        each.brier,
        each.climatology_brier,
        each.one_variable_brier,
        each.calibration_error,
      ]),
    ),
    table(
      ['stratum', 'place-days', 'reports', 'mean forecast', 'observed', '95 % interval'],
      report.strata.map((each) => [
        each.name,
        each.place_days,
        each.outcomes,
        each.mean_forecast,
        each.observed,
        `${each.low} to ${each.high}`,
      ]),
    ),
    table(
      ['requirement', 'figure', ''],
      report.requirements.map(({ says, figure, reached }) => [
        says,
        figure,
        reached ? 'reached' : 'NOT REACHED',
      ]),
    ),
  ].join('\n');
}

/** What the region of the fit would be told, and how much of that hangs on one prior. */
export function spreadText({ fit }: ScoredMethodology): string {
  return [
    `Scores of the ${fit.places} places, asphalt of ${fit.years.length} years, by radar alone`,
    '',
    table(
      [
        'falls per report',
        'lowest',
        'quarter',
        'median',
        'three quarters',
        'highest',
        'inch-hail days a year',
      ],
      fit.spread.map((each) => [
        each.reports_to_falls,
        each.lowest,
        each.quarter,
        each.median,
        each.three_quarters,
        each.highest,
        each.inch_hail_days_per_year,
      ]),
    ),
  ].join('\n');
}

/** The roof priors against claims: order and ratios. */
export function roofText(methodology: ScoredMethodology): string {
  const { claims } = methodology.score;
  return [
    `Roofs, ${claims.age_years} years old, hail of an inch and more. Priors, not calibrated on claims. Claims: ${claims.source}`,
    '',
    table(
      ['roof type', 'P(damage)', 'to asphalt', 'claimed, to asphalt'],
      materialTable(scoreModel(methodology), claims).map((row) => [
        row.roof_type,
        row.damage.toFixed(3),
        row.to_asphalt.toFixed(2),
        row.claimed_to_asphalt?.toFixed(2) ?? '-',
      ]),
    ),
  ].join('\n');
}

function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const lines = [head, ...rows].map((row) => row.map(String));
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
    .concat('\n');
}
