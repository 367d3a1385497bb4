import type { ScoredMethodology } from '../../hail/methodology/form.ts';
import { scoreModel } from '../../hail/methodology/score-model.ts';
import { materialTable } from '../../hail/roof/material-table.ts';
import { html, paragraphs, percent, table, type Markup } from './markup.ts';
import { reliabilityDiagram, roofCurves, roofName, sizeCurves } from './pictures.ts';

/** What the number means; the tiers are those of the contract. */
export function meaning({ summary }: ScoredMethodology): Markup {
  return html`<h2>What the number means</h2>
    ${paragraphs(summary)}
    ${table(
      ['tier', 'score', 'which is'],
      [
        ['Low', '0 to 25', 'less than about one chance in four'],
        ['Moderate', '26 to 50', 'up to an even chance'],
        ['High', '51 to 75', 'more likely than not'],
        ['Very High', '76 to 100', 'more than three chances in four'],
      ],
    )}`;
}

export function making(methodology: ScoredMethodology): Markup {
  const { fitted, priors } = methodology.score;
  const { intercept, nearest, largest, size_class } = fitted.coefficients;
  return html`<h2>How it is made</h2>
    <p>
      For a convective day (12:00 to 12:00 UTC) with radar hail within ${priors.reach_mi.value} miles, the
      log-odds of hail of at least s inches at the roof are
    </p>
    <pre>
${intercept} + ${nearest} x A + ${largest} x B - ${size_class} x ln s + ln(${priors.reports_to_falls.value} x ${priors.area_to_roof.value})

strength = ln(size) + ${priors.severity_per_percent.value} x (severe-hail probability - usual), where it is given
A = the greatest of strength - (distance / kernel)^2
B = the greatest strength
kernel = ${fitted.kernel_mi} mi for NEXRAD_SWDI, ${priors.mrms_kernel_mi.value} mi for MRMS_MESH</pre>
    <p>
      The four coefficients and the first kernel are fitted, everything else is a prior. A report of people on
      the ground of size v at distance d gives another chance of its own, falling with distance and with sizes
      beyond the reported one, and of several reports the one that says most counts:
    </p>
    <pre>
at place x exp(-(d / ${priors.ground_kernel_mi.value})^2) x the lesser of 1 and (v / s)^${priors.ground_size_power.value}
at place = ${priors.storm_events_at_place.value} for NOAA_SED, ${priors.cocorahs_at_place.value} for COCORAHS</pre>
    <p>Hail at the roof is 1 - (1 - radar)(1 - ground).</p>
    ${sizeCurves(methodology)}
    <p>
      Damage is the chance of each size class times the share of such roofs whose capacity lies below it.
      Classes begin at ${methodology.score.size_classes_in.join(', ')} in; the geometric middle of its bounds
      stands for a class, its lower bound for the last one. Capacity is lognormal; what is left of it at the
      age that the roof had on that day falls in a straight line between the two ages below.
    </p>
    ${roofCurves(methodology)}`;
}

export function proof(methodology: ScoredMethodology): Markup {
  const { fit } = methodology;
  const [severe] = fit.reliability;
  if (severe === undefined) throw new Error('a methodology judges reports of an inch');
  return html`<h2>How well it does</h2>
    <p>
      ${fit.place_days} place-days with radar hail, ${fit.report_days} of them with a report of an inch or
      more within ${methodology.score.priors.circle_mi.value} miles, ${fit.years[0] ?? ''} to
      ${fit.years.at(-1) ?? ''}. Each year is forecast by a fit on the other years.
    </p>
    ${reliabilityDiagram(methodology)}
    <p>
      Brier score ${severe.model.brier}, log score ${severe.model.log_score}, expected calibration error
      ${severe.model.calibration_error}, slope of the recalibration line
      ${severe.model.recalibration?.slope.toFixed(2) ?? 'none'}.
    </p>
    ${table(
      ['required of forecasts of an inch', 'figure', ''],
      severe.requirements.map(({ says, figure, reached }) => [
        says,
        figure,
        reached ? 'reached' : 'not reached',
      ]),
    )}
    <p>Required, but not reached for larger sizes:</p>
    ${table(
      ['size', 'reports', 'not reached', 'figure'],
      fit.reliability
        .slice(1)
        .flatMap(({ class_in, outcomes, requirements }) =>
          requirements
            .filter(({ reached }) => !reached)
            .map(({ says, figure }) => [`${class_in} in`, outcomes, says, figure]),
        ),
    )}
    <p>Every year (Brier scores, smaller is better):</p>
    ${table(
      ['year', 'place-days', 'reports', 'expected', 'score', 'share of the month', 'one variable'],
      severe.by_year.map((each) => [
        each.year,
        each.place_days,
        each.outcomes,
        (each.mean_forecast * each.place_days).toFixed(1),
        each.brier,
        each.climatology_brier,
        each.one_variable_brier,
      ]),
    )}
    <p>By size and season:</p>
    ${table(
      ['place-days with', 'number', 'forecast', 'observed', '95 % interval'],
      severe.strata.map((each) => [
        each.name,
        each.place_days,
        percent(each.mean_forecast),
        percent(each.observed),
        `${percent(each.low)} to ${percent(each.high)}`,
      ]),
    )}`;
}

