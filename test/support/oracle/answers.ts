// The contract's answers by brute force over the recorded files; see records.ts. Nothing here may import from services/.
import type { OracleRecord } from './records.ts';

export interface Question {
  lat: number;
  lon: number;
  radius_mi: number;
  min_size_in: number;
  /** Milliseconds, end exclusive. */
  from: number;
  until: number;
}

interface Seen extends OracleRecord {
  miles: number;
}

export interface OracleEvent {
  lead: Seen;
  members: Seen[];
}

const points = [
  'N',
  'NNE',
  'NE',
  'ENE',
  'E',
  'ESE',
  'SE',
  'SSE',
  'S',
  'SSW',
  'SW',
  'WSW',
  'W',
  'WNW',
  'NW',
  'NNW',
];

const speaks_first = ['NOAA_SED', 'COCORAHS', 'MRMS_MESH', 'NEXRAD_SWDI'];

/** All pairs are compared, and groups are merged until none can be: first the cells of each granule to areas, then all that stands. */
export function eventsOf(records: readonly OracleRecord[], question: Question): OracleEvent[] {
  const seen = records
    .filter(
      ({ began, size }) => began >= question.from && began < question.until && size >= question.min_size_in,
    )
    .map((record): Seen => ({ ...record, miles: miles(question.lat, question.lon, record.lat, record.lon) }))
    .filter((record) => record.miles <= question.radius_mi);
  const cells = seen.filter(({ tenths }) => tenths !== undefined);
  const areas = [...new Set(cells.map(({ id }) => id))].flatMap((id) => {
    const granule = cells.filter((cell) => cell.id === id);
    return merged(granule, (a, b) => miles(a.lat, a.lon, b.lat, b.lon) <= 5).map((area) => {
      const [largest] = area.sort(cellFirst);
      if (largest === undefined) throw new Error('an area without cells');
      return largest;
    });
  });
  const reports = seen.filter((record) => record.tenths === undefined && !isOutdone(record, seen));
  return merged([...reports, ...areas], together)
    .map((group) => {
      const members = group.filter((one) => !isOutdoneArea(one, group)).sort(leadFirst);
      const [lead] = members;
      if (lead === undefined) throw new Error('a group without members');
      return { lead, members };
    })
    .sort((a, b) => a.lead.began - b.lead.began || byText(a.lead.id, b.lead.id) || cellFirst(a.lead, b.lead));
}

function merged(all: readonly Seen[], belong: (a: Seen, b: Seen) => boolean): Seen[][] {
  const group = all.map((_, index) => index);
  for (let changed = true; changed;) {
    changed = false;
    for (let a = 0; a < all.length; a += 1) {
      for (let b = 0; b < all.length; b += 1) {
        const [one, other] = [all[a], all[b]];
        const [of_one = 0, of_other = 0] = [group[a], group[b]];
        if (one === undefined || other === undefined || of_one <= of_other || !belong(one, other)) continue;
        group[a] = of_other;
        changed = true;
      }
    }
  }
  return [...new Set(group)].map((each) => all.filter((_, index) => group[index] === each));
}

/** Another report of the observer's day is larger, or as large and earlier. */
function isOutdone(record: Seen, seen: readonly Seen[]): boolean {
  return (
    record.publisher === 'COCORAHS' &&
    seen.some(
      ({ publisher, id, size, began }) =>
        publisher === 'COCORAHS' &&
        id === record.id &&
        (size > record.size || (size === record.size && began < record.began)),
    )
  );
}

/** The group holds a larger area of the same granule. */
function isOutdoneArea(area: Seen, group: readonly Seen[]): boolean {
  return (
    area.tenths !== undefined &&
    group.some((one) => one.tenths !== undefined && one.id === area.id && cellFirst(one, area) < 0)
  );
}

function together(a: Seen, b: Seen): boolean {
  const padded = 600_000;
  const overlap = a.began - padded <= b.ended + padded && b.began - padded <= a.ended + padded;
  const day = (at: number): string => new Date(at - 43_200_000).toISOString().slice(0, 10);
  return overlap && day(a.began) === day(b.began) && miles(a.lat, a.lon, b.lat, b.lon) <= 5;
}

