import { createHash } from 'node:crypto';
import { madeUpFacts } from '../../../scripts/bench/facts.ts';
import { no_county } from '../../../services/hail/county.ts';
import type { Draft } from '../../../services/feeds/kinds/points.ts';
import { deltaCoded, type GridFact } from '../../../services/hail/grid.ts';
import type { ObservationFact, Provenance } from '../../../services/hail/observation.ts';
import { createRevisions } from '../../unit/projector/history.ts';
import { dayAfter, hail_days, type Place } from './places.ts';

const provenance: Provenance = {
  document_url: 'https://example.org/not-real',
  retrieved_at: Date.parse('2026-11-20T09:17:00Z'),
  document_sha256: createHash('sha256').update('NOT REAL').digest('hex'),
  publisher_version: null,
};
/** None of a feed's own: no feed reads such a slice, so none withdraws what it holds. */
const slice = 'not-real-traffic';
const no_evidence = {
  ...{ sevprob: null, prob: null, qualifier: null, reporter: null },
  ...{ station: null, cell_id: null, time_zone: null },
};
const nothing = { began_at: null, ended_at: null, lat: null, lon: null, size_in: null };
const records_of_a_place = 30;
/** A record stands at few places in turn, so that what a revision supersedes stays short; then it goes and another comes. */
const standings_of_a_record = 4;
const revisions_of_a_record = 24;

type Kind = Pick<Draft, 'publisher' | 'record_key' | 'record_id' | 'evidence'>;

/**
 * NOT REAL: records of three publishers near a place, corrected for ever as their feeds would publish it: moved in place and time and out of
 * reach, of another size, without a size, withdrawn, back again, and at last gone for good.
 */
export function* correctionsNear(
  place: Place,
  number: number,
  random: () => number,
): Generator<ObservationFact, void> {
  const between = (low: number, high: number): number => low + (high - low) * random();
  const born = (serial: number): (() => ObservationFact | null) => {
    const revise = createRevisions();
    const began_day = Date.parse(dayAfter(hail_days.first, Math.floor(between(0, 121))));
    const standings = Array.from({ length: standings_of_a_record }, (_, at) => ({
      began_at: began_day + 1_000 * Math.floor(between(0, 86_399)),
      // The last lies beyond all that is asked for.
      lat: thousandths(place.lat + (at === standings_of_a_record - 1 ? 2 : between(-0.25, 0.25))),
      lon: thousandths(place.lon + between(-0.3, 0.3)),
    }));
    const first = standings[0]?.began_at ?? began_day;
    const kind = kindOf(number, serial, first);
    let revision = 0;
    return () => {
      revision += 1;
      if (revision > revisions_of_a_record) return null;
      const turn = random();
      const gone = revision === revisions_of_a_record || (revision > 1 && turn < 0.12);
      const stand = standings[Math.floor(random() * standings.length)];
      const size_in = turn < 0.22 && revision > 1 ? null : 0.5 + Math.floor(between(0, 16)) / 8;
      const common = { ...kind, ...no_county, slice, provenance };
      if (gone || stand === undefined) return revise({ ...common, ...nothing, status: 'withdrawn' });
      const ended_at = stand.began_at + (kind.publisher === 'NOAA_SED' ? 300_000 : 0);
      return revise({ ...common, ...stand, ended_at, size_in, status: 'final' });
    };
  };
  let serial = 0;
  const living = Array.from({ length: records_of_a_place }, () => born((serial += 1)));
  for (;;) {
    const at = Math.floor(random() * living.length);
    const fact = living[at]?.() ?? null;
    if (fact === null) living[at] = born((serial += 1));
    else yield fact;
  }
}

