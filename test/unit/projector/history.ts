import { placeOf } from '../../../services/feeds/kinds/kind.ts';
import { parsePlace, standingOf, type Draft } from '../../../services/feeds/kinds/points.ts';
import { isHail, observeDetails } from '../../../services/feeds/noaa_sed/observe.ts';
import { parseDetails } from '../../../services/feeds/noaa_sed/parse.ts';
import { observeSignature } from '../../../services/feeds/swdi/observe.ts';
import { parseSignatures } from '../../../services/feeds/swdi/parse.ts';
import { latToMicro, lonToMicro } from '../../../services/hail/geo/place.ts';
import { setAsideReason, type ObservationFact, type Provenance } from '../../../services/hail/observation.ts';
import { roundToHundredths } from '../../../services/hail/size.ts';
import { inventoryAnswer } from '../../support/publisher-stub.ts';
import { recordedYear, sanAntonioRows } from '../../support/recorded.ts';

const provenance: Provenance = {
  document_url: 'https://www.ncei.noaa.gov/pub/data/swdi/stormevents/csvfiles/',
  retrieved_at: Date.parse('2026-11-20T09:17:00Z'),
  document_sha256: '5e'.repeat(32),
  publisher_version: null,
};

/** The recorded radar rows near San Antonio as the feed reads them. */
export function radarDrafts(): Draft[] {
  // The recording was put together from rows, so it has no trailer of its own.
  const answer = inventoryAnswer(sanAntonioRows(), '20260827', '20260830');
  const drafts: Draft[] = [];
  for (const row of parseSignatures(Buffer.from(answer)))
    drafts.push(observeSignature(row, () => 'days', provenance));
  return drafts;
}

/** The recorded hail of the year 2017 as the feed reads it. */
export async function stormDrafts(): Promise<Draft[]> {
  const drafts: Draft[] = [];
  const { bytes } = recordedYear(2017, '20170616');
  for await (const row of parseDetails(bytes, { rows: 0, cp1252_bytes: 0 })) {
    if (isHail(row))
      drafts.push(observeDetails(row, '2017', { ...provenance, publisher_version: '20170616' }));
  }
  return drafts;
}

/** Turns drafts into facts as a feed does: each names every standing that the record had and this revision has not. */
export function createRevisions(): (draft: Draft) => ObservationFact {
  const stood = new Map<string, Set<string>>();
  return (draft) => {
    const key = keyOf(draft);
    const standings = stood.get(key) ?? new Set<string>();
    const own = standingOf(draft);
    const places = new Set([...standings].filter((standing) => standing !== own).map(placeOf));
    if (own !== null) standings.add(own);
    stood.set(key, standings);
    return { ...draft, supersedes: [...places].sort().map(parsePlace) };
  };
}

/**
 * NOT REAL beyond its first sentence: the recorded rows, then made-up corrections of some of them, because no recorded publisher shows
 * every kind. Of every seven records one moves, one changes its size, one loses its size, one its place, one is withdrawn and comes back
 * elsewhere, one goes to and fro, one is left alone.
 */
export function correctedHistory(drafts: readonly Draft[]): ObservationFact[] {
  const revise = createRevisions();
  const moved = (draft: Draft, by = 0.25): Draft => ({ ...draft, lat: (draft.lat ?? 30) + by });
  const withdrawn = (draft: Draft): Draft => ({
    ...draft,
    ...{ began_at: null, ended_at: null, lat: null, lon: null, size_in: null, status: 'withdrawn' },
  });
  const later: ((draft: Draft) => Draft[])[] = [
    (draft) => [moved(draft)],
    (draft) => [{ ...draft, size_in: (draft.size_in ?? 1) + 0.125 }],
    (draft) => [{ ...draft, size_in: null }],
    (draft) => [{ ...draft, lat: null, lon: null }],
    (draft) => [withdrawn(draft), moved(draft, -0.25)],
    (draft) => [moved(draft), draft, { ...draft, size_in: null }, draft],
    () => [],
  ];
  const facts = drafts.map(revise);
  for (const [index, draft] of drafts.entries()) facts.push(...(later[index % 7]?.(draft) ?? []).map(revise));
  return facts;
}

export interface StoredFact {
  fact: ObservationFact;
  partition: number;
  offset: number;
}

/** What the views must show of a log's facts: what the newest message of each record says, and nothing of what it said before. */
export function truthOf(facts: readonly StoredFact[]): { live: string[]; set_aside: string[] } {
  const newest = new Map<string, StoredFact>();
  for (const stored of facts) {
    const before = newest.get(keyOf(stored.fact));
    if (before === undefined || before.offset < stored.offset) newest.set(keyOf(stored.fact), stored);
  }
  const truth: { live: string[]; set_aside: string[] } = { live: [], set_aside: [] };
  for (const { fact, offset } of newest.values()) {
    if (fact.status === 'withdrawn') continue;
    const reason = setAsideReason(fact);
    if (reason === null) truth.live.push(liveText({ ...fact, ...placedOf(fact) }, offset));
    else truth.set_aside.push([keyOf(fact), reason, offset].join(' '));
  }
  truth.live.sort();
  truth.set_aside.sort();
  return truth;
}

/** One live row as text, its place in micro-degrees and its size rounded. */
export function liveText(
  row: { publisher: string; record_key: string; began_at: number; lat: number; lon: number; size_in: number },
  revision: number,
): string {
  const { publisher, record_key, began_at, lat, lon, size_in } = row;
  return [`${publisher}/${record_key}`, began_at, lat, lon, size_in, revision].join(' ');
}

function placedOf({ began_at, lat, lon, size_in }: ObservationFact): {
  began_at: number;
  lat: number;
  lon: number;
  size_in: number;
} {
  return {
    began_at: began_at ?? NaN,
    lat: latToMicro(lat ?? NaN),
    lon: lonToMicro(lon ?? NaN),
    size_in: roundToHundredths(size_in ?? NaN),
  };
}

export function keyOf({ publisher, record_key }: Pick<Draft, 'publisher' | 'record_key'>): string {
  return `${publisher}/${record_key}`;
}
