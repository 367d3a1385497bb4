import type { AlertFact } from '../hail/alert.ts';
import type { GridFact } from '../hail/grid.ts';
import type { ObservationFact } from '../hail/observation.ts';

/** A box in degrees. */
export interface Box {
  west: number;
  south: number;
  east: number;
  north: number;
}

/** One slice of a publisher's holdings as one poll read it. */
export interface SliceReading {
  /** The slice's stable name: a data year, or a day and a box. */
  slice: string;
  /** The period the slice speaks for, epoch milliseconds UTC, end exclusive. */
  from: number;
  until: number;
  /** The region it speaks for; null is everywhere the publisher covers. */
  box: Box | null;
  /** The publisher's version of what was read, comparable as text; null where it has none. */
  publisher_version: string | null;
  /** True when what was read is the whole truth of the slice: only then does absence mean withdrawal, and only then is it coverage. */
  complete: boolean;
  /** Hail records that the slice held, of known size or not. */
  records: number;
  published: number;
  withdrawn: number;
  /** Record keys left unpublished because an earlier message of theirs cannot be decoded. */
  held: string[];
}

/** The end of one partition, taken after the feed's last append: everything before it must be queryable before freshness is claimed. */
export interface TopicEnd {
  topic: string;
  partition: number;
  end_offset: number;
}

/** Reasons a poll fails for, stable, in `reason` of the fact. */
export const pollFailures = [
  'unreachable',
  'too-slow',
  'host-busy',
  'told-to-wait',
  'http-status',
  'too-large',
  'not-the-format',
  'truncated',
  'error-body',
  'count-mismatch',
  'empty-listing',
  'suspicious-withdrawal',
  /** A granule of a radar mosaic was not whole or not what its key says; the detail begins with the decoder's own word for it. */
  'granule-refused',
] as const;
export type PollFailure = (typeof pollFailures)[number];

/** `hail.feed-poll.v1`: one question to a publisher and how it ended. Silence and breakage are different facts. */
export interface FeedPollFact {
  /** The feed's name in health: `storm_events`, `radar_hail` … */
  feed: string;
  publisher: string;
  mode: 'live' | 'backfill';
  /** The URL that was asked. */
  asked: string;
  began_at: number;
  ended_at: number;
  outcome: 'read' | 'not_modified' | 'failed';
  /** A `PollFailure` when failed, else null. */
  reason: string | null;
  /** One sentence for a person, null where the reason says all. */
  detail: string | null;
  /** The instant through which the publisher has been read, as health reports it; null where this poll proves none. */
  read_through: number | null;
  offsets: TopicEnd[];
  readings: SliceReading[];
  /** SHA-256 of the document's bytes; null where none came. */
  document_sha256: string | null;
}

/** What a feed publishes about its publisher's records. */
export type RecordFact = ObservationFact | GridFact | AlertFact;

/** `hail.api-key.v1`, compacted by key id: the newest state of a key. The secret is never in it. */
export interface ApiKeyFact {
  /** The 8 hexadecimal characters, public and loggable. */
  key_id: string;
  /** SHA-256 of the whole key, lower-case hex. */
  key_sha256: string;
  partner: string;
  per_minute: number;
  per_day: number;
  created_at: number;
  /** Not null is revoked, whatever the time is: a revocation must hold where clocks differ. */
  revoked_at: number | null;
  /** From this instant the key opens nothing: the end of a rotation's grace time. */
  expires_at: number | null;
  /** The key that took its place in a rotation. */
  replaced_by: string | null;
}

/** `hail.api-request.v1`, by request id: one request with a key that was let in, for usage and audit. No address and no key is in it. */
export interface ApiRequestFact {
  request_id: string;
  key_id: string;
  /** `operationId` of openapi.json. */
  operation: string;
  /** HTTP status; null where the client had gone before the answer was out. */
  status: number | null;
  duration_ms: number;
  methodology_version: string;
  /** Null where no place was found. */
  geohash_4: string | null;
  /** When the request came, by the service's clock. */
  at: number;
}

/**
 * What has become of a dead message. `dead` opens the letter; `retry` asks the feed's owner to publish the record anew; `settled` says that
 * it did, or that a newer message had made that needless; `dropped` says that nobody waits for it any more. The last three carry no bytes.
 */
export type DeadLetterState = 'dead' | 'retry' | 'settled' | 'dropped';

/** `hail.dead-letter.v1`: a message that could not be decoded or is not valid, with its original bytes. */
export interface DeadLetterFact {
  state: DeadLetterState;
  topic: string;
  partition: number;
  offset: number;
  key: string;
  value: Buffer | null;
  headers: Record<string, string>;
  /** Where it failed: the projection and its version. */
  at: string;
  /** A stable reason, see the codec and the projections. */
  reason: string;
  error: string;
  failed_at: number;
}

/** The fact that each topic carries. */
export interface FactOfTopic {
  'hail.observation.v1': ObservationFact;
  'hail.grid.v1': GridFact;
  'hail.alert.v1': AlertFact;
  'hail.feed-poll.v1': FeedPollFact;
  'hail.api-key.v1': ApiKeyFact;
  'hail.api-request.v1': ApiRequestFact;
  'hail.dead-letter.v1': DeadLetterFact;
}
