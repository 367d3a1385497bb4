import { createHash } from 'node:crypto';
import { no_county } from '../../hail/county.ts';
import { latToMicro, lonToMicro, microToDegrees } from '../../hail/geo/place.ts';
import { setAsideReason, type ObservationFact, type Standing } from '../../hail/observation.ts';
import { observationProblem, standingProblem } from '../../hail/validate-observation.ts';
import { topics } from '../../log/topics.ts';
import type { FactKind } from './kind.ts';

export type Draft = Omit<ObservationFact, 'supersedes'>;

/** Point records: a row stands at a time and a place, in the table of answers (`L`) or set aside (`A`). */
export const points: FactKind<ObservationFact, Draft> = {
  topic: topics.observation,
  prefix: (publisher) => `${publisher}/`,
  said: (fact) => ({
    record_key: fact.record_key,
    record_id: fact.record_id,
    slice: fact.slice,
    hash: contentHash(fact),
    status: fact.status,
    version: fact.provenance.publisher_version,
    // Where nothing can stand nothing has to be taken away, and a fact that names such a place would be no valid one itself.
    own: standingProblem(fact) === null ? points.standings(fact) : [],
    named: fact.supersedes.filter((each) => standingProblem(each) === null).map(placeText),
    // By what it says: the places it supersedes are put together anew whenever a record is published.
    valid: observationProblem({ ...fact, supersedes: [] }, points.messageKey(fact)) === null,
  }),
  contentHash,
  standings: (draft) => {
    const standing = standingOf(draft);
    return standing === null ? [] : [standing];
  },
  weight: ({ size_in }) => size_in ?? 0,
  fact: (draft, superseded) => ({ ...draft, supersedes: superseded.map(parsePlace) }),
  withdrawal: (gone, superseded) => ({
    ...gone,
    ...no_county,
    began_at: null,
    ended_at: null,
    lat: null,
    lon: null,
    size_in: null,
    status: 'withdrawn',
    evidence: {
      sevprob: null,
      prob: null,
      qualifier: null,
      reporter: null,
      station: null,
      cell_id: null,
      time_zone: null,
    },
    supersedes: superseded.map(parsePlace),
  }),
  draft: (fact) => fact,
  messageKey: ({ publisher, record_key }) => `${publisher}/${record_key}`,
  pack: (texts) => JSON.stringify(texts),
  unpack: (packed) => JSON.parse(packed) as string[],
};

/**
 * Where and how a revision stood, as text that compares: `L` in the table of answers or `A` set aside, then the time and the place in whole
 * milliseconds and micro-degrees. A record whose size was unknown and then is known has two standings at one place: the view it leaves is
 * another.
 */
export function standingOf(fact: Draft): string | null {
  if (fact.status === 'withdrawn') return null;
  return `${setAsideReason(fact) === null ? 'L' : 'A'}|${placeText(fact)}`;
}

function placeText({ began_at, lat, lon }: Standing): string {
  const micro = lat === null || lon === null ? '|' : `${latToMicro(lat)}|${lonToMicro(lon)}`;
  return `${began_at ?? ''}|${micro}`;
}

export function parsePlace(text: string): Standing {
  const [began = '', lat = '', lon = ''] = text.split('|');
  const degrees = (micro: string): number | null => (micro === '' ? null : microToDegrees(Number(micro)));
  return { began_at: began === '' ? null : Number(began), lat: degrees(lat), lon: degrees(lon) };
}

/** What a record says, apart from where and when it was read. */
function contentHash(fact: Draft): string {
  const { record_id, began_at, ended_at, lat, lon, size_in, status, evidence, state, county, county_fips } =
    fact;
  const entries: [string, unknown][] = Object.entries(evidence);
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  const said: unknown[] = [record_id, began_at, ended_at, lat, lon, size_in, status, entries];
  // Facts from before there were counties say the same as those without one.
  if (state !== null || county !== null || county_fips !== null) said.push([state, county, county_fips]);
  return createHash('sha256').update(JSON.stringify(said)).digest('base64url').slice(0, 22);
}
