// Observations made up for tests. NOT REAL.
import type { Observation } from '../../../../services/hail/observation.ts';
import type { Filters } from '../../../../services/hail/event/event.ts';

export const minute = 60_000;
export const hour = 60 * minute;
/** The start of a convective day. */
export const noon = Date.parse('2026-08-28T12:00:00Z');

export const everywhere: Filters = {
  lat: 29.5,
  lon: -98.5,
  radius_mi: 25,
  from_ms: 0,
  until_ms: Date.parse('2100-01-01T00:00:00Z'),
  min_size_in: 0.75,
};

let serial = 0;

/** A point record with an id of its own, an instant where no end is given. */
export function hail(parts: Partial<Observation> = {}): Observation {
  const began_ms = parts.began_ms ?? noon;
  serial += 1;
  return {
    publisher: 'NOAA_SED',
    record_key: String(serial),
    record_id: String(serial),
    began_ms,
    ended_ms: began_ms,
    lat: 29.5,
    lon: -98.5,
    size_in: 1,
    size_tenths_mm: null,
    ...parts,
  };
}

/** The cells of the hourly granule that ends `hours` after noon: places in degrees, sizes in tenths of a millimetre. */
export function granule(
  hours: number,
  cells: readonly [lat: number, lon: number, size_tenths_mm: number][],
): Observation[] {
  const ended_ms = noon + hours * hour;
  const record_key = `MESH_Max_60min/${new Date(ended_ms).toISOString().slice(0, 19)}Z`;
  return cells.map(([lat, lon, size_tenths_mm]) => ({
    publisher: 'MRMS_MESH',
    record_key,
    record_id: record_key,
    began_ms: ended_ms - hour,
    ended_ms,
    lat,
    lon,
    // Hundredths of an inch, half up: a tenth of a millimetre is 10/25.4 of one.
    size_in: Math.floor((size_tenths_mm * 10) / 25.4 + 0.5) / 100,
    size_tenths_mm,
  }));
}
