/**
 * A place is degrees at the borders and whole micro-degrees inside (about 0.1 m): integers compare, sort and key exactly, which a sort
 * key and a cell border need. Longitude lies in [-180, 180): 180 E is 180 W, or one place would have two keys.
 */

/** True for finite degrees that lie on the globe. */
export function isPlace(lat: number, lon: number): boolean {
  return Number.isFinite(lat) && Number.isFinite(lon) && Math.abs(lat) <= 90 && Math.abs(lon) <= 180;
}

/** Whole micro-degrees of a latitude or longitude in degrees; longitude 180 folds to -180. Input must satisfy `isPlace`. */
export function latToMicro(lat: number): number {
  return Math.round(lat * 1e6) + 0;
}

export function lonToMicro(lon: number): number {
  const micro = Math.round(lon * 1e6) + 0;
  return micro === 180_000_000 ? -180_000_000 : micro;
}

export function microToDegrees(micro: number): number {
  return micro / 1e6;
}
