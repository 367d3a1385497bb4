import { cellOf, cellText } from '../../hail/geo/geohash.ts';
import type { Observation } from '../../hail/observation.ts';
import { readObservations } from '../../store/observations/query.ts';
import { tableName } from '../../store/projections.ts';
import type { Store } from '../../store/store.ts';

/** All that the tables can hold. */
const always = {
  from_ms: Date.parse('1900-01-01T00:00:00Z'),
  until_ms: Date.parse('2299-12-31T00:00:00Z'),
  mrms_product: null,
};

/** As many as a wide circle has. */
const cells_at_once = 100;

export interface SampleComparison {
  versions: [number, number];
  cells: number;
  observations: number;
  differing: { cell: string; only: [Observation[], Observation[]] }[];
}

/**
 * Asks both versions for the observations of some cells, as answers do, and compares what comes row by row. The cells are drawn from those
 * of either version.
 */
export async function compareSample(
  store: Store,
  versions: readonly [number, number],
  options: { cells: number; random: () => number },
): Promise<SampleComparison> {
  const tables = [tableName('observations', versions[0]), tableName('observations', versions[1])] as const;
  const drawn = await store.rows<{ cell: number }>(
    `SELECT cell FROM (SELECT DISTINCT cell FROM ${tables[0]} UNION DISTINCT SELECT DISTINCT cell FROM ${tables[1]})
     ORDER BY cityHash64(cell, {seed:UInt32}) LIMIT {cells:UInt32}`,
    { seed: Math.floor(options.random() * 2 ** 32), cells: options.cells },
  );
  const result: SampleComparison = {
    versions: [...versions],
    cells: drawn.length,
    observations: 0,
    differing: [],
  };
  for (let at = 0; at < drawn.length; at += cells_at_once) {
    const cells = drawn.slice(at, at + cells_at_once).map(({ cell }) => cell);
    const [one, other] = [
      await readObservations(store, { ...always, table: tables[0], cells }),
      await readObservations(store, { ...always, table: tables[1], cells }),
    ];
    result.observations += one.length;
    const only = [lacking(one, other), lacking(other, one)] as const;
    for (const cell of cells) {
      const own = (rows: readonly Observation[]): Observation[] =>
        rows.filter(({ lat, lon }) => cellOf(lat, lon) === cell);
      if (only.some((rows) => own(rows).length > 0))
        result.differing.push({ cell: cellText(cell), only: [own(only[0]), own(only[1])] });
    }
  }
  return result;
}

function lacking(rows: readonly Observation[], other: readonly Observation[]): Observation[] {
  const there = new Set(other.map((row) => JSON.stringify(row)));
  return rows.filter((row) => !there.has(JSON.stringify(row)));
}
