/** What `scripts/calibrate` writes into a methodology: on which data, what came out, and how it did on years it had not seen. */
export interface FitRecord {
  data: {
    origin: string;
    files: readonly { name: string; sha256: string; rows: number }[];
  };
  /** Places times years, and the share of them in which a report of at least an inch was filed within the circle: a check on the whole. */
  places: number;
  years: readonly number[];
  place_days: number;
  report_days: number;
  reports_per_place_year: number;
  kernels: readonly { kernel_mi: number; log_likelihood: number }[];
  folds: readonly {
    held_out: number;
    kernel_mi: number;
    intercept: number;
    nearest: number;
    largest: number;
    size_class: number;
  }[];
  /** What `--evaluate` compares with, fitted on all years, so that nothing is fitted there. */
  baselines: readonly {
    class_in: number;
    monthly: readonly number[];
    one_variable: { intercept: number; slope: number };
  }[];
  /**
   * Scores that the region of the fit gets for asphalt shingles as old as the data are long, by radar alone, and days with an inch of hail
   * at a roof, a year: at the prior's own value and at others that can be argued for.
   */
  spread: readonly {
    reports_to_falls: number;
    lowest: number;
    quarter: number;
    median: number;
    three_quarters: number;
    highest: number;
    inch_hail_days_per_year: number;
  }[];
  /** By size class, the first the one that the requirements are about. */
  reliability: readonly Reliability[];
}

export interface Skill {
  brier: number;
  log_score: number;
  calibration_error: number;
}

/** How forecasts of "a report of at least `class_in` within the circle" did. Intervals: 95 percent, whole blocks of days drawn anew. */
export interface Reliability {
  class_in: number;
  place_days: number;
  outcomes: number;
  blocks: number;
  model: Skill & {
    /** Forecast and observed on the whole, the latter with its interval. */
    mean_forecast: number;
    observed: number;
    low: number;
    high: number;
    recalibration: { intercept: number; slope: number } | null;
    decomposition: { reliability: number; resolution: number; uncertainty: number; within_bins: number };
  };
  curve: readonly CurvePoint[];
  /** `gain` is the baseline's Brier score less the model's: above 0 the model is better. */
  baselines: readonly (Skill & { name: string; gain: number; low: number; high: number })[];
  by_year: readonly {
    year: number;
    place_days: number;
    outcomes: number;
    mean_forecast: number;
    brier: number;
    calibration_error: number;
    climatology_brier: number;
    one_variable_brier: number;
  }[];
  strata: readonly {
    name: string;
    place_days: number;
    outcomes: number;
    mean_forecast: number;
    observed: number;
    low: number;
    high: number;
  }[];
  requirements: readonly Requirement[];
}

export interface CurvePoint {
  from: number;
  until: number;
  count: number;
  outcomes: number;
  mean_forecast: number;
  observed: number;
  low: number;
  high: number;
}

export interface Requirement {
  says: string;
  figure: string;
  reached: boolean;
}
