// Answers of the ten questions from the recorded files themselves. Nothing here may import from services/: it is what the views are held against.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { independentTable } from '../../support/independent-csv.ts';
import {
  granuleHail,
  recordedHail,
  recordings,
  utc,
  type OracleRecord,
} from '../../support/oracle/records.ts';

const folder = join(recordings, 'noaa_sed');

/** The newest file of each recorded year. */
const newest = new Map(
  readdirSync(folder)
    .filter((name) => name.includes('_details-'))
    .sort()
    .map((name) => [Number(/_d(\d{4})_/.exec(name)?.[1]), name] as const),
);

/** Every record and cell that the views show, by the brute-force reading. */
const all: OracleRecord[] = [
  ...recordedHail(),
  ...granuleHail('MESH_Max_60min', '2026-06-10T22:00:00Z', 60),
  ...cocorahs(),
];
const ground = (record: OracleRecord): boolean => ['NOAA_SED', 'COCORAHS'].includes(record.publisher);
const storm_events = all.filter(({ publisher }) => publisher === 'NOAA_SED');
const radar = all.filter(({ publisher }) => publisher === 'NEXRAD_SWDI');

/** The answers in the README's order; a cell is compared as text where it is text and as a number where both are numbers. */
export const independentAnswers: readonly (() => (string | number)[][])[] = [
  () => {
    const since = filed().filter(({ year }) => year >= 1988);
    return grouped(since, ({ state, county, year }) => [state, county, year])
      .map(([[state = '', county = '', year = 0], own]) => {
        const size = Math.max(...own.map((each) => each.size));
        return [state, county, Number(year), size, own.length] as const;
      })
      .sort((a, b) => b[3] - a[3] || b[2] - a[2] || text(String(a[0]), String(b[0])) || text(a[1], b[1]))
      .slice(0, 5)
      .map(([state, ...row]) => [postal[state] ?? state, ...row]);
  },
  () =>
    grouped(
      all.filter(({ lat, lon }) => lat > 35.275 && lat < 35.735 && lon > -97.685 && lon < -97.275),
      ({ began }) => [yearOf(began)],
    )
      .map(([[year = 0], own]) => {
        const size = largest(own);
        const ids = own.filter((each) => each.size === size).map(({ id }) => id);
        return [year, size, ids.sort(text).at(-1) ?? '', own.length] as const;
      })
      .sort((a, b) => b[1] - a[1] || a[0] - b[0])
      .slice(0, 5)
      .map((row) => [...row]),
  () =>
    grouped(
      all.filter((record) => record.size >= 1 && miles(record, somerset) <= 10),
      ({ began }) => [yearOf(convectiveDay(began))],
    )
      .map(([[year = 0], own]) => [
        year,
        new Set(own.map(({ began }) => convectiveDay(began))).size,
        largest(own),
      ])
      .sort(byNumber),
  () =>
    grouped(
      all.filter(
        (record) =>
          miles(record, somerset) <= 5 &&
          record.size >= 0.75 &&
          record.began >= Date.parse('2026-08-26') &&
          record.began < Date.parse('2026-08-30'),
      ),
      ({ publisher, id }) => [publisher, id.split('/')[0] ?? ''],
    )
      .map(([[publisher = '', station = ''], own]) => [
        publisher,
        station,
        own.length,
        largest(own),
        instant(Math.min(...own.map(({ began }) => began))),
        Math.round(Math.min(...own.map((record) => miles(record, somerset))) * 100) / 100,
      ])
      .sort((a, b) => text(`${String(a[0])} ${String(a[1])}`, `${String(b[0])} ${String(b[1])}`)),
  () => {
    const since = all.filter(({ began }) => convectiveDay(began) >= Date.UTC(1995, 0, 1));
    const days = grouped(since, ({ lat, lon, began }) => [
      yearOf(convectiveDay(began)),
      geohash(lat, lon, 5),
      convectiveDay(began),
    ]).map(([[year = 0], own]) => ({
      year,
      seen: own.some((record) => ground(record) && record.size >= 1),
      echoed: own.some((record) => !ground(record) && record.size >= 1),
    }));
    return grouped(days, ({ year }) => [year])
      .map(([[year = 0], own]) => [
        year,
        own.filter(({ seen, echoed }) => seen && echoed).length,
        own.filter(({ seen, echoed }) => seen && !echoed).length,
        own.filter(({ seen, echoed }) => !seen && echoed).length,
      ])
      .sort(byNumber);
  },
  () => {
    const evening = radar.filter(({ began }) => convectiveDay(began) === Date.UTC(2026, 7, 27));
    const pairs = evening.flatMap((a) =>
      evening
        .filter(
          (b) =>
            radarOf(a) < radarOf(b) &&
            Math.abs(Math.trunc(a.began / 1000) - Math.trunc(b.began / 1000)) <= 300 &&
            miles(a, b) <= 3,
        )
        .map((b) => ({ a, b })),
    );
    return grouped(pairs, ({ a, b }) => [radarOf(a), radarOf(b)])
      .map(([[one = '', other = ''], own]) => [
        one,
        other,
        own.length,
        mean(own.map(({ a }) => a.size)),
        mean(own.map(({ b }) => b.size)),
        Math.max(...own.map(({ a, b }) => Math.abs(a.size - b.size))),
      ])
      .sort((a, b) => Number(b[2]) - Number(a[2]) || text(String(a.slice(0, 2)), String(b.slice(0, 2))));
  },
  () => {
    const years = [...newest.keys()].sort((a, b) => a - b);
    return years.flatMap((year, at) => {
      const next = years[at + 1];
      return next === undefined || next === year + 1
        ? []
        : [[instant(Date.UTC(year + 1, 0, 1)), instant(Date.UTC(next, 0, 1))]];
    });
  },
  // Stamps 01 to 23 of the day end an hour of the day; the stamp of midnight ends the day's last hour and lies in the next.
  () => [['2026-06-10', 23, 1, all.filter(({ publisher }) => publisher === 'MRMS_MESH').length]],
  () =>
    grouped(setAside(), ({ reason, decade }) => [reason, 'NOAA_SED', decade])
      .map(([key, own]) => [...key, own.length])
      .sort((a, b) => text(String(a[0]), String(b[0])) || Number(a[2]) - Number(b[2])),
  () =>
    storm_events
      .toSorted((a, b) => b.size - a.size || b.began - a.began)
      .slice(0, 3)
      .map(({ id, began, size }) => [
        id,
        instant(began),
        size,
        `https://www.ncei.noaa.gov/access/storm-events-database/event-details/${id}`,
        createHash('sha256')
          .update(bytesOf(yearOf(began)))
          .digest('hex')
          .slice(0, 12),
      ]),
];

