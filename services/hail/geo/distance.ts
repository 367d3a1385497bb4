/** Mean Earth radius (IUGG), metres: the sphere on which every distance of an answer is measured. */
export const earth_radius_m = 6_371_008.8;

/** The international mile. */
export const metres_per_mile = 1_609.344;

const radians = Math.PI / 180;

/**
 * Great-circle distance in metres between two places in degrees, by the haversine formula (R. W. Sinnott, Sky and Telescope 68, 1984),
 * which stays exact for the short distances that hail is about.
 */
export function distanceMetres(lat_a: number, lon_a: number, lat_b: number, lon_b: number): number {
  const half_lat = Math.sin(((lat_b - lat_a) * radians) / 2);
  const half_lon = Math.sin(((lon_b - lon_a) * radians) / 2);
  const chord =
    half_lat * half_lat + Math.cos(lat_a * radians) * Math.cos(lat_b * radians) * half_lon * half_lon;
  return 2 * earth_radius_m * Math.asin(Math.min(1, Math.sqrt(chord)));
}

export function distanceMiles(lat_a: number, lon_a: number, lat_b: number, lon_b: number): number {
  return distanceMetres(lat_a, lon_a, lat_b, lon_b) / metres_per_mile;
}
