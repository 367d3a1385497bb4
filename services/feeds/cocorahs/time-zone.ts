import { day_ms, hour_ms, minute_ms } from '../../hail/time.ts';

/** The zone that all of a state keeps, by its name in the tz database. */
const single: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({
    'America/New_York': 'CT DE DC GA ME MD MA NH NJ NY NC OH PA RI SC VT VA WV',
    'America/Chicago': 'AL AR IL IA LA MN MS MO OK WI',
    'America/Denver': 'CO MT NM UT WY',
    'America/Los_Angeles': 'CA WA',
    'Pacific/Honolulu': 'HI',
  }).flatMap(([zone, states]) => states.split(' ').map((state) => [state, zone])),
);

/** Where in a divided state a zone is kept for certain; an edge that is left out is the state's own. */
interface Certain {
  zone: string;
  west?: number;
  south?: number;
  east?: number;
  north?: number;
}

const [eastern, central, mountain, pacific] = [
  'America/New_York',
  'America/Chicago',
  'America/Denver',
  'America/Los_Angeles',
];
const [anchorage, adak, phoenix, boise] = [
  'America/Anchorage',
  'America/Adak',
  'America/Phoenix',
  'America/Boise',
];
const [indiana, detroit, menominee] = [
  'America/Indiana/Indianapolis',
  'America/Detroit',
  'America/Menominee',
];

/**
 * States with two zones, and where in them one is certain. The line follows counties and rivers; the edges here keep clear of it on
 * both sides, and between them either zone is possible and nothing is guessed.
 */
const divided: Readonly<Record<string, { zones: readonly string[]; certain: readonly Certain[] }>> = {
  AK: { zones: [anchorage, adak], certain: [{ zone: anchorage, west: -169 }] },
  // The Navajo Nation, in the north-east, keeps daylight saving time.
  AZ: {
    zones: [phoenix, mountain],
    certain: [
      { zone: phoenix, north: 34.9 },
      { zone: phoenix, east: -112 },
      { zone: phoenix, north: 35.35, east: -111.3 },
    ],
  },
  FL: {
    zones: [eastern, central],
    certain: [
      { zone: eastern, west: -84.8 },
      { zone: central, east: -85.5 },
    ],
  },
  ID: {
    zones: [pacific, boise],
    certain: [
      { zone: pacific, south: 46.1 },
      { zone: boise, north: 45.1 },
    ],
  },
  IN: {
    zones: [indiana, central],
    certain: [
      { zone: indiana, west: -86.2 },
      { zone: indiana, south: 39, north: 40.6 },
      { zone: central, south: 41.2, east: -87.1 },
    ],
  },
  KS: {
    zones: [central, mountain],
    certain: [
      { zone: central, west: -101.3 },
      { zone: mountain, east: -101.6, south: 37.8, north: 39.5 },
    ],
  },
  KY: {
    zones: [eastern, central],
    certain: [
      { zone: eastern, west: -84.5 },
      { zone: eastern, west: -84.85, south: 37.2 },
      { zone: eastern, south: 38.1 },
      { zone: central, east: -86.7 },
      { zone: central, east: -85.7, north: 37.35 },
    ],
  },
  MI: {
    zones: [detroit, menominee],
    certain: [
      { zone: detroit, west: -87 },
      { zone: detroit, south: 46.8 },
      { zone: menominee, east: -90, north: 46.7 },
    ],
  },
  NE: {
    zones: [central, mountain],
    certain: [
      { zone: central, west: -100.6 },
      { zone: mountain, east: -102.2 },
    ],
  },
  // West Wendover and Jackpot, on the border, keep their neighbours' time.
  NV: {
    zones: [pacific, mountain],
    certain: [
      { zone: pacific, east: -114.9 },
      { zone: pacific, north: 40.4 },
    ],
  },
  ND: {
    zones: [central, mountain],
    certain: [
      { zone: central, west: -100 },
      { zone: central, south: 48.2 },
      { zone: mountain, east: -103, north: 47.2 },
    ],
  },
  // Most of Malheur County keeps mountain time.
  OR: {
    zones: [pacific, boise],
    certain: [
      { zone: pacific, east: -118.4 },
      { zone: pacific, south: 44.6 },
      { zone: boise, west: -117.1, south: 43.5, north: 44.2 },
    ],
  },
  SD: {
    zones: [central, mountain],
    certain: [
      { zone: central, west: -99.7 },
      { zone: mountain, east: -101.7 },
    ],
  },
  TN: {
    zones: [eastern, central],
    certain: [
      { zone: eastern, west: -84.5 },
      { zone: eastern, west: -85.3, north: 35.2 },
      { zone: central, east: -85.7 },
    ],
  },
  TX: {
    zones: [central, mountain],
    certain: [
      { zone: central, west: -104.7 },
      { zone: mountain, east: -105.2 },
    ],
  },
};

/**
 * The zones that an observer's clock can show, by the state that was asked for and the station's place: one nearly always, two where
 * the place lies near the line that divides a state, or is not known.
 */
export function zonesAt(state: string, place: { lat: number; lon: number } | null): readonly string[] {
  const only = single[state];
  if (only !== undefined) return [only];
  const { zones, certain } = divided[state] ?? { zones: [], certain: [] };
  const area = place === null ? undefined : certain.find((each) => holds(each, place));
  return area === undefined ? zones : [area.zone];
}

/**
 * The instant at which a zone's clocks showed a time, which is given as if it were UTC; null where they showed it twice or never, in the
 * nights when they are set. Epoch milliseconds.
 */
export function instantOfClock(zone: string, shown_ms: number): number | null {
  const offsets = new Set([offsetAt(zone, shown_ms - day_ms), offsetAt(zone, shown_ms + day_ms)]);
  const instants = [...offsets]
    .map((offset_ms) => shown_ms - offset_ms)
    .filter((at) => at + offsetAt(zone, at) === shown_ms);
  return instants.length === 1 ? (instants[0] ?? null) : null;
}

/** Milliseconds that a zone's clocks are ahead of UTC at an instant; negative everywhere in the United States. */
export function offsetAt(zone: string, at_ms: number): number {
  const name = formatOf(zone)
    .formatToParts(at_ms)
    .find(({ type }) => type === 'timeZoneName')?.value;
  const [, sign, hours, minutes] = /^GMT(?:([+-])(\d{2}):(\d{2}))?/.exec(name ?? '') ?? [];
  if (sign === undefined) return 0;
  return (sign === '-' ? -1 : 1) * (Number(hours) * hour_ms + Number(minutes) * minute_ms);
}

/** Making a format takes far longer than using it. */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  formats.set(zone, format);
  return format;
}

function holds(
  { west = -180, south = -90, east = 180, north = 90 }: Certain,
  { lat, lon }: { lat: number; lon: number },
): boolean {
  return lon >= west && lon <= east && lat >= south && lat <= north;
}