const somerset = { lat: 29.2263, lon: -98.6578 };

function bytesOf(year: number): Buffer {
  return readFileSync(join(folder, newest.get(year) ?? ''));
}

/** The states of the answer. */
const postal: Readonly<Record<string, string>> = { KANSAS: 'KS', NEBRASKA: 'NE' };

/** Hail rows of the newest files that have a size and name a county, with a place or without. */
function filed(): { state: string; county: string; year: number; size: number }[] {
  const found: { state: string; county: string; year: number; size: number }[] = [];
  for (const year of newest.keys()) {
    for (const row of independentTable(gunzipSync(bytesOf(year)))) {
      const [size, county] = [Number(row('MAGNITUDE')), row('CZ_NAME')];
      if (row('EVENT_TYPE') !== 'Hail' || !(size > 0) || size === 9.99 || !/^[^0-9]+$/.test(county)) continue;
      const began = utc(row('BEGIN_YEARMONTH'), row('BEGIN_DAY'), row('BEGIN_TIME'), row('CZ_TIMEZONE'));
      found.push({ state: row('STATE'), county, year: yearOf(began), size });
    }
  }
  return found;
}

/** Hail rows of the newest files that lack a place or a size. The recorded rows all have a time zone that is known. */
function setAside(): { reason: string; decade: number }[] {
  const found: { reason: string; decade: number }[] = [];
  for (const year of newest.keys()) {
    for (const row of independentTable(gunzipSync(bytesOf(year)))) {
      if (row('EVENT_TYPE') !== 'Hail') continue;
      const size = Number(row('MAGNITUDE'));
      const placed = row('BEGIN_LAT') !== '' && row('BEGIN_LON') !== '';
      if (placed && size > 0 && size !== 9.99) continue;
      found.push({
        reason: placed ? 'no_size' : 'no_place',
        decade: Math.floor(Number(row('BEGIN_YEARMONTH').slice(0, 4)) / 10) * 10,
      });
    }
  }
  return found;
}