function leadFirst(a: Seen, b: Seen): number {
  if (a.size !== b.size) return b.size - a.size;
  if (a.miles !== b.miles) return a.miles - b.miles;
  if (a.publisher !== b.publisher)
    return speaks_first.indexOf(a.publisher) - speaks_first.indexOf(b.publisher);
  if (a.began !== b.began) return a.began - b.began;
  return byText(a.id, b.id);
}

/** Of one granule: by the tenths of a millimetre, then the nearer, the more northern, the more western. */
function cellFirst(a: Seen, b: Seen): number {
  if (a.tenths !== b.tenths) return (b.tenths ?? 0) - (a.tenths ?? 0);
  if (a.miles !== b.miles) return a.miles - b.miles;
  return a.lat !== b.lat ? b.lat - a.lat : a.lon - b.lon;
}

function byText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

export function miles(lat_a: number, lon_a: number, lat_b: number, lon_b: number): number {
  const r = Math.PI / 180;
  const h =
    Math.sin(((lat_b - lat_a) * r) / 2) ** 2 +
    Math.cos(lat_a * r) * Math.cos(lat_b * r) * Math.sin(((lon_b - lon_a) * r) / 2) ** 2;
  return (2 * 6371008.8 * Math.asin(Math.sqrt(h))) / 1609.344;
}

export function compass(lat_a: number, lon_a: number, lat_b: number, lon_b: number): string {
  if (lat_a === lat_b && lon_a === lon_b) return 'N';
  const r = Math.PI / 180;
  const y = Math.sin((lon_b - lon_a) * r) * Math.cos(lat_b * r);
  const x =
    Math.cos(lat_a * r) * Math.sin(lat_b * r) -
    Math.sin(lat_a * r) * Math.cos(lat_b * r) * Math.cos((lon_b - lon_a) * r);
  const azimuth = (Math.atan2(y, x) / r + 360) % 360;
  return points[Math.floor((azimuth + 11.25) / 22.5) % 16] ?? '';
}

/** An event as the contract shows it, bearing on verify alone. */
export function shown(
  { lead, members }: OracleEvent,
  question: Question,
  with_bearing: boolean,
): Record<string, unknown> {
  return {
    occurred_at: new Date(lead.began).toISOString(),
    size_in: lead.size,
    distance_mi: Math.floor(lead.miles * 100 + 0.5) / 100,
    ...(with_bearing ? { bearing: compass(question.lat, question.lon, lead.lat, lead.lon) } : {}),
    sources: members.map(source),
  };
}

function source(record: Seen): Record<string, unknown> {
  const { publisher, id } = record;
  if (publisher === 'NOAA_SED') {
    return {
      publisher,
      record_id: id,
      url: `https://www.ncei.noaa.gov/access/storm-events-database/event-details/${id}`,
    };
  }
  if (publisher === 'COCORAHS') {
    const [station, date] = id.split('/');
    return { publisher, record_id: id, detail: { station, date } };
  }
  if (publisher === 'MRMS_MESH') {
    const [product = '', timestamp = ''] = id.split('/');
    const [day = '', time = ''] = timestamp.slice(0, 19).replace(/[-:]/g, '').split('T');
    return {
      publisher,
      record_id: id,
      url: `https://noaa-mrms-pds.s3.amazonaws.com/CONUS/${product}_00.50/${day}/MRMS_${product}_00.50_${day}-${time}.grib2.gz`,
      detail: { product, timestamp },
    };
  }
  const [station, timestamp, cell_id] = id.split('/');
  const minute = (at: number): string => new Date(at).toISOString().replace(/[-:T]/g, '').slice(0, 12);
  const box = [record.lon - 0.01, record.lat - 0.01, record.lon + 0.01, record.lat + 0.01].map((side) =>
    side.toFixed(3),
  );
  return {
    publisher,
    record_id: id,
    url: `https://www.ncei.noaa.gov/swdiws/csv/nx3hail/${minute(record.began)}:${minute(record.began + 60_000)}?bbox=${box.join(',')}`,
    detail: { station, timestamp, ...(cell_id === undefined ? {} : { cell_id }) },
  };
}
