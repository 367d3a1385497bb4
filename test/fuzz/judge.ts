import type { ObservationFact } from '../../services/hail/observation.ts';
import { observationProblem } from '../../services/hail/validate-observation.ts';
import type { Reading } from './target.ts';

type Draft = Omit<ObservationFact, 'supersedes'>;

/** Longest text of any field: far more than a publisher writes, far less than a message may hold. */
const most_characters = 1_000;

/**
 * What is impossible about facts, by the check that every projector makes and by another that shares nothing with it: a fault in the one
 * would otherwise hide the same fault in the parser.
 */
export function judged(drafts: readonly Draft[]): Reading {
  const problems = drafts.flatMap((draft) => {
    const fact: ObservationFact = { ...draft, supersedes: [] };
    const found =
      observationProblem(fact, `${fact.publisher}/${fact.record_key}`) ?? independentProblem(fact);
    return found === null ? [] : [`${found}: ${JSON.stringify(draft).slice(0, 500)}`];
  });
  return { records: drafts.length, problems };
}

function independentProblem(fact: ObservationFact): string | null {
  const { began_at, ended_at, lat, lon, size_in, evidence } = fact;
  const within = (value: number | null, least: number, most: number): boolean =>
    value === null || (typeof value === 'number' && value >= least && value <= most);
  if (!within(lat, -90, 90) || !within(lon, -180, 180)) return 'no place on the globe';
  if (typeof lat !== typeof lon) return 'half a place';
  if (!within(size_in, 0.005, 12)) return 'no size of hail';
  const [first, last] = [Date.parse('1900-01-01T00:00:00Z'), Date.parse('2299-12-31T23:59:59Z')];
  if (!within(began_at, first, last) || !within(ended_at, first, last)) return 'no time of any record';
  if ((began_at === null) !== (ended_at === null)) return 'half a span';
  if (began_at !== null && ended_at !== null && ended_at < began_at)
    return 'a span that ends before it begins';
  if (!within(evidence.sevprob, 0, 100) || !within(evidence.prob, 0, 100)) return 'no probability';
  const { qualifier, reporter, station, cell_id, time_zone } = evidence;
  const told = [qualifier, reporter, station, cell_id, time_zone].filter((text) => text !== null);
  const texts = [fact.record_key, fact.record_id, fact.slice, ...told];
  for (const text of texts) {
    if (text.length === 0 || text.length > most_characters) return 'a text that no publisher writes';
    if (!text.isWellFormed()) return 'a text that is no text';
  }
  // eslint-disable-next-line no-control-regex -- control characters are what is looked for
  return /[\u0000-\u001f]/.test(fact.record_key + fact.record_id) ? 'a control character in a key' : null;
}

export const provenance = {
  document_url: 'http://publisher/document',
  retrieved_at: Date.parse('2026-11-01T00:00:00Z'),
  document_sha256: '0'.repeat(64),
  publisher_version: null,
};
