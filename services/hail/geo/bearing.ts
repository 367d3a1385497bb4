/** The 16-point compass rose, clockwise from north. */
export const rose = [
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
] as const;

export type Bearing = (typeof rose)[number];

const radians = Math.PI / 180;

/** Initial great-circle azimuth from the first place to the second, degrees clockwise from north in [0, 360). */
export function azimuth(lat_from: number, lon_from: number, lat_to: number, lon_to: number): number {
  const turn = (lon_to - lon_from) * radians;
  const from = lat_from * radians;
  const to = lat_to * radians;
  const east = Math.sin(turn) * Math.cos(to);
  const north = Math.cos(from) * Math.sin(to) - Math.sin(from) * Math.cos(to) * Math.cos(turn);
  const degrees = Math.atan2(east, north) / radians;
  return degrees < 0 ? degrees + 360 : degrees;
}

/** The compass direction in which the second place lies from the first; `N` where they are one place. */
export function bearing(lat_from: number, lon_from: number, lat_to: number, lon_to: number): Bearing {
  if (lat_from === lat_to && lon_from === lon_to) return 'N';
  const sector = Math.floor((azimuth(lat_from, lon_from, lat_to, lon_to) + 11.25) / 22.5) % 16;
  return rose[sector] ?? 'N';
}
