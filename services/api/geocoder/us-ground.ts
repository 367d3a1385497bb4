import { isPlace } from '../../hail/geo/place.ts';

/** Boxes that hold the ground of the United States: south, north, west, east in degrees. */
const boxes = [
  [24, 49.6, -125, -66.5],
  [51, 71.6, -180, -129.5],
  [51, 55, 172, 180],
  [18.5, 28.7, -178.5, -154.5],
  [17.5, 18.7, -68.1, -64.4],
  [13, 20.7, 144.4, 146.3],
  [-14.7, -10.9, -171.3, -168],
] as const;

/** False off the globe and far from every state and territory, which is also where swapped coordinates fall. */
export function isInUnitedStates(lat: number, lon: number): boolean {
  return (
    isPlace(lat, lon) &&
    boxes.some(([south, north, west, east]) => lat >= south && lat <= north && lon >= west && lon <= east)
  );
}
