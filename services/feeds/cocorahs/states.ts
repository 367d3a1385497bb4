import { HailmarkError } from '../../runtime/errors.ts';
import type { Box } from '../../log/facts.ts';

/**
 * West, south, east and north of the states and the District, degrees, rounded outwards to hundredths. The Aleutians beyond the
 * antimeridian and the islands north-west of Kauai are left out: a box cannot hold them.
 */
const bounds = `AL -88.48 30.14 -84.88 35.01|AK -180 51.2 -129.97 71.45|AZ -114.83 31.33 -109.04 37.01|AR -94.62 33 -89.64 36.51
CA -124.49 32.53 -114.13 42.01|CO -109.07 36.99 -102.04 41.01|CT -73.74 40.95 -71.78 42.06|DE -75.79 38.45 -75.04 39.85
DC -77.13 38.79 -76.9 39|FL -87.64 24.39 -79.97 31.01|GA -85.61 30.35 -80.75 35.01|HI -160.56 18.86 -154.75 22.29
ID -117.25 41.98 -111.04 49.01|IL -91.52 36.97 -87.01 42.51|IN -88.1 37.77 -84.78 41.77|IA -96.64 40.37 -90.14 43.51
KS -102.06 36.99 -94.58 40.01|KY -89.58 36.49 -81.96 39.15|LA -94.05 28.92 -88.75 33.02|ME -71.09 42.97 -66.88 47.46
MD -79.49 37.88 -75.04 39.73|MA -73.51 41.18 -69.85 42.89|MI -90.42 41.69 -82.12 48.31|MN -97.24 43.49 -89.48 49.39
MS -91.66 30.13 -88.09 35.01|MO -95.78 35.99 -89.09 40.62|MT -116.06 44.35 -104.03 49.01|NE -104.06 39.99 -95.3 43.01
NV -120.01 35 -114.03 42.01|NH -72.56 42.69 -70.57 45.31|NJ -75.57 38.87 -73.88 41.36|NM -109.06 31.33 -103 37.01
NY -79.77 40.47 -71.77 45.02|NC -84.33 33.75 -75.4 36.6|ND -104.06 45.93 -96.55 49.01|OH -84.83 38.4 -80.51 42.33
OK -103.01 33.61 -94.43 37.01|OR -124.71 41.99 -116.46 46.3|PA -80.53 39.71 -74.68 42.52|RI -71.91 41.09 -71.08 42.02
SC -83.36 32.03 -78.49 35.22|SD -104.07 42.47 -96.43 45.95|TN -90.32 34.98 -81.64 36.69|TX -106.65 25.83 -93.5 36.51
UT -114.06 36.99 -109.04 42.01|VT -73.44 42.72 -71.46 45.02|VA -83.68 36.53 -75.16 39.47|WA -124.85 45.54 -116.91 49.01
WV -82.65 37.2 -77.71 40.64|WI -92.9 42.49 -86.24 47.31|WY -111.06 40.99 -104.05 45.01`;

const boxes: ReadonlyMap<string, Box> = new Map(
  bounds.split(/[|\n]/).map((entry) => {
    const [code = '', west, south, east, north] = entry.split(' ');
    return [code, { west: Number(west), south: Number(south), east: Number(east), north: Number(north) }];
  }),
);

/** Every code that is asked for: a code that is none would be answered with the whole country. */
export const allStates: readonly string[] = [...boxes.keys()].sort();

/** Degrees by which a station may lie outside of its state's box: boxes are rounded, and places are typed by hand. */
const slack_deg = 0.5;

/** The box around a state. Its corners lie in other states, so it claims more than the state. */
export function stateBox(state: string): Box {
  const box = boxes.get(state);
  if (box === undefined) throw new RangeError(`${state} is no state`);
  return box;
}

export function isNearState(state: string, { lat, lon }: { lat: number; lon: number }): boolean {
  const { west, south, east, north } = stateBox(state);
  return (
    lat >= south - slack_deg && lat <= north + slack_deg && lon >= west - slack_deg && lon <= east + slack_deg
  );
}

/** `CO,KS` as codes, ascending, each once; empty is every state. A code that is none ends the start (`HAIL_CONFIG`). */
export function parseStates(text: string): readonly string[] {
  const asked = text.split(',').map((code) => code.trim().toUpperCase());
  const codes = [...new Set(asked.filter((code) => code !== ''))].sort();
  const unknown = codes.filter((code) => !boxes.has(code));
  if (unknown.length === 0) return codes.length === 0 ? allStates : codes;
  throw new HailmarkError(
    'HAIL_CONFIG',
    `COCORAHS_STATES names ${unknown.join(', ')}: it must be postal codes of states or DC, separated by commas, for example CO,KS,NE.`,
  );
}