function kindOf(place: number, serial: number, began_at: number): Kind {
  const day = new Date(began_at).toISOString().slice(0, 10);
  if (serial % 3 === 0) {
    const id = String(900_000_000 + place * 1_000_000 + serial);
    return { publisher: 'NOAA_SED', record_key: id, record_id: id, evidence: no_evidence };
  }
  if (serial % 3 === 1) {
    const id = `ZZ-${place}-${serial}/${day}`;
    return { publisher: 'COCORAHS', record_key: `${id}/12:00`, record_id: id, evidence: no_evidence };
  }
  const id = `ZZ${place}${place}/${new Date(began_at).toISOString().slice(0, 19)}Z/N${serial}`;
  const evidence = { ...no_evidence, sevprob: 40, prob: 90, station: `ZZ${place}${place}` };
  return { publisher: 'NEXRAD_SWDI', record_key: id, record_id: id, evidence };
}

/** NOT REAL: radar records all over the country; of every four one moves an earlier one, and of every forty one takes one back. */
export function* countrywide(random: () => number): Generator<ObservationFact, void> {
  const revise = createRevisions();
  const recent: Draft[] = [];
  for (const fact of madeUpFacts(Number.MAX_SAFE_INTEGER)) {
    recent.push(fact);
    if (recent.length > 2_000) recent.splice(0, 1_000);
    yield revise(fact);
    const turn = random();
    const at = Math.floor(random() * recent.length);
    const earlier = recent[at];
    if (turn >= 0.35 || earlier === undefined) continue;
    // Out of the list: it is corrected once.
    recent.splice(at, 1);
    if (turn < 0.03) yield revise({ ...earlier, ...nothing, status: 'withdrawn' });
    else yield revise({ ...earlier, lat: thousandths((earlier.lat ?? 40) + 0.05) });
  }
}

const grid_side = 60;
const hour_ms = 3_600_000;
const living_granules = 3;

/**
 * NOT REAL: granules of a small grid around a place, issued again and again: each issue has other cells and names those that it dropped.
 * Every fifth is of the product that no answer is made of.
 */
export function* granulesNear(place: Place, number: number, random: () => number): Generator<GridFact, void> {
  const geometry = {
    ...{ rows: grid_side, columns: grid_side, step_deg: 0.01 },
    first_lat: thousandths(Math.round(place.lat * 100) / 100 + 0.295),
    first_lon: thousandths(Math.round(place.lon * 100) / 100 - 0.295),
  };
  const first_stamp = Date.parse(`${hail_days.first}T20:00:00Z`) + number * 60_000;
  const living: { stamp: number; product: string; cells: Set<number>; issues: number }[] = [];
  for (let serial = 0; ;) {
    const at = Math.floor(random() * living_granules);
    let granule = living[at];
    if (granule === undefined || granule.issues > 12) {
      serial += 1;
      // Twenty days apart and an hour later each time: of some hundred granules no two are of one hour.
      const stamp = first_stamp + ((serial * 20) % 121) * 24 * hour_ms + Math.floor(serial / 121) * hour_ms;
      granule = { stamp, product: serial % 5 === 0 ? 'MESH' : 'MESH_Max_60min', cells: new Set(), issues: 0 };
      living[at] = granule;
    }
    granule.issues += 1;
    const cells = new Set(
      Array.from({ length: Math.floor(random() * 9) }, () => Math.floor(random() * grid_side * grid_side)),
    );
    // Part of the cells stay from issue to issue.
    for (const cell of granule.cells) if (random() < 0.1) cells.add(cell);
    const sorted = [...cells].sort((a, b) => a - b);
    const dropped = [...granule.cells].filter((cell) => !cells.has(cell)).sort((a, b) => a - b);
    for (const cell of cells) granule.cells.add(cell);
    yield {
      ...{ product: granule.product, stamp: granule.stamp, geometry, provenance },
      ...{ began_at: granule.stamp - hour_ms, ended_at: granule.stamp },
      ...{ cells: deltaCoded(sorted), sizes: sorted.map(() => 127 + Math.floor(random() * 400)) },
      ...{ dropped: deltaCoded(dropped), covered: grid_side * grid_side, uncovered: 0 },
    };
  }
}

function thousandths(degrees: number): number {
  return Math.round(degrees * 1_000) / 1_000;
}
