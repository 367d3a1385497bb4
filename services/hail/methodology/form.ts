import type { RoofType } from '../roof/roof-type.ts';
import type { Prior, RoofNumbers } from '../score/model.ts';
import type { ScoreRecord } from '../score/record.ts';
import type { FitRecord } from './fit-record.ts';

export interface Methodology {
  /** Opaque to clients; a new file for each version, and a released file never changes. */
  version: string;
  /** `YYYY-MM-DD`. */
  last_updated: string;
  changelog: readonly { version: string; published: string; summary: string }[];
  /** What the methodology says, in paragraphs. */
  summary: readonly string[];
  notes: Readonly<Record<string, string>>;
}

/** A methodology that holds a score: every number of it, where it comes from, and how well it does. */
export interface ScoredMethodology extends Methodology {
  limits: readonly string[];
  score: {
    size_classes_in: readonly number[];
    fitted: {
      kernel_mi: number;
      coefficients: FittedCoefficients;
      /** Given the kernel, and with rows of one block depending on each other. */
      standard_errors: FittedCoefficients;
    };
    priors: Readonly<Record<PriorName, Prior>>;
    roofs: Readonly<Record<RoofType, RoofNumbers>>;
    claims: {
      source: string;
      age_years: number;
      /** Share of roofs of a material that were claimed. */
      rates_percent: Readonly<Partial<Record<RoofType, number>>>;
    };
  };
  fit: FitRecord;
  example: Example;
}

export interface FittedCoefficients {
  intercept: number;
  nearest: number;
  largest: number;
  size_class: number;
}

/** Numbers that nothing of ours fitted; the file says of each why. */
export type PriorName =
  | 'reach_mi'
  | 'min_size_in'
  | 'circle_mi'
  | 'mrms_kernel_mi'
  | 'severity_per_percent'
  | 'severity_usual_at_one_inch_percent'
  | 'severity_usual_per_ln_size_percent'
  | 'severity_bound_percent'
  | 'reports_to_falls'
  | 'area_to_roof'
  | 'storm_events_at_place'
  | 'cocorahs_at_place'
  | 'ground_kernel_mi'
  | 'ground_size_power'
  | 'onset_deviate'
  | 'capacity_spread';

/** The worked example of the page: made-up records, computed by the same code as any answer. */
export interface Example {
  says: string;
  now: string;
  roof_type: string;
  roof_age: number;
  records: readonly (Omit<ScoreRecord, 'began_ms' | 'publisher'> & {
    publisher: string;
    occurred_at: string;
  })[];
}
