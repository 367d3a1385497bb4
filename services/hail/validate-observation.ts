import { countyProblem } from './county.ts';
import { isPlace } from './geo/place.ts';
import type { ObservationFact, Standing } from './observation.ts';
import { isPublisher } from './publisher.ts';
import { max_size_in } from './size.ts';

/** What the store's times can hold. A value past it would fail every insert of its batch, for ever. */
const earliest_ms = Date.parse('1900-01-01T00:00:00Z');
const latest_ms = Date.parse('2299-12-31T00:00:00Z');

/** What makes a decoded observation no valid fact, in a few words without its values; null where nothing does. */
export function observationProblem(fact: ObservationFact, key: string): string | null {
  if (!isPublisher(fact.publisher)) return 'the publisher is none of the six';
  // Its granules are facts of their own: as points they would stand beside the cells of the same hail.
  if (fact.publisher === 'MRMS_MESH') return 'grids are no observations of a point';
  if (fact.record_key === '' || fact.record_id === '') return 'the record has no key or no id';
  if (!isKeyOf(key, fact)) return 'the message key is not publisher/record_key';
  if (!['preliminary', 'final', 'withdrawn'].includes(fact.status)) return 'the status is unknown';
  if (fact.size_in !== null && !(fact.size_in > 0 && fact.size_in <= max_size_in))
    return 'the size is no size of hail';
  if (!isInstant(fact.began_at) || !isInstant(fact.ended_at)) return 'a time lies outside 1900 to 2299';
  if (fact.began_at !== null && fact.ended_at !== null && fact.ended_at < fact.began_at)
    return 'the span ends before it begins';
  const own_problem = standingProblem(fact);
  if (own_problem !== null) return own_problem;
  for (const standing of fact.supersedes) {
    const problem = standingProblem(standing);
    if (problem !== null) return problem;
  }
  if (!isPercent(fact.evidence.sevprob) || !isPercent(fact.evidence.prob))
    return 'a probability lies outside 0 to 100';
  const county_problem = countyProblem(fact);
  if (county_problem !== null) return county_problem;
  if (!isInstant(fact.provenance.retrieved_at)) return 'the time of reading lies outside 1900 to 2299';
  if (!isSha256(fact.provenance.document_sha256)) return 'the document hash is no SHA-256';
  return null;
}

/** The hash that was judged last and is one: neighbours are mostly of one document, and the expression is a third of all checks (measured). */
let known_sha256 = '';

function isSha256(text: string): boolean {
  if (text === known_sha256) return text !== '';
  if (!/^[0-9a-f]{64}$/.test(text)) return false;
  known_sha256 = text;
  return true;
}

/** As comparing with `publisher/record_key`, without making that text: this is asked of every fact that is projected. */
function isKeyOf(key: string, { publisher, record_key }: ObservationFact): boolean {
  return (
    key.length === publisher.length + 1 + record_key.length &&
    key.startsWith(publisher) &&
    key[publisher.length] === '/' &&
    key.endsWith(record_key)
  );
}

/** What keeps anything from standing there; no view can hold such a row, and a fact that names it is no valid one. */
export function standingProblem({ began_at, lat, lon }: Standing): string | null {
  if ((lat === null) !== (lon === null)) return 'a place has one coordinate only';
  if (lat !== null && lon !== null && !isPlace(lat, lon)) return 'a place is off the globe';
  return isInstant(began_at) ? null : 'a superseded time lies outside 1900 to 2299';
}

export function isInstant(at: number | null): boolean {
  return at === null || (Number.isInteger(at) && at >= earliest_ms && at < latest_ms);
}

function isPercent(value: number | null): boolean {
  return value === null || (value >= 0 && value <= 100);
}
