import type { RefusalReason } from './limits/limiter.ts';
import type { Geocode } from './ports.ts';

/** Why a request was not let in for now. */
export type CapacityReason = 'capacity' | 'deadline';

/** What an error turned out to be, as it was answered. */
export type AnsweredError =
  | { kind: 'refused'; reason: CapacityReason }
  | { kind: 'limited'; reason: RefusalReason }
  /** An answer of ours did not fit `openapi.json`. */
  | { kind: 'mismatch' };

/** What the API tells of its requests, for the operations pages. Called for each of them: it must be quick and never throw. */
export interface ApiObserver {
  began: () => void;
  /** `status` is null where the client went before its answer, `operation` where the path is none. */
  ended: (request: { operation: string | null; status: number | null; duration_ms: number }) => void;
  /** What never reached the app: no HTTP, too large or too slow. */
  unreadable: (status: number) => void;
  answered: (error: AnsweredError) => void;
  /** So many requests wait for their turn at the views now. */
  waiting: (requests: number) => void;
}

/** The same of the geocoders. No address is among it. */
export interface GeocoderObserver {
  asked: (question: {
    geocoder: string;
    outcome: Geocode['outcome'] | 'given_up' | 'error';
    duration_ms: number;
  }) => void;
  breaker: (geocoder: string, is_open: boolean) => void;
  cache: (result: 'hit' | 'miss') => void;
}
