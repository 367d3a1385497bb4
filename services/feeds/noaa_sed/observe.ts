import { countyOf, type County } from '../../hail/county.ts';
import { isPlace } from '../../hail/geo/place.ts';
import type { ObservationFact, Provenance } from '../../hail/observation.ts';
import { max_size_in, roundToHundredths } from '../../hail/size.ts';
import { isInstant } from '../../hail/validate-observation.ts';
import type { DetailsRow } from './parse.ts';
import { zoneOffset } from './time-zone.ts';

/** The publisher's mark for a size nobody knows, beside 0 and a blank. */
const unknown_size_in = 9.99;

export function isHail(row: DetailsRow): boolean {
  return row.EVENT_TYPE === 'Hail';
}

/** A Storm Event of type Hail as a fact; what it does not say, or says impossibly, is null. */
export function observeDetails(
  row: DetailsRow,
  slice: string,
  provenance: Provenance,
): Omit<ObservationFact, 'supersedes'> {
  const began_at = beginOf(row);
  const ended_at = instant(row.END_YEARMONTH, row.END_DAY, row.END_TIME, row.CZ_TIMEZONE);
  const place = placeOf(row.BEGIN_LAT, row.BEGIN_LON);
  return {
    publisher: 'NOAA_SED',
    record_key: row.EVENT_ID,
    record_id: row.EVENT_ID,
    slice,
    began_at,
    // In some old rows begin and end are swapped; the begin is what the publisher files the event under.
    ended_at:
      began_at !== null && (ended_at === null || ended_at < began_at)
        ? began_at
        : began_at === null
          ? null
          : ended_at,
    lat: place?.lat ?? null,
    lon: place?.lon ?? null,
    size_in: sizeOf(row.MAGNITUDE),
    status: 'final',
    ...filedUnder(row),
    evidence: {
      sevprob: null,
      prob: null,
      qualifier: null,
      reporter: row.SOURCE === '' ? null : row.SOURCE,
      station: null,
      cell_id: null,
      time_zone: row.CZ_TIMEZONE === '' ? null : row.CZ_TIMEZONE,
    },
    provenance,
  };
}

/** When the event began, epoch milliseconds UTC; null where the clock's offset is not known or the parts are no time. */
export function beginOf(row: DetailsRow): number | null {
  return instant(row.BEGIN_YEARMONTH, row.BEGIN_DAY, row.BEGIN_TIME, row.CZ_TIMEZONE);
}

/**
 * From `201703`, `11`, `926` and a label. The times are integers without leading zeros; the text date beside them has a two-digit year and
 * is not read.
 */
function instant(yearmonth: string, day: string, time: string, zone: string): number | null {
  const offset_ms = zoneOffset(zone);
  if (offset_ms === null || !/^\d{6}$/.test(yearmonth) || !/^\d{1,2}$/.test(day) || !/^\d{1,4}$/.test(time))
    return null;
  const [year, month] = [Number(yearmonth.slice(0, 4)), Number(yearmonth.slice(4))];
  const [hour, minute] = [Math.floor(Number(time) / 100), Number(time) % 100];
  const local = new Date(Date.UTC(year, month - 1, Number(day), hour, minute));
  // Also the year: of 0 to 99 the calendar makes 1900 to 1999.
  const is_real =
    local.getUTCFullYear() === year &&
    local.getUTCMonth() === month - 1 &&
    local.getUTCDate() === Number(day) &&
    hour < 24 &&
    minute < 60;
  const at = local.getTime() - offset_ms;
  // A year that no record can have, by a slip of the pen, is no time; published as one it would be no valid fact.
  return is_real && isInstant(at) ? at : null;
}

/** The county that the event is filed under; its number only where the state's is the Census Bureau's, which a territory's is not. */
function filedUnder(row: DetailsRow): County {
  const { state, county } = countyOf({ state: row.STATE, county: row.CZ_TYPE === 'C' ? row.CZ_NAME : '' });
  const [state_fips, own_fips] = [number(row.STATE_FIPS), number(row.CZ_FIPS)];
  const is_known = state !== null && county !== null && state_fips >= 1 && state_fips <= 56;
  const county_fips =
    is_known && own_fips >= 1
      ? String(state_fips).padStart(2, '0') + String(own_fips).padStart(3, '0')
      : null;
  return { state, county, county_fips };
}

/** A whole number of at most three digits; 0 for anything else. */
function number(text: string): number {
  return /^\d{1,3}$/.test(text) ? Number(text) : 0;
}

function sizeOf(magnitude: string): number | null {
  const size_in = decimal(magnitude);
  return size_in === null ||
    roundToHundredths(size_in) <= 0 ||
    size_in === unknown_size_in ||
    size_in > max_size_in
    ? null
    : size_in;
}

function placeOf(lat_text: string, lon_text: string): { lat: number; lon: number } | null {
  const [lat, lon] = [decimal(lat_text), decimal(lon_text)];
  // 0,0 lies in the Gulf of Guinea: a filler, not a place of US hail.
  if (lat === null || lon === null || !isPlace(lat, lon) || (lat === 0 && lon === 0)) return null;
  return { lat, lon };
}

/** A plain decimal number such as `1.75`, `.75` or `-103.48`; null for anything else. */
function decimal(text: string): number | null {
  return /^[-+]?(\d+\.?\d*|\.\d+)$/.test(text) ? Number(text) : null;
}
