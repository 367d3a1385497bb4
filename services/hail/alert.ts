import type { Provenance } from './observation.ts';

/** A corner of a warned area, degrees. */
export interface Corner {
  lon: number;
  lat: number;
}

/** A warned area as the publisher draws it: the first ring is the outline, any further ones are holes. Rings are closed. */
export type AlertPolygon = Corner[][];

/**
 * `hail.alert.v1`: one message of the National Weather Service about one event, a warning or a statement, that speaks of hail or may come to.
 * It is a forecast of threat, not an observation: it is never cited and no answer reads it. An event's messages share `alert_key`, the
 * one with the latest `sent_at` counts. Times are epoch milliseconds UTC.
 */
export interface AlertFact {
  /** The event's identity and the message key: see `eventKey` and `statementKey`. */
  alert_key: string;
  /** The four letters of the issuing office: `KTOP`. */
  office: string;
  /** Of the event's VTEC, such as `SV`, `W` and 347; null for statements, which have none. */
  phenomenon: string | null;
  significance: string | null;
  etn: number | null;
  /** The UTC year in which the event began: the offices count their events anew every year. */
  year: number;
  /** The event's name in the publisher's words: `Severe Thunderstorm Warning`. */
  event: string;
  /** What this message makes of the event. An active one ends by its times without another message. */
  state: 'active' | 'cancelled' | 'expired';
  /** `NEW`, `CON`, `CAN` …; null for statements. */
  vtec_action: string | null;
  message_type: 'Alert' | 'Update' | 'Cancel';
  /** The publisher's identifier of the message: `urn:oid:2.49.0.1.840.0…`. */
  message_id: string;
  sent_at: number;
  effective_at: number | null;
  onset_at: number | null;
  /** When the message expires; `ends_at` is the event's end. */
  expires_at: number | null;
  ends_at: number | null;
  /** The size that the hail tag names, inches; null where there is no tag, where it says none (`0.00`) or nothing that can be read. */
  max_hail_in: number | null;
  /** What the tag says before its number, in lower case: `up to`; null for a plain number. */
  hail_qualifier: string | null;
  /** The tag as it was served; a message that cancels has none. */
  hail_tag: string | null;
  /** `RADAR INDICATED` or `OBSERVED`, where the message says. */
  hail_threat: string | null;
  /** `CONSIDERABLE` or `DESTRUCTIVE`, where the message says. */
  damage_threat: string | null;
  /** Names of counties or zones. */
  area_desc: string | null;
  /** The warned area as served, also with a message that cancels; empty where none was. */
  polygons: AlertPolygon[];
  /** The message that took this one's place, where the publisher says so. */
  replaced_by: string | null;
  provenance: Provenance;
}

/** An event's identity as its VTEC states it. */
export interface EventIdentity {
  office: string;
  phenomenon: string;
  significance: string;
  etn: number;
  year: number;
}

/** `KTOP/SV/W/0347/2026`: the same for every message of an event, whatever it does. */
export function eventKey({ office, phenomenon, significance, etn, year }: EventIdentity): string {
  return [office, phenomenon, significance, String(etn).padStart(4, '0'), year].join('/');
}

/**
 * `KLKN/SPS/urn:oid:2.49.0.1.840.0…` for a statement without VTEC: its office, the kind of product and the first message of its chain, which
 * every later one refers to.
 */
export function statementKey(office: string, product: string, first_message_id: string): string {
  return [office, product, first_message_id].join('/');
}
