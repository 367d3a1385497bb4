// The brute-force reading of the recorded files. Nothing here may import from services/: it is what the service is held against.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';

export interface OracleRecord {
  publisher: 'NOAA_SED' | 'NEXRAD_SWDI' | 'MRMS_MESH' | 'COCORAHS';
  id: string;
  began: number;
  ended: number;
  lat: number;
  lon: number;
  size: number;
  /** Of a grid's cell alone: its size in tenths of a millimetre. */
  tenths?: number;
}

export const recordings = join(import.meta.dirname, '../../../infra/sandbox/recordings');

const named_zones: Record<string, number> = {
  EST: -5,
  CST: -6,
  MST: -7,
  PST: -8,
  AST: -4,
  ADT: -3,
  AKDT: -8,
  HST: -10,
  AKST: -9,
  SST: -11,
  EDT: -4,
  CDT: -5,
  MDT: -6,
  PDT: -7,
};

/** Every hail record of the newest file of each year and of the radar recordings that has a place, a time and a size. */
export function recordedHail(options: { years?: readonly number[]; folder?: string } = {}): OracleRecord[] {
  return [...stormEvents(options.folder ?? join(recordings, 'noaa_sed'), options.years), ...radar()];
}

function stormEvents(folder: string, years: readonly number[] | undefined): OracleRecord[] {
  const newest = new Map<string, string>();
  for (const file of readdirSync(folder)
    .filter((name) => name.includes('_details-'))
    .sort()) {
    newest.set(/_d(\d{4})_/.exec(file)?.[1] ?? '', file);
  }
  const records: OracleRecord[] = [];
  for (const [year, file] of newest) {
    if (years !== undefined && !years.includes(Number(year))) continue;
    records.push(...stormEventsOf(gunzipSync(readFileSync(join(folder, file))).toString('latin1')));
  }
  return records;
}

/** Storm Events rows of one details file's text (latin-1, since ids and numbers are ASCII). */
export function stormEventsOf(csv: string): OracleRecord[] {
  const records: OracleRecord[] = [];
  for (const row of parse<Record<string, string>>(csv, { columns: true })) {
    const read = (name: string): string => row[name] ?? '';
    if (read('EVENT_TYPE') !== 'Hail') continue;
    const size = Number.parseFloat(read('MAGNITUDE'));
    const began = utc(read('BEGIN_YEARMONTH'), read('BEGIN_DAY'), read('BEGIN_TIME'), read('CZ_TIMEZONE'));
    const end = utc(read('END_YEARMONTH'), read('END_DAY'), read('END_TIME'), read('CZ_TIMEZONE'));
    if (
      !(size > 0) ||
      size === 9.99 ||
      read('BEGIN_LAT') === '' ||
      read('BEGIN_LON') === '' ||
      Number.isNaN(began)
    )
      continue;
    records.push({
      publisher: 'NOAA_SED',
      id: read('EVENT_ID'),
      began,
      ended: end >= began ? end : began,
      lat: Number(read('BEGIN_LAT')),
      lon: Number(read('BEGIN_LON')),
      size: hundredths(read('MAGNITUDE')),
    });
  }
  return records;
}

export function utc(yearmonth: string, day: string, time: string, zone: string): number {
  const hours = /^[A-Za-z]+(-?\d+)$/.exec(zone)?.[1] ?? named_zones[zone.toUpperCase()];
  const digits = time.padStart(4, '0');
  const text = `${yearmonth.slice(0, 4)}-${yearmonth.slice(4)}-${day.padStart(2, '0')}T${digits.slice(0, 2)}:${digits.slice(2)}:00Z`;
  return Date.parse(text) - Number(hours ?? NaN) * 3_600_000;
}

function radar(): OracleRecord[] {
  const folder = join(recordings, 'swdi');
  return readdirSync(folder)
    .filter((file) => file.endsWith('.csv'))
    .flatMap((file) => readFileSync(join(folder, file), 'utf8').split(/\r?\n/))
    .filter((line) => /^\d{4}-\d\d-\d\dT/.test(line))
    .map((line) => {
      const [time = '', station = '', cell = '', , , size = '', lat, lon] = line.split(',');
      const began = Date.parse(time);
      return {
        publisher: 'NEXRAD_SWDI' as const,
        id: cell === '' ? `${station}/${time}` : `${station}/${time}/${cell}`,
        began,
        ended: began,
        lat: Number(lat),
        lon: Number(lon),
        size: hundredths(size),
      };
    })
    .filter(({ size }) => size > 0);
}

/**
 * The cells of the recorded granule of 2026-06-10T21:30:40Z from half an inch up, as those of a granule of this product and stamp
 * (`2026-06-10T22:00:00Z`): NOT REAL where that is not its own. Not among `recordedHail`.
 */
export function granuleHail(product: string, stamp: string, span_minutes: number): OracleRecord[] {
  const file = join(recordings, 'mrms', 'DERIVED_MESH_20260610-213040_cells-from-12.7mm.json');
  const { cells } = JSON.parse(readFileSync(file, 'utf8')) as { cells: [number, number][] };
  const ended = Date.parse(stamp);
  return cells.map(([index, tenths]) => ({
    publisher: 'MRMS_MESH' as const,
    id: `${product}/${stamp}`,
    began: ended - span_minutes * 60_000,
    ended,
    // 7,000 columns; the first centre is 54.995 N, 129.995 W, the step a hundredth of a degree.
    lat: Number((54.995 - Math.floor(index / 7_000) / 100).toFixed(3)),
    lon: Number(((index % 7_000) / 100 - 129.995).toFixed(3)),
    // A hundredth of an inch is 2.54 tenths of a millimetre.
    size: Math.floor((tenths * 100) / 254 + 0.5) / 100,
    tenths,
  }));
}

/** Half up on the decimal text itself. */
export function hundredths(text: string): number {
  const [whole = '0', decimals = ''] = text.trim().split('.');
  const padded = `${decimals}000`;
  const cents = Number(whole === '' ? '0' : whole) * 100 + Number(padded.slice(0, 2));
  return (cents + (Number(padded[2]) >= 5 ? 1 : 0)) / 100;
}
