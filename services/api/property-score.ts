import { byOccurrence, type Filters, type HailEvent } from '../hail/event/event.ts';
import { currentScoreModel } from '../hail/methodology/methodology.ts';
import type { RoofType } from '../hail/roof/roof-type.ts';
import { recordsOfEvents } from '../hail/score/records-of-events.ts';
import { scoreRoof } from '../hail/score/score.ts';
import type { Tier } from '../hail/score/tier.ts';
import { convectiveDay, yearsBefore } from '../hail/time.ts';

export interface Roof {
  roof_age: number;
  roof_type: RoofType;
}

/** The contract's defaults (4.2), which lookup uses. */
export const default_roof: Roof = { roof_age: 10, roof_type: 'asphalt_shingle' };
export const default_radius_mi = 5;

/** Hail of this size and more counts in score and lookup, whatever the methodology's own threshold. */
const counted_from_in = 0.75;

/** A roof of age 0 may be up to twelve months old, so it looks back one year. */
export function lookbackStart(now_ms: number, roof_age: number): number {
  return yearsBefore(now_ms, Math.max(1, roof_age));
}

/** What scores are made of: the window up to now, inclusive. */
export function scoreFilters(
  place: { lat: number; lon: number },
  question: { now_ms: number; roof_age: number; radius_mi: number },
): Filters {
  return {
    lat: place.lat,
    lon: place.lon,
    radius_mi: question.radius_mi,
    from_ms: lookbackStart(question.now_ms, question.roof_age),
    until_ms: question.now_ms + 1,
    min_size_in: counted_from_in,
  };
}

/** The contract's `score` (2.6) of the events within a radius. */
export function scoreOf(
  events: readonly HailEvent[],
  { roof_age, roof_type }: Roof,
  now_ms: number,
): { value: number; tier: Tier; max_hail_size_in: number; storm_count: number } {
  const { value, tier } = scoreRoof(currentScoreModel, {
    records: recordsOfEvents(events),
    roof_type,
    roof_age_years: roof_age,
    now_ms,
  });
  return {
    value,
    tier,
    max_hail_size_in: events.reduce((most, { lead }) => Math.max(most, lead.size_in), 0),
    storm_count: new Set(events.map(({ lead }) => convectiveDay(lead.began_ms))).size,
  };
}

/** Newest first; ties in the order that they have everywhere. */
export function newestFirst(events: readonly HailEvent[]): HailEvent[] {
  return events.toSorted((a, b) => b.lead.began_ms - a.lead.began_ms || byOccurrence(a, b));
}
