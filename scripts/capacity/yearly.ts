import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const project = join(import.meta.dirname, '../..');

/** How many things of a kind a year of the whole country brings, and how that is known. */
export interface Yearly {
  kind: 'storm event' | 'radar signature' | 'granule' | 'grid cell' | 'report' | 'warning message' | 'poll';
  count: number;
  /** counted: in recorded files. scaled: counted in a part, for the whole. assumed: neither; put your own number. */
  basis: 'counted' | 'scaled' | 'assumed';
  why: string;
}

/** The 48 states, and the box of the recorded radar cells, in square kilometres. */
const states_km2 = 8_080_000;
const box = { west: -91, east: -88.4, south: 33.9, north: 35.05 };
const box_km2 =
  (box.east - box.west) *
  111.32 *
  Math.cos((((box.north + box.south) / 2) * Math.PI) / 180) *
  (box.north - box.south) *
  110.9;
/** Rows of 1 inch and more to their day-cells of 0.05 degrees, counted by two other projects: 25,105 rows made 11,777 cells. */
const rows_of_a_cell = 25_105 / 11_777;
const granules_a_day = 24;
/** Days with hail somewhere in the country, and hours of such a day that look like the recorded evening: more than there are, to be safe. */
const hail_days = 200;
const hail_hours = 8;

export function yearlyCounts(): Yearly[] {
  const cells = boxCells();
  const weaker = weakerSignatures();
  const granule_cells = recordedGranuleCells();
  const radar =
    Math.round(((cells.count / cells.years) * rows_of_a_cell * states_km2 * weaker) / box_km2 / 1_000) *
    1_000;
  return [
    {
      ...{ kind: 'storm event', count: 10_000, basis: 'assumed' },
      why: 'national files hold 4,215 (1993) and 8,370 (1995) rows of hail; later years were not at hand',
    },
    {
      ...{ kind: 'radar signature', count: radar, basis: 'scaled' },
      why:
        `${cells.count} day-cells of 1 in and more in north Mississippi, ${cells.years} years (scripts/calibrate/data), for the area of the 48 ` +
        `states; ${rows_of_a_cell.toFixed(2)} rows a cell; ${weaker.toFixed(2)} rows of any size for one of 1 in (the recorded rows of San Antonio)`,
    },
    {
      ...{ kind: 'granule', count: granules_a_day * 365, basis: 'counted' },
      why: 'one MESH_Max_60min an hour',
    },
    {
      ...{ kind: 'grid cell', count: granule_cells * hail_days * hail_hours, basis: 'assumed' },
      why: `${hail_days} days with ${hail_hours} granules like the recorded evening's, which has ${granule_cells} cells of 12.7 mm and more`,
    },
    {
      ...{ kind: 'report', count: 15_000, basis: 'assumed' },
      why: 'CoCoRaHS and local storm reports together',
    },
    {
      ...{ kind: 'warning message', count: 75_000, basis: 'assumed' },
      why: '25,000 warnings that may bring hail, three messages each',
    },
    {
      ...{ kind: 'poll', count: 365 * (720 + 144 + 4 * 144 + 8 * 24 + 4 * 90 + 1), basis: 'counted' },
      why: 'the default schedules, each question of a poll a fact: NWS 720 a day, MRMS 144, SPC 4 days 144 times, CoCoRaHS 8 days 24 times, SWDI 90 days 4 times, Storm Events 1',
    },
  ];
}

function boxCells(): { count: number; years: number } {
  const folder = join(project, 'scripts/calibrate/data/north-ms');
  const files = readdirSync(folder).filter((name) => /^hail-\d{4}\.json$/.test(name));
  const counts = files.map(
    (name) => (JSON.parse(readFileSync(join(folder, name), 'utf8')) as { cells: unknown[] }).cells.length,
  );
  return { count: counts.reduce((sum, each) => sum + each, 0), years: files.length };
}

/** All recorded signatures to those of 1 inch and more. */
function weakerSignatures(): number {
  const file = 'infra/sandbox/recordings/swdi/nx3hail_san-antonio-box_2026-08-27_29.reconstructed.csv';
  const sizes = readFileSync(join(project, file), 'utf8')
    .split(/\r?\n/)
    .filter((line) => /^\d{4}-/.test(line))
    .map((line) => Number(line.split(',')[5]));
  return sizes.length / sizes.filter((size_in) => size_in >= 1).length;
}

function recordedGranuleCells(): number {
  const file = 'infra/sandbox/recordings/mrms/DERIVED_MESH_20260610-213040_cells-from-12.7mm.json';
  return (JSON.parse(readFileSync(join(project, file), 'utf8')) as { cells: unknown[] }).cells.length;
}
