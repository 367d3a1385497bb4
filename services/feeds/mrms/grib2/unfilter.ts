import { GranuleRefused } from './refused.ts';

/**
 * Undoes the filter of one row of a picture, in place. `row` and `above` are the bytes of the cells without the byte that names the filter;
 * above the first row stand zeros, and so do they left of each row. Filters work on bytes, `cell_bytes` apart, whatever a cell means.
 */
export function unfilterRow(filter: number, row: Uint8Array, above: Uint8Array, cell_bytes: number): void {
  switch (filter) {
    case 0:
      return;
    case 1:
      subtractLeft(row, cell_bytes);
      return;
    case 2:
      for (let at = 0; at < row.length; at += 1) row[at] = at0(row, at) + at0(above, at);
      return;
    case 3:
      average(row, above, cell_bytes);
      return;
    case 4:
      paeth(row, above, cell_bytes);
      return;
    default:
      throw new GranuleRefused('row-filter', `A row of the picture has the unknown filter ${filter}.`);
  }
}

function subtractLeft(row: Uint8Array, cell_bytes: number): void {
  for (let at = cell_bytes; at < row.length; at += 1) row[at] = at0(row, at) + at0(row, at - cell_bytes);
}

function average(row: Uint8Array, above: Uint8Array, cell_bytes: number): void {
  for (let at = 0; at < cell_bytes; at += 1) row[at] = at0(row, at) + (at0(above, at) >> 1);
  for (let at = cell_bytes; at < row.length; at += 1) {
    row[at] = at0(row, at) + ((at0(row, at - cell_bytes) + at0(above, at)) >> 1);
  }
}

/** Of left, above and above left the one nearest to left + above - above left; in a tie the first of this order. */
function paeth(row: Uint8Array, above: Uint8Array, cell_bytes: number): void {
  for (let at = 0; at < cell_bytes; at += 1) row[at] = at0(row, at) + at0(above, at);
  for (let at = cell_bytes; at < row.length; at += 1) {
    const left = at0(row, at - cell_bytes);
    const up = at0(above, at);
    const corner = at0(above, at - cell_bytes);
    const to_left = Math.abs(up - corner);
    const to_up = Math.abs(left - corner);
    const to_corner = Math.abs(left + up - 2 * corner);
    const nearest = to_left <= to_up && to_left <= to_corner ? left : to_up <= to_corner ? up : corner;
    row[at] = at0(row, at) + nearest;
  }
}

/** Positions below are inside of both rows by construction; the engine inlines this, so it costs nothing. */
function at0(bytes: Uint8Array, at: number): number {
  return bytes[at] as number;
}
