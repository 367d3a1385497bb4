// What the contract's JSON must hold, by brute force; see records.ts. Nothing here may import from services/.
import { eventsOf, shown } from './answers.ts';
import type { OracleRecord } from './records.ts';

export interface VerifyQuestion {
  lat: number;
  lon: number;
  /** `YYYY-MM-DD`. */
  date_of_loss: string;
  window_days: number;
  radius_mi: number;
  min_size_in: number;
}

export interface HistoryQuestion {
  lat: number;
  lon: number;
  /** `YYYY-MM-DD`, both inclusive. */
  since: string;
  until: string;
  radius_mi: number;
  min_size_in: number;
  limit: number;
}

const day_ms = 86_400_000;

/** `data` of a verify answer, without `property`, whose texts are the geocoder's. */
export function verifyAnswer(
  records: readonly OracleRecord[],
  { date_of_loss, window_days, ...place }: VerifyQuestion,
): Record<string, unknown> {
  const loss = Date.parse(`${date_of_loss}T00:00:00.000Z`);
  const question = { ...place, from: loss - window_days * day_ms, until: loss + window_days * day_ms };
  const events = eventsOf(records, question);
  return {
    date_of_loss,
    verification: {
      window_days,
      window_start: new Date(question.from).toISOString(),
      window_end: new Date(question.until).toISOString(),
      radius_mi: place.radius_mi,
      min_size_in: place.min_size_in,
      verdict: events.length > 0 ? 'hail_confirmed' : 'no_hail_in_window',
      event_count: events.length,
      max_hail_size_in: Math.max(0, ...events.map(({ lead }) => lead.size)),
    },
    events: events.map((event) => shown(event, question, true)),
  };
}

/** `data` of a history answer, without `property`. */
export function historyAnswer(
  records: readonly OracleRecord[],
  { since, until, limit, ...place }: HistoryQuestion,
): Record<string, unknown> {
  const from = Date.parse(`${since}T00:00:00.000Z`);
  const end = Date.parse(`${until}T00:00:00.000Z`) + day_ms;
  const question = { ...place, from, until: end };
  const events = eventsOf(records, question);
  const returned = events.slice(0, limit);
  return {
    window: { since, until, radius_mi: place.radius_mi, min_size_in: place.min_size_in },
    events: {
      total: events.length,
      returned: returned.length,
      truncated: returned.length < events.length,
      items: returned.map((event) => shown(event, question, false)),
    },
  };
}
