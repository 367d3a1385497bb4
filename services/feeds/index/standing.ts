import { createHash } from 'node:crypto';
import { latToMicro, lonToMicro, microToDegrees } from '../../hail/geo/place.ts';
import { setAsideReason, type ObservationFact, type Standing } from '../../hail/observation.ts';

export type Draft = Omit<ObservationFact, 'supersedes'>;

/**
 * Where and how a revision stood, as text that compares: `L` in the table of answers or `A` set aside, then the time and the place in whole
 * milliseconds and micro-degrees. A record whose size was unknown and then is known has two standings at one place: the view it leaves is
 * another.
 */
export function standingOf(fact: Draft): string | null {
  if (fact.status === 'withdrawn') return null;
  return `${setAsideReason(fact) === null ? 'L' : 'A'}|${placeText(fact)}`;
}

export function placeText({ began_at, lat, lon }: Standing): string {
  const micro = lat === null || lon === null ? '|' : `${latToMicro(lat)}|${lonToMicro(lon)}`;
  return `${began_at ?? ''}|${micro}`;
}

/** The place of a standing's text, for `supersedes`. */
export function placeOf(standing: string): string {
  return standing.slice(2);
}

export function parsePlace(text: string): Standing {
  const [began = '', lat = '', lon = ''] = text.split('|');
  const degrees = (micro: string): number | null => (micro === '' ? null : microToDegrees(Number(micro)));
  return { began_at: began === '' ? null : Number(began), lat: degrees(lat), lon: degrees(lon) };
}

/** What a record says, apart from where and when it was read: equal hashes are one revision. */
export function contentHash(fact: Draft): string {
  const { record_id, began_at, ended_at, lat, lon, size_in, status, evidence } = fact;
  const entries: [string, unknown][] = Object.entries(evidence);
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  const said: unknown[] = [record_id, began_at, ended_at, lat, lon, size_in, status, entries];
  return createHash('sha256').update(JSON.stringify(said)).digest('base64url').slice(0, 22);
}
