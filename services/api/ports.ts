import type { Observation } from '../hail/observation.ts';
import type { CitingPublisher } from '../hail/publisher.ts';

export type Coverage = 'complete' | 'partial' | 'none';

/** Where and when to look, degrees and epoch milliseconds UTC; `until_ms` is exclusive. */
export interface HailQuestion {
  lat: number;
  lon: number;
  radius_mi: number;
  from_ms: number;
  until_ms: number;
}

/** How long the asker waits: until the signal aborts, which it does at the latest at `deadline_ms` of `performance.now()`. */
export interface AskerPatience {
  signal: AbortSignal;
  deadline_ms: number;
}

export interface HailReading {
  /** At least every observation of the circle and window; some may lie outside, the event rules filter exactly. */
  observations: Observation[];
  /** The log position that the answer stands on. */
  token: string;
  coverage: Readonly<Record<CitingPublisher, Coverage>>;
}

/** What the views hold. Every method fails with `HAIL_STORE_UNAVAILABLE` while the store is away. */
export interface HailReader {
  /** Null while no citing feed has ever been read: there is nothing to answer from, and "no hail" would be a lie. */
  observationsNear: (question: HailQuestion, patience: AskerPatience) => Promise<HailReading | null>;
  /** By feed name, the instant through which it has been read and can be queried; absent where it never was. */
  feedsReadThrough: () => Promise<ReadonlyMap<string, number>>;
}

export type Correction = 'zip' | 'city' | 'suffix';

/** What the geocoder made of an address. "No match" is an answer, "unavailable" is none. */
export type Geocode =
  | { outcome: 'match'; resolved_address: string; lat: number; lon: number; corrections: Correction[] }
  | { outcome: 'no_match' }
  | { outcome: 'candidates'; candidates: string[] }
  | { outcome: 'unavailable' };

export interface Geocoder {
  /**
   * `address` is trimmed. What goes wrong outside is "unavailable"; rejects with the 503 of `notNow` where the asker cannot be served
   * for now. The address reaches no log and no error.
   */
  locate: (address: string, signal: AbortSignal) => Promise<Geocode>;
}
