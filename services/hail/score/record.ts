import type { CitingPublisher } from '../publisher.ts';

/**
 * What the score reads of one record of one publisher, seen from the property. Of a radar granule it is the cell that is most probable to
 * have hit the roof or the largest one: both may be given, since the score takes maxima.
 */
export interface ScoreRecord {
  publisher: CitingPublisher;
  /** The publisher's own number, rounded to hundredths; never recalibrated. */
  size_in: number;
  /** Unrounded, miles. */
  distance_mi: number;
  /** Probability of severe hail in percent, where a radar gives one. */
  sevprob: number | null;
  /** Epoch milliseconds UTC. */
  began_ms: number;
}
