import type { GridGeometry } from '../../../hail/grid.ts';
import { GranuleRefused } from './refused.ts';

const section_bytes = 72;
/** The mosaic's finest grids are 14,000 by 7,000. A header that claims more would make the reader allocate and inflate what it claims. */
const most_columns = 20_000;
const most_cells = 100_000_000;

/**
 * Where the cells lie, from section 3, template 3.0. Cells are numbered from the north-west, so any other order of scanning is refused: its
 * rows would be read upside down. The last point is not used for the step (the publisher writes 20.005001 for 20.005) but must agree with it.
 */
export function readGrid(section: Buffer): GridGeometry {
  if (section.length < section_bytes || section[5] !== 0 || section.readUInt16BE(12) !== 0)
    throw new GranuleRefused('grid-template', 'The grid is not described by template 3.0.');
  if (section.readUInt16BE(10) !== 0)
    throw new GranuleRefused('grid', 'The rows of the grid are not of equal length.');
  if (section.readUInt8(71) !== 0)
    throw new GranuleRefused('scan-mode', 'The grid is not scanned from the north-west, row by row.');

  const columns = section.readUInt32BE(30);
  const rows = section.readUInt32BE(34);
  const is_size = rows > 0 && columns > 0 && columns <= most_columns && rows * columns <= most_cells;
  if (!is_size || section.readUInt32BE(6) !== rows * columns)
    throw new GranuleRefused('grid', 'The grid has an impossible number of cells.');

  // A basic angle of 0 stands for micro-degrees as well; nothing else is in use.
  const [angle, parts] = [section.readUInt32BE(38), section.readUInt32BE(42)];
  const in_micro = angle === 0 || (angle === 1 && parts === 1_000_000);
  const has_steps = (section.readUInt8(54) & 0x30) === 0x30;
  const [column_step, row_step] = [section.readUInt32BE(63), section.readUInt32BE(67)];
  if (!in_micro || !has_steps || column_step !== row_step || row_step === 0)
    throw new GranuleRefused('grid', 'The grid has no one step in micro-degrees.');

  const step = row_step;
  const north = signed(section.readUInt32BE(46));
  const west = eastward(section.readUInt32BE(50));
  const south = signed(section.readUInt32BE(55));
  const east = eastward(section.readUInt32BE(59));
  const agrees =
    Math.abs(north - (rows - 1) * step - south) < step / 2 &&
    Math.abs(west + (columns - 1) * step - east) < step / 2;
  const on_globe = north <= 90_000_000 && south >= -90_000_000 && west >= -180_000_000 && east <= 180_000_000;
  if (!agrees || !on_globe)
    throw new GranuleRefused(
      'grid',
      'The corners of the grid do not agree with its step, or lie off the globe.',
    );
  return {
    rows,
    columns,
    first_lat: north / 1e6,
    first_lon: west / 1e6,
    step_deg: step / 1e6,
  };
}

/** Latitudes carry a sign bit. */
function signed(field: number): number {
  return field >= 0x80000000 ? -(field - 0x80000000) : field;
}

/** The publisher counts longitudes east from Greenwich to 360; everything here is -180 to 180. */
function eastward(field: number): number {
  const micro = signed(field);
  return micro > 180_000_000 ? micro - 360_000_000 : micro;
}
