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
      addLeft(row, cell_bytes);
      return;
    case 2:
      addAbove(row, above);
      return;
    case 3:
      addAverage(row, above, cell_bytes);
      return;
    case 4:
      addPaeth(row, above, cell_bytes);
      return;
    default:
      throw new GranuleRefused('row-filter', `A row of the picture has the unknown filter ${filter}.`);
  }
}

// Below, each byte of a cell goes through the row by itself, so that the byte to the left stays at hand: read back from the row it would be
// waited for. Positions are inside of both rows by construction.

function addLeft(row: Uint8Array, cell_bytes: number): void {
  for (let byte = 0; byte < cell_bytes; byte += 1) {
    let left = 0;
    for (let at = byte; at < row.length; at += cell_bytes) {
      left = ((row[at] as number) + left) & 0xff;
      row[at] = left;
    }
  }
}

function addAbove(row: Uint8Array, above: Uint8Array): void {
  for (let at = 0; at < row.length; at += 1) row[at] = (row[at] as number) + (above[at] as number);
}

function addAverage(row: Uint8Array, above: Uint8Array, cell_bytes: number): void {
  for (let byte = 0; byte < cell_bytes; byte += 1) {
    let left = 0;
    for (let at = byte; at < row.length; at += cell_bytes) {
      left = ((row[at] as number) + ((left + (above[at] as number)) >> 1)) & 0xff;
      row[at] = left;
    }
  }
}

/** Adds that of left, above and above left (the corner) which is nearest to left + above - corner; in a tie the first of this order. */
function addPaeth(row: Uint8Array, above: Uint8Array, cell_bytes: number): void {
  for (let byte = 0; byte < cell_bytes; byte += 1) {
    let left = 0;
    let corner = 0;
    for (let at = byte; at < row.length; at += cell_bytes) {
      const up = above[at] as number;
      const to_left = Math.abs(up - corner);
      const to_up = Math.abs(left - corner);
      const to_corner = Math.abs(left + up - 2 * corner);
      const nearest = to_left <= to_up && to_left <= to_corner ? left : to_up <= to_corner ? up : corner;
      left = ((row[at] as number) + nearest) & 0xff;
      row[at] = left;
      corner = up;
    }
  }
}
