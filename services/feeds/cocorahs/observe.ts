import { no_county } from '../../hail/county.ts';
import { isPlace } from '../../hail/geo/place.ts';
import type { Provenance } from '../../hail/observation.ts';
import { max_size_in } from '../../hail/size.ts';
import { isInstant } from '../../hail/validate-observation.ts';
import { formatDay, formatSecond, hour_ms, minute_ms } from '../../hail/time.ts';
import type { Draft } from '../kinds/points.ts';
import type { Days } from '../days.ts';
import { PollFailed } from '../poll-failure.ts';
import { readDate, readDateTime, readTime } from './clock.ts';
import { parseExport, type HailRow } from './parse.ts';
import { isNearState } from './states.ts';
import { instantOfClock, offsetAt, zonesAt } from './time-zone.ts';

/** EntryDateTime and DateTimeStamp are written to the minute, each rounded in its own way. */
const rounding_ms = minute_ms;
/** Observers round the hour at which hail fell; later than this past its entry it is a slip between AM and PM. */
const ahead_ms = hour_ms;

/** No station's number and no time is as long; a text that is comes of a broken answer, and would become a record's key. */
const most_characters = 40;

interface Place {
  lat: number;
  lon: number;
}

/**
 * One volunteer's report as a fact: an instant at the station. Size is LargestSize alone; smallest and average are other quantities. The
 * version is the row's DateTimeStamp. `sliceOf` gets the midnight that names the observer's own calendar day.
 */
export function observeReport(
  row: HailRow,
  state: string,
  sliceOf: (day: number) => string,
  provenance: Provenance,
): Draft {
  const day = dayOf(row);
  const written = placeOf(row);
  // A station of the state that lies far outside of it lies somewhere else: nobody knows where.
  const place = written !== null && isNearState(state, written) ? written : null;
  const clock = clockOf(row, state, place);
  const since_midnight = readTime(row.observation_time);
  const began_at =
    since_midnight === null ? null : beganAt(day + since_midnight, row, clock, provenance.retrieved_at);
  const changed_at = readDateTime(row.date_time_stamp);
  const time =
    since_midnight === null ? row.observation_time : formatSecond(day + since_midnight).slice(11, 16);
  return {
    publisher: 'COCORAHS',
    record_key: `${row.station_number}/${formatDay(day)}/${time}`,
    record_id: `${row.station_number}/${formatDay(day)}`,
    slice: sliceOf(day),
    began_at,
    ended_at: began_at,
    lat: place?.lat ?? null,
    lon: place?.lon ?? null,
    size_in: isShifted(row) ? null : sizeOf(row.largest_size),
    status: 'final',
    // The station's number has letters for its county, of the network's own.
    ...no_county,
    state,
    evidence: {
      sevprob: null,
      prob: null,
      qualifier: null,
      reporter: null,
      station: null,
      cell_id: null,
      time_zone: clock.join('|'),
    },
    provenance: {
      ...provenance,
      publisher_version: changed_at === null ? null : formatSecond(changed_at),
    },
  };
}

/**
 * The facts of an export that was asked for by state and days of observation. A row of another day or state means that another question was
 * answered, which is `not-the-format` as a whole; an unknown state, for one, is answered with the whole country.
 */
export function observeExport(
  bytes: Buffer,
  { state, days }: { state: string; days: Days },
  sliceOf: (day: number) => string,
  provenance: Provenance,
): Draft[] {
  return parseExport(bytes).map((row) => {
    const day = dayOf(row);
    if (day >= days.from && day < days.until && !isForeign(row, state)) {
      return observeReport(row, state, sliceOf, provenance);
    }
    throw new PollFailed('not-the-format', 'The answer has rows of other days or another state.');
  });
}

/** Midnight of the observer's calendar day, as if it were UTC. A row without day or station cannot be told from others. */
function dayOf({ observation_date, observation_time, station_number }: HailRow): number {
  const day = readDate(observation_date);
  const is_key = station_number !== '' && station_number.length <= most_characters;
  if (day !== null && is_key && observation_time.length <= most_characters) return day;
  throw new PollFailed('not-the-format', 'A row has no station or no date.');
}

/**
 * True for a report that must be of another state than the one asked for: its station lies elsewhere, and does not carry the state's letters
 * either. A code that the publisher does not know is answered with the whole country, and such an answer is no state's.
 */
export function isForeign(row: HailRow, state: string): boolean {
  const place = placeOf(row);
  return place !== null && !isNearState(state, place) && !row.station_number.startsWith(`${state}-`);
}

/**
 * The zones that the observer's clock may show: those of the place, and of these, where there are two, the one that the row itself tells.
 * The publisher stamps a row in UTC in the minute of its entry, which stands beside it in local time; a row that was changed later tells
 * nothing, and its stamp must not be taken for a clock's.
 */
function clockOf(row: HailRow, state: string, place: Place | null): readonly string[] {
  const zones = zonesAt(state, place);
  const [entered, stamped] = [readDateTime(row.entry_date_time), readDateTime(row.date_time_stamp)];
  if (zones.length < 2 || entered === null || stamped === null) return zones;
  const told = zones.filter((zone) => Math.abs(entered - offsetAt(zone, stamped) - stamped) <= rounding_ms);
  return told.length === 0 ? zones : told;
}

/**
 * When the hail fell, from the observer's clock; null where it could be either of two instants (between two zones, or in the hour that clocks
 * show twice), never was, or lies after the report about it.
 */
function beganAt(
  shown_ms: number,
  row: HailRow,
  zones: readonly string[],
  retrieved_at: number,
): number | null {
  const entered = readDateTime(row.entry_date_time);
  if (entered !== null && shown_ms > entered + ahead_ms) return null;
  const instants = new Set(zones.map((zone) => instantOfClock(zone, shown_ms)));
  const [began_at = null] = instants;
  const is_possible = isInstant(began_at) && (began_at ?? 0) <= retrieved_at + ahead_ms;
  return instants.size === 1 && is_possible ? began_at : null;
}

/** A comma in a station's name would shift all that follows, and another column would be read as the size. */
function isShifted({ latitude, longitude }: HailRow): boolean {
  return [latitude, longitude].some((text) => text !== '' && decimal(text) === null);
}

function sizeOf(text: string): number | null {
  const size_in = decimal(text);
  return size_in === null || size_in <= 0 || size_in > max_size_in ? null : size_in;
}

function placeOf({ latitude, longitude }: HailRow): Place | null {
  const [lat, lon] = [decimal(latitude), decimal(longitude)];
  // 0,0 is a filler, not a place of US hail.
  if (lat === null || lon === null || !isPlace(lat, lon) || (lat === 0 && lon === 0)) return null;
  return { lat, lon };
}

function decimal(text: string): number | null {
  return /^[-+]?(\d+\.?\d*|\.\d+)$/.test(text) ? Number(text) : null;
}