/** The two recorded reports of observers; both stand in mountain daylight time and name a largest size. */
function cocorahs(): OracleRecord[] {
  const lines = readFileSync(join(recordings, 'cocorahs/hail_export_CO_2026-06-01.csv'), 'utf8');
  return lines
    .trim()
    .split(/\r?\n/)
    .slice(1)
    .map((line) => {
      const fields = line.split(',').map((field) => field.trim());
      const [day = '', time = '', , station = '', , lat, lon, , , size] = fields;
      const began = Date.parse(`${day} ${time} GMT-0600`);
      return {
        ...{ publisher: 'COCORAHS' as const, id: `${station}/${day}`, began, ended: began },
        ...{ lat: Number(lat), lon: Number(lon), size: Number(size) },
      };
    });
}

/** Base-32 geohash by halving, the upper half owning its edge. */
function geohash(lat: number, lon: number, letters: number): string {
  const range = { lon: [-180, 180] as [number, number], lat: [-90, 90] as [number, number] };
  let hash = '';
  let bits = 0;
  for (let bit = 0; bit < letters * 5; bit += 1) {
    const [own, value] = bit % 2 === 0 ? [range.lon, lon] : [range.lat, lat];
    const middle = (own[0] + own[1]) / 2;
    const upper = value >= middle;
    own[upper ? 0 : 1] = middle;
    bits = bits * 2 + (upper ? 1 : 0);
    if (bit % 5 === 4) {
      hash += '0123456789bcdefghjkmnpqrstuvwxyz'.charAt(bits);
      bits = 0;
    }
  }
  return hash;
}

/** By the chord between unit vectors, which no line of the service uses. */
function miles(a: { lat: number; lon: number }, b: { lat: number; lon: number }): number {
  const vector = ({ lat, lon }: { lat: number; lon: number }): [number, number, number] => {
    const [north, east] = [(lat * Math.PI) / 180, (lon * Math.PI) / 180];
    return [Math.cos(north) * Math.cos(east), Math.cos(north) * Math.sin(east), Math.sin(north)];
  };
  const [p, q] = [vector(a), vector(b)];
  const chord = Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
  return (2 * 6_371_008.8 * Math.asin(chord / 2)) / 1_609.344;
}

function grouped<T, K extends string | number>(
  items: readonly T[],
  keyOf: (item: T) => K[],
): [key: K[], own: T[]][] {
  const groups = new Map<string, [K[], T[]]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key.join('\n')) ?? [key, []];
    group[1].push(item);
    groups.set(key.join('\n'), group);
  }
  return [...groups.values()];
}

const yearOf = (at: number): number => new Date(at).getUTCFullYear();
const convectiveDay = (at: number): number => Math.floor((at - 43_200_000) / 86_400_000) * 86_400_000;
const instant = (at: number): string => new Date(at).toISOString().replace('T', ' ').replace('Z', '');
const largest = (own: readonly OracleRecord[]): number => Math.max(...own.map(({ size }) => size));
const mean = (own: readonly number[]): number =>
  Math.round((own.reduce((sum, each) => sum + each, 0) / own.length) * 100) / 100;
const radarOf = ({ id }: OracleRecord): string => id.split('/')[0] ?? '';
const text = (a: string | number, b: string | number): number => (a < b ? -1 : a > b ? 1 : 0);
const byNumber = (a: (string | number)[], b: (string | number)[]): number => Number(a[0]) - Number(b[0]);
