import { isPlace } from './geo/place.ts';
import { granuleId, min_grid_size_tenths_mm, type GridFact, type GridGeometry } from './grid.ts';
import { max_size_in, tenths_mm_per_inch } from './size.ts';
import { isInstant } from './validate-observation.ts';

const most_cells = 200_000_000;
const max_size_tenths_mm = max_size_in * tenths_mm_per_inch;

/** What makes a decoded grid no valid fact, in a few words without its values; null where nothing does. */
export function gridProblem(fact: GridFact, key: string): string | null {
  const { stamp, began_at, ended_at, geometry, cells, sizes, dropped, covered, uncovered, provenance } = fact;
  if (!/^[\w.]+$/.test(fact.product)) return 'the product has no name';
  if (![stamp, began_at, ended_at, provenance.retrieved_at].every(isInstant))
    return 'a time lies outside 1900 to 2299';
  if (stamp % 1_000 !== 0 || key !== granuleId(fact)) return 'the message key is not product/stamp';
  if (ended_at < began_at) return 'the span ends before it begins';
  const shape = geometryProblem(geometry);
  if (shape !== null) return shape;
  if (cells.length !== sizes.length) return 'cells and sizes are not side by side';
  const all = geometry.rows * geometry.columns;
  if (!ascend(cells, all) || !ascend(dropped, all)) return 'a cell lies outside of the grid or out of order';
  if (!sizes.every((size) => size >= min_grid_size_tenths_mm && size <= max_size_tenths_mm))
    return 'a size is no size of hail that is read';
  if (haveCommon(cells, dropped)) return 'a cell is dropped and there';
  if (covered < cells.length || uncovered < 0 || covered + uncovered > all) return 'a count is none';
  if (!/^[0-9a-f]{64}$/.test(provenance.document_sha256)) return 'the document hash is no SHA-256';
  return null;
}

function geometryProblem({ rows, columns, first_lat, first_lon, step_deg }: GridGeometry): string | null {
  if (rows < 1 || columns < 1 || rows * columns > most_cells) return 'the grid has no cells, or too many';
  if (!(step_deg >= 0.000_001 && step_deg <= 10)) return 'the grid has no step';
  const last_lat = first_lat - (rows - 1) * step_deg;
  // The longitudes may pass the date line, not go round.
  if (!isPlace(first_lat, first_lon) || !isPlace(last_lat, 0) || (columns - 1) * step_deg >= 360)
    return 'the grid is off the globe';
  return null;
}

/** True when the deltas ascend strictly from 0 or more and stay below `end`. */
function ascend(deltas: readonly number[], end: number): boolean {
  let cell = 0;
  for (const [at, delta] of deltas.entries()) {
    if (delta < (at === 0 ? 0 : 1)) return false;
    cell += delta;
  }
  return deltas.length === 0 || cell < end;
}

/** Both ascend, so one walk beside the other finds it. */
function haveCommon(cells: readonly number[], dropped: readonly number[]): boolean {
  let [at, other, cell, gone] = [0, 0, cells[0] ?? 0, dropped[0] ?? 0];
  while (at < cells.length && other < dropped.length) {
    if (cell === gone) return true;
    if (cell < gone) cell += cells[(at += 1)] ?? 0;
    else gone += dropped[(other += 1)] ?? 0;
  }
  return false;
}
