import type { Observation } from '../observation.ts';

/** An observation as seen from a property. */
export interface SightedObservation extends Observation {
  /** Great-circle distance, unrounded: radius, links and "nearest" are decided on it. */
  distance_m: number;
}
