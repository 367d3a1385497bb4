import { setAsideReason, type ObservationFact, type Standing } from '../../../services/hail/observation.ts';
import type { StoredFact } from './bench.ts';

/** What views would show: citable rows by key and place, and records that are set aside. Both as sorted text. */
export interface Views {
  live: string[];
  set_aside: string[];
}

/**
 * The projector's rule in a few lines of its own: a fact's row stands at its place, a deletion at each superseded place that is not its own,
 * the highest offset of a place counts; what supersedes anything also says whether the record is set aside.
 */
export function foldFacts(facts: readonly StoredFact[]): Views {
  const rows = new Map<string, { offset: number; text: string | null }>();
  const aside = new Map<string, { offset: number; text: string | null }>();
  const put = (table: typeof rows, key: string, offset: number, text: string | null): void => {
    if ((table.get(key)?.offset ?? -1) <= offset) table.set(key, { offset, text });
  };
  for (const { fact, offset } of facts) {
    const own = isCitable(fact) ? placeOf(fact, fact) : null;
    if (own !== null) put(rows, own, offset, rowText(fact));
    for (const standing of fact.supersedes) {
      const place = placeOf(fact, standing);
      if (place !== null && place !== own) put(rows, place, offset, null);
    }
    if (isSetAside(fact)) put(aside, fact.record_key, offset, fact.record_key);
    else if (fact.supersedes.length > 0) put(aside, fact.record_key, offset, null);
  }
  return { live: texts(rows), set_aside: texts(aside) };
}

/** What the views ought to show of records as the publisher has them. */
export function truthOf(records: readonly Omit<ObservationFact, 'supersedes'>[]): Views {
  return {
    live: records.filter(isCitable).map(rowText).sort(),
    set_aside: records
      .filter(isSetAside)
      .map(({ record_key }) => record_key)
      .sort(),
  };
}

type Draft = Omit<ObservationFact, 'supersedes'>;

function isCitable(fact: Draft): boolean {
  return fact.status !== 'withdrawn' && setAsideReason(fact) === null;
}

function isSetAside(fact: Draft): boolean {
  return fact.status !== 'withdrawn' && setAsideReason(fact) !== null;
}

function placeOf({ record_key }: Draft, { began_at, lat, lon }: Standing): string | null {
  return began_at === null || lat === null || lon === null
    ? null
    : [record_key, began_at, Math.round(lat * 1e6), Math.round(lon * 1e6)].join(' ');
}

function rowText(fact: Draft): string {
  const { began_at, ended_at, size_in } = fact;
  return [placeOf(fact, fact), began_at, ended_at, size_in].join(' ');
}

function texts(table: Map<string, { text: string | null }>): string[] {
  return [...table.values()].flatMap(({ text }) => text ?? []).sort();
}
