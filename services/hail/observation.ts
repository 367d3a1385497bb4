import type { County } from './county.ts';
import type { CitingPublisher } from './publisher.ts';

/**
 * One place and time at which a revision of a record stood. All null-able, because a record may lack any of them; `lat` and `lon` in
 * degrees, `began_at` in epoch milliseconds UTC.
 */
export interface Standing {
  began_at: number | null;
  lat: number | null;
  lon: number | null;
}

/** What a publisher adds to a size: radar probabilities in percent, who reported, how the size was known. */
export interface Evidence {
  /** Probability of severe hail, percent (SWDI SEVPROB). */
  sevprob: number | null;
  /** Probability of hail, percent (SWDI PROB). */
  prob: number | null;
  /** Measured or estimated, where the publisher says so. */
  qualifier: string | null;
  /** Who saw it, in the publisher's words (Storm Events SOURCE). */
  reporter: string | null;
  /** The radar, where one saw it. */
  station: string | null;
  /** The radar's own name of the storm cell; recycled, meaningful only beside station and time. */
  cell_id: string | null;
  /** The publisher's time-zone label, kept because a label without a known offset leaves the record without a time. */
  time_zone: string | null;
}

/** Where a fact was read: enough to fetch the same bytes and compare them. */
export interface Provenance {
  document_url: string;
  /** Epoch milliseconds UTC. */
  retrieved_at: number;
  /** SHA-256 of the document's bytes as they were served, lower-case hex. */
  document_sha256: string;
  /** The publisher's own version of the record or its document (the creation stamp of a Storm Events file), else null. */
  publisher_version: string | null;
}

/**
 * `hail.observation.v1`: one native record of one publisher at one revision. What the publisher left blank is null here, and such a
 * record is stored and counted but takes part in no answer.
 */
export interface ObservationFact extends County {
  publisher: string;
  /** The record's identity at its publisher; with `publisher` it is the message key. */
  record_key: string;
  /** The publisher's identifier for citing; need not be unique. */
  record_id: string;
  /** The part of the publisher's holdings that was read when the record was seen; that slice alone can withdraw it. */
  slice: string;
  began_at: number | null;
  ended_at: number | null;
  lat: number | null;
  lon: number | null;
  /** The publisher's own number, unrounded, inches. */
  size_in: number | null;
  status: 'preliminary' | 'final' | 'withdrawn';
  /** Every standing that an earlier revision had and this one has not. The projector deletes there, so it needs no memory. */
  supersedes: Standing[];
  evidence: Evidence;
  provenance: Provenance;
}

/**
 * An observation as answers are made from it: citable, with a place, a time and a size. `size_in` is rounded to two decimals already;
 * times are epoch milliseconds UTC; an instant has `ended_ms` equal to `began_ms`. A granule is one record with as many of these as it has
 * cells, each at its centre: they share key, id and span, and become hail areas before anything is linked (`event/area.ts`).
 */
export interface Observation {
  publisher: CitingPublisher;
  record_key: string;
  record_id: string;
  began_ms: number;
  ended_ms: number;
  lat: number;
  lon: number;
  size_in: number;
  /** A grid cell's own number, which decides between the cells of one granule; null for a point record. */
  size_tenths_mm: number | null;
  /** Probability of severe hail in percent, where a radar gives one; only the score reads it. */
  sevprob?: number | null;
}

/** Why a record can take part in no answer; null when it can. Order matters: one reason is given, the first that holds. */
export function setAsideReason(
  record: Pick<ObservationFact, 'began_at' | 'lat' | 'lon' | 'size_in'>,
): 'no_time' | 'no_place' | 'no_size' | null {
  if (record.began_at === null) return 'no_time';
  if (record.lat === null || record.lon === null) return 'no_place';
  if (record.size_in === null) return 'no_size';
  return null;
}
