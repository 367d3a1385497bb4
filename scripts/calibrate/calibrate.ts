import type { FitRecord, Reliability } from '../../services/hail/methodology/fit-record.ts';
import type { ScoredMethodology } from '../../services/hail/methodology/form.ts';
import { scoreModel } from '../../services/hail/methodology/score-model.ts';
import { fitBaselines, type BaselineFit } from './baselines.ts';
import { fitHail, reportChance } from './fit.ts';
import { heldOut, judgedBy, type Forecaster, type Target } from './judge.ts';
import { placeDays, type PlaceDay } from './locations.ts';
import { readPairs } from './pairs.ts';
import { reportOf } from './report.ts';
import { spreadOf } from './spread.ts';
import { HailmarkError } from '../../services/runtime/errors.ts';

/** Classes whose forecasts are judged; the requirements are about the first. */
const judged_classes_in = [1, 1.5, 2] as const;

const data_origin =
  'alexs6360/riseroofingms at cbb406798647, folder data: derived from NOAA NCEI SWDI nx3hail and Storm Events, north Mississippi';

/**
 * A methodology with its fit made anew on a folder of paired data: the same words and priors, other numbers. Pure but for reading the
 * folder; numbers are rounded to what the file shows, and nothing downstream sees more digits than that.
 */
export function calibrate(words: ScoredMethodology, folder: string): ScoredMethodology {
  const { reach_mi, circle_mi } = words.score.priors;
  const { years, files } = readPairs(folder);
  const { rows, places } = placeDays(years, { reach_mi: reach_mi.value, circle_mi: circle_mi.value });
  const targets = targetsOf(words);
  const fit = fitHail(rows);
  const folds = heldOut(rows, targets);
  if (fit === null || folds === null) throw undetermined();
  const report_days = rows.filter(isSevere).length;
  const score: ScoredMethodology['score'] = {
    ...words.score,
    fitted: {
      kernel_mi: fit.kernel_mi,
      coefficients: roundedAll(fit.coefficients),
      standard_errors: roundedAll(fit.standard_errors),
    },
  };
  const region = { places, years: years.map(({ year }) => year) };
  const record: FitRecord = {
    data: { origin: data_origin, files },
    ...region,
    place_days: rows.length,
    report_days,
    reports_per_place_year: rounded(report_days / (places * years.length)),
    kernels: fit.log_likelihoods.map((each) => roundedAll(each)),
    folds: folds.folds.map(({ year, fit: fold }) => ({
      held_out: year,
      kernel_mi: fold.kernel_mi,
      ...roundedAll(fold.coefficients),
    })),
    baselines: targets.map(({ class_in }) => ({ class_in, ...roundedAll(fitBaselines(rows, class_in)) })),
    spread: roundedAll(spreadOf(rows, region, scoreModel({ score }))),
    reliability: targets.map(({ class_in }, index) =>
      roundedAll(reportOf(folds.judged[index] ?? [], class_in)),
    ),
  };
  return { ...words, score, fit: record };
}

/** The report of a committed methodology on other files, nothing fitted: its own numbers, its own baselines. */
export function evaluate(methodology: ScoredMethodology, folder: string): Reliability[] {
  const { fitted } = methodology.score;
  return judgeWith(methodology, folder, (row, { class_in }) => reportChance(fitted, row, class_in));
}

/** The same report of a forecaster that says the methodology's own share of reports to everybody, which must fail. */
export function evaluateConstant(methodology: ScoredMethodology, folder: string): Reliability[] {
  return judgeWith(methodology, folder, (_, target) => {
    const own = methodology.fit.reliability.find(({ class_in }) => class_in === target.class_in);
    if (own === undefined) throw new Error('the methodology judged this class');
    return own.outcomes / own.place_days;
  });
}

function judgeWith(
  methodology: ScoredMethodology,
  folder: string,
  forecast: (row: PlaceDay, target: Target) => number,
): Reliability[] {
  const { reach_mi, circle_mi } = methodology.score.priors;
  const { rows } = placeDays(readPairs(folder).years, {
    reach_mi: reach_mi.value,
    circle_mi: circle_mi.value,
  });
  if (rows.length === 0) throw undetermined();
  return targetsOf(methodology).map((target) => {
    const forecaster: Forecaster = (row) => forecast(row, target);
    return roundedAll(
      reportOf(
        judgedBy(rows, target, forecaster, baselinesOf(methodology, target.class_in)),
        target.class_in,
      ),
    );
  });
}

function baselinesOf({ fit }: ScoredMethodology, class_in: number): BaselineFit {
  const own = fit.baselines.find((each) => each.class_in === class_in);
  if (own === undefined) throw new Error('the methodology holds baselines of this class');
  return { monthly: [...own.monthly], one_variable: own.one_variable };
}

function targetsOf({ score }: ScoredMethodology): Target[] {
  return judged_classes_in.map((class_in) => ({ class_in, circle_mi: score.priors.circle_mi.value }));
}

function isSevere({ reported_in }: PlaceDay): boolean {
  return reported_in >= judged_classes_in[0];
}

/** The bytes of a methodology file. */
export function methodologyText(methodology: ScoredMethodology): string {
  return `${JSON.stringify(methodology, null, 2)}\n`;
}

/** Five significant digits of every number that is no integer, all the way down. */
function roundedAll<T>(value: T): T {
  return JSON.parse(
    JSON.stringify(value, (_, each: unknown) => (typeof each === 'number' ? rounded(each) : each)),
  ) as T;
}

function rounded(value: number): number {
  return Number.isInteger(value) ? value : Number(value.toPrecision(5));
}

function undetermined(): HailmarkError {
  return new HailmarkError(
    'HAIL_CALIBRATION_DATA',
    'The paired data do not determine a fit: too few reports, or all of one kind.',
  );
}
