import assert from 'node:assert/strict';
import { gunzipSync } from 'node:zlib';
import { isHail, observeDetails } from '../../services/feeds/noaa_sed/observe.ts';
import { parseDetails } from '../../services/feeds/noaa_sed/parse.ts';
import { independentTable, type IndependentRow } from './independent-csv.ts';
import { recordedYear } from './recorded.ts';

/** What a hail row says, for comparison. */
export interface Said {
  id: string;
  began_at: number | null;
  ended_at: number | null;
  place: string | null;
  size_in: number | null;
  /** As `48389 REEVES`; null for a list of forecast zones, and for none. */
  county: string | null;
}

/** Labels that recorded hail rows have, as hours east of UTC: written down from the rule, not from the code. */
const hours_east: Record<string, number> = {
  ...{ CST: -6, CSt: -6, EST: -5, MST: -7, PST: -8, AST: -4, CDT: -5, EDT: -4, MDT: -6, PDT: -7 },
  ...{ 'CST-6': -6, 'MST-7': -7, 'PST-8': -8 },
};

/** A recorded year's bytes, inflated. */
export const plain = (year: number, stamp: string): Buffer => gunzipSync(recordedYear(year, stamp).bytes);

/** Several tests count in one file; each is read once in each way. */
function once<T>(read: (year: number, stamp: string) => T): (year: number, stamp: string) => T {
  const known = new Map<string, T>();
  return (year, stamp) => {
    const name = `${year} ${stamp}`;
    const found = known.get(name) ?? read(year, stamp);
    known.set(name, found);
    return found;
  };
}

/** All rows counted, and the hail rows, by the independent reading of a recorded year. */
export const recorded = once((year, stamp) => rowsOf(plain(year, stamp)));
/** What the feed's own parser and observer make of a recorded year. */
export const fed = once((year, stamp) => saidByTheFeed(recordedYear(year, stamp).bytes, String(year)));

export function rowsOf(bytes: Buffer): { all: number; hail: IndependentRow[] } {
  const hail: IndependentRow[] = [];
  let all = 0;
  for (const row of independentTable(bytes)) {
    all += 1;
    if (row('EVENT_TYPE') === 'Hail') hail.push(row);
  }
  return { all, hail };
}

/** Local parts as one number, in the order of time: for comparing a begin with its end, whatever the zone. */
export const localMoment = (row: IndependentRow, side: 'BEGIN' | 'END'): number =>
  Number(row(`${side}_YEARMONTH`)) * 1e6 + Number(row(`${side}_DAY`)) * 1e4 + Number(row(`${side}_TIME`));

/** When a row begins or ends, epoch milliseconds UTC. */
export function instantOf(row: IndependentRow, side: 'BEGIN' | 'END'): number {
  const month = row(`${side}_YEARMONTH`);
  const clock = row(`${side}_TIME`).padStart(4, '0');
  const text = `${month.slice(0, 4)}-${month.slice(4)}-${row(`${side}_DAY`).padStart(2, '0')}T${clock.slice(0, 2)}:${clock.slice(2)}Z`;
  const hours = hours_east[row('CZ_TIMEZONE')];
  assert.ok(hours !== undefined, row('CZ_TIMEZONE'));
  return Date.parse(text) - hours * 3_600_000;
}

/** What the bytes of a hail row say. */
export function readingOf(row: IndependentRow): Said {
  const [began_at, ended_at] = [instantOf(row, 'BEGIN'), instantOf(row, 'END')];
  const size_in = Number(row('MAGNITUDE'));
  return {
    id: row('EVENT_ID'),
    began_at,
    ended_at: Math.max(began_at, ended_at),
    place: row('BEGIN_LAT') === '' ? null : `${Number(row('BEGIN_LAT'))} ${Number(row('BEGIN_LON'))}`,
    size_in: size_in === 0 || size_in === 9.99 ? null : size_in,
    county: countyOf(row),
  };
}

/** Puerto Rico is 99 in Storm Events and 72 at the Census Bureau: its counties have no number here. */
function countyOf(row: IndependentRow): string | null {
  const name = row('CZ_NAME').trim().replaceAll(/ +/g, ' ').toUpperCase();
  if (!/^[^0-9]+$/.test(name)) return null;
  const [state, own] = [Number(row('STATE_FIPS')), Number(row('CZ_FIPS'))];
  return state > 56 || own === 0 ? name : `${String(state * 1_000 + own).padStart(5, '0')} ${name}`;
}

export async function saidByTheFeed(
  bytes: Buffer,
  slice: string,
): Promise<{ rows: number; hail: Said[]; cp1252_bytes: number }> {
  const provenance = { document_url: '', retrieved_at: 0, document_sha256: '', publisher_version: null };
  const counts = { rows: 0, cp1252_bytes: 0 };
  const hail: Said[] = [];
  for await (const row of parseDetails(bytes, counts)) {
    if (!isHail(row)) continue;
    const fact = observeDetails(row, slice, provenance);
    const { record_key, began_at, ended_at, lat, lon, size_in } = fact;
    const place = lat === null || lon === null ? null : `${lat} ${lon}`;
    const county = fact.county === null ? null : `${fact.county_fips ?? ''} ${fact.county}`.trim();
    hail.push({ id: record_key, began_at, ended_at, place, size_in, county });
  }
  return { rows: counts.rows, hail, cp1252_bytes: counts.cp1252_bytes };
}