export function givens(methodology: ScoredMethodology): Markup {
  const { score } = methodology;
  const rows = materialTable(scoreModel(methodology), score.claims);
  return html`<h2>Priors: what is not fitted</h2>
    ${table(
      ['prior', 'value', 'what it says', 'source'],
      Object.entries(score.priors).map(([name, { value, unit, says, source }]) => [
        name.replaceAll('_', ' '),
        `${value} ${unit}`,
        says,
        source,
      ]),
    )}
    <h2>What hangs on the least certain prior</h2>
    <p>
      Scores that the region of the fit gets for asphalt shingles of ${methodology.fit.years.length} years, by
      radar alone, if there are so many falls of severe hail for each report. The methodology uses
      ${score.priors.reports_to_falls.value}.
    </p>
    ${table(
      [
        'falls per report',
        'lowest',
        'quarter',
        'median',
        'three quarters',
        'highest',
        'an inch of hail at a roof',
      ],
      methodology.fit.spread.map((each) => [
        each.reports_to_falls,
        each.lowest,
        each.quarter,
        each.median,
        each.three_quarters,
        each.highest,
        `once in ${(1 / each.inch_hail_days_per_year).toFixed(0)} years`,
      ]),
    )}
    <h2>Roofs</h2>
    ${table(
      ['roof', 'onset, in', 'left when aged', 'source'],
      rows.map(({ roof_type }) => {
        const { onset_in, aged_share, ages_from_years, ages_until_years, source } = score.roofs[roof_type];
        const aged =
          aged_share === 1
            ? 'all'
            : `${percent(aged_share)}, from ${ages_from_years} to ${ages_until_years} years`;
        return [roofName(roof_type), onset_in, aged, source];
      }),
    )}
    <p>Against the only claim rates by material that were found. ${score.claims.source}</p>
    ${table(
      [
        'roof',
        'damage by hail of an inch and more',
        'as a multiple of asphalt',
        'claimed, as a multiple of asphalt',
      ],
      rows.map((row) => [
        roofName(row.roof_type),
        percent(row.damage),
        row.to_asphalt.toFixed(2),
        row.claimed_to_asphalt?.toFixed(2) ?? 'not known',
      ]),
    )}`;
}

export function closing({ limits, changelog, fit, version }: ScoredMethodology): Markup {
  return html`<h2>Limits and known biases</h2>
    <ul>
      ${limits.map((text) => html`<li>${text}</li>`)}
    </ul>
    <h2>How to reproduce it</h2>
    <p>
      The file <code>services/hail/methodology/${version}.json</code> holds every number; the code reads its
      numbers from it and from nowhere else. Two runs of the first command give it byte for byte; the second
      applies it, without fitting, to other files of the same form.
    </p>
    <pre>
node scripts/calibrate.ts
node scripts/calibrate.ts --evaluate &lt;folder&gt;</pre>
    <p>Fitted on ${fit.data.origin}:</p>
    ${table(
      ['file', 'rows', 'SHA-256'],
      fit.data.files.map(({ name, rows, sha256 }) => [name, rows, sha256]),
    )}
    <h2>Changes</h2>
    <ul>
      ${changelog.map((each) => html`<li>${each.version}, ${each.published}: ${each.summary}</li>`)}
    </ul>`;
}
