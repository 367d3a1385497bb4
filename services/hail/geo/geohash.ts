import { isPlace, latToMicro, lonToMicro } from './place.ts';
import { earth_radius_m, distanceMetres } from './distance.ts';

/**
 * The one authority for geohash cells, for rows that are written and for queries that look for them. Libraries disagree on which cell
 * owns a border, and hail reports are rounded to tenths of a degree, so borders do occur: here a cell owns its western and southern edge,
 * decided on integers. A cell is geohash-5: 13 bits of longitude and 12 of latitude, interleaved with longitude first (Morton order, as
 * in the base-32 text), in one 25-bit number; 0.0439 degrees square, about 4.9 km at the equator.
 */
export const cell_lon_bits = 13;
export const cell_lat_bits = 12;
const lon_cells = 2 ** cell_lon_bits;
const lat_cells = 2 ** cell_lat_bits;
const alphabet = '0123456789bcdefghjkmnpqrstuvwxyz';

function lonIndex(lon_micro: number): number {
  return Math.floor(((lon_micro + 180_000_000) * lon_cells) / 360_000_000);
}

function latIndex(lat_micro: number): number {
  return Math.min(lat_cells - 1, Math.floor(((lat_micro + 90_000_000) * lat_cells) / 180_000_000));
}

function interleave(lon_index: number, lat_index: number): number {
  let cell = 0;
  for (let bit = 0; bit < cell_lon_bits; bit += 1) {
    cell |= ((lon_index >>> bit) & 1) << (2 * bit);
    cell |= ((lat_index >>> bit) & 1) << (2 * bit + 1);
  }
  return cell;
}

/** The cell that owns a place given in micro-degrees (see `place.ts`). */
export function cellOfMicro(lat_micro: number, lon_micro: number): number {
  return interleave(lonIndex(lon_micro), latIndex(lat_micro));
}

/** The cell that owns a place in degrees. Throws RangeError off the globe: NaN would otherwise encode to a cell that looks right. */
export function cellOf(lat: number, lon: number): number {
  if (!isPlace(lat, lon))
    throw new RangeError('a cell needs a latitude in [-90, 90] and a longitude in [-180, 180]');
  return cellOfMicro(latToMicro(lat), lonToMicro(lon));
}

/** The base-32 geohash text of a cell, five letters. */
export function cellText(cell: number): string {
  let text = '';
  for (let shift = 20; shift >= 0; shift -= 5) text += alphabet.charAt((cell >>> shift) & 31);
  return text;
}

/**
 * The cells of the padded circle: every place within `radius_m` (great circle) of the centre lies in one of them; some of them may hold
 * none. A degree of latitude is taken at its shortest so that the box errs outwards; longitudes wrap at 180 and widen to all of them at a
 * pole. Ascending, without duplicates.
 */
export function cellsWithin(lat: number, lon: number, radius_m: number): number[] {
  if (!isPlace(lat, lon)) throw new RangeError('a circle needs a centre on the globe');
  const angle = radius_m / earth_radius_m;
  const lat_reach = (angle * 180) / Math.PI + 2e-6;
  const south = Math.max(-90, lat - lat_reach);
  const north = Math.min(90, lat + lat_reach);
  // The circle's widest meridian: asin(sin r / cos lat), beyond a pole all longitudes.
  const sine = Math.sin(angle) / Math.cos((lat * Math.PI) / 180);
  const lon_reach = north >= 90 || south <= -90 || sine >= 1 ? 180 : (Math.asin(sine) * 180) / Math.PI + 2e-6;

  const first_lat = latIndex(latToMicro(south));
  const last_lat = latIndex(latToMicro(north));
  const first_lon = Math.floor(((lon - lon_reach + 180) * lon_cells) / 360);
  const last_lon = Math.min(
    first_lon + lon_cells - 1,
    Math.floor(((lon + lon_reach + 180) * lon_cells) / 360),
  );
  const cells: number[] = [];
  for (let y = first_lat; y <= last_lat; y += 1) {
    for (let x = first_lon; x <= last_lon; x += 1) {
      const lon_index = ((x % lon_cells) + lon_cells) % lon_cells;
      if (cellMayHold(lon_index, y, lat, lon, radius_m)) cells.push(interleave(lon_index, y));
    }
  }
  return cells.sort((a, b) => a - b);
}

/**
 * False only for cells that lie wholly outside the circle. The nearest point of the cell is taken by clamping, which near a cell's side
 * is off by far less than the one per cent and 200 m added here.
 */
function cellMayHold(
  lon_index: number,
  lat_index: number,
  lat: number,
  lon: number,
  radius_m: number,
): boolean {
  const south = (lat_index * 180) / lat_cells - 90;
  const west = (lon_index * 360) / lon_cells - 180;
  const near_lat = Math.min(Math.max(lat, south), south + 180 / lat_cells);
  // Offsets from the cell's western side, in (-180, 180], so that a cell across the antimeridian is as near as it is.
  const offset = ((((lon - west + 180) % 360) + 360) % 360) - 180;
  const near_lon = west + Math.min(Math.max(offset, 0), 360 / lon_cells);
  if (radius_m > 200_000) return true;
  return distanceMetres(lat, lon, near_lat, near_lon) <= radius_m * 1.01 + 200;
}
