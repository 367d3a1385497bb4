import type { RoofType } from '../roof/roof-type.ts';

/** A number that no data of ours fitted: what it is, why this value, and who says so. */
export interface Prior {
  value: number;
  unit: string;
  says: string;
  source: string;
}

/** The numbers of a score, all of one methodology file; nothing else of the score is a number. */
export interface ScoreModel {
  /** Records farther than this count for nothing, whatever radius a client lists. */
  reach_mi: number;
  min_size_in: number;
  /** Lower bounds of the size classes, ascending, inches; the last is open. */
  size_classes_in: readonly number[];
  radar: {
    coefficients: { intercept: number; nearest: number; largest: number; size_class: number };
    kernel_mi: Readonly<Record<'NEXRAD_SWDI' | 'MRMS_MESH', number>>;
    severity: {
      per_percent: number;
      usual_at_one_inch_percent: number;
      usual_per_ln_size_percent: number;
      bound_percent: number;
    };
    /** Falls for one report. */
    reports_to_falls: number;
    /** Share of the circle of the fit that one fall covers. */
    area_to_roof: number;
  };
  ground: {
    chance_at_place: Readonly<Record<'NOAA_SED' | 'COCORAHS', number>>;
    kernel_mi: number;
    size_power: number;
  };
  roof: RoofModel;
}

export interface RoofModel {
  /** Which quantile of a roof's capacity the published onset of damage is taken for, in standard normal deviates (negative). */
  onset_deviate: number;
  /** Spread of the capacity: standard deviation of its natural logarithm. */
  capacity_spread: number;
  types: Readonly<Record<RoofType, RoofNumbers>>;
}

export interface RoofNumbers {
  /** Smallest size that may damage a roof of this material in good condition, functionally, inches. */
  onset_in: number;
  /** Age until which the roof is as good as new, and from which it ages no more. */
  ages_from_years: number;
  ages_until_years: number;
  /** Share of the capacity that is left then. */
  aged_share: number;
  source: string;
}
