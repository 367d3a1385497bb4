import { tableName } from '../../store/projections.ts';
import type { Store } from '../../store/store.ts';
import type { ComparedTable } from '../projection.ts';

/** At most so many differing places are looked into, with so many rows of each. */
const most_places = 20;
const most_examples = 3;

export interface PlaceDifference {
  place: string;
  /** Rows of each version there. */
  rows: [number, number];
  /** Rows that only one of the versions has: how many, and some of them. */
  only: [OneSided, OneSided];
}

interface OneSided {
  rows: number;
  examples: unknown[];
}

export interface TableComparison {
  table: string;
  versions: [number, number];
  rows: [number, number];
  places: number;
  differing: number;
  differences: PlaceDifference[];
  /** Columns that only one of the versions has; they are not compared. */
  left_out: string[];
}

/**
 * Compares a table of two versions that stand still: for every place the number of rows and a checksum over all of their columns. Rows are
 * unique by their sort key, so no two can cancel one another.
 */
export async function compareTable(
  store: Store,
  compared: ComparedTable,
  versions: readonly [number, number],
): Promise<TableComparison> {
  const { table, place, placeName = (each: string) => each } = compared;
  const [one, other] = [tableName(table, versions[0]), tableName(table, versions[1])];
  const [columns_one, columns_other] = [await columnsOf(store, one), await columnsOf(store, other)];
  const shared = columns_one.filter((column) => columns_other.includes(column));
  const left_out = [...columns_one, ...columns_other].filter((column) => !shared.includes(column));
  // Text, because a hash over a value that is null is null, and would be left out of the sum.
  const hash = `cityHash64(toJSONString(tuple(${shared.join(', ')})))`;
  const [sums_one, sums_other] = [
    await checksums(store, one, place, hash),
    await checksums(store, other, place, hash),
  ];
  const places = [...new Set([...sums_one.keys(), ...sums_other.keys()])].sort();
  const differing = places.filter((each) => sums_one.get(each)?.sum !== sums_other.get(each)?.sum);
  const shown = { place, hash, places: differing.slice(0, most_places) };
  const only =
    differing.length === 0
      ? null
      : ([await onlyIn(store, one, other, shown), await onlyIn(store, other, one, shown)] as const);
  const nobody = { rows: 0, examples: [] };
  const differences = shown.places.map((each): PlaceDifference => ({
    place: placeName(each),
    rows: [sums_one.get(each)?.rows ?? 0, sums_other.get(each)?.rows ?? 0],
    only: [only?.[0].get(each) ?? nobody, only?.[1].get(each) ?? nobody],
  }));
  return {
    table,
    versions: [...versions],
    rows: [total(sums_one), total(sums_other)],
    places: places.length,
    differing: differing.length,
    differences,
    left_out,
  };
}

async function columnsOf(store: Store, table: string): Promise<string[]> {
  const rows = await store.rows<{ name: string }>(
    'SELECT name FROM system.columns WHERE database = currentDatabase() AND table = {table:String} ORDER BY position',
    { table },
  );
  return rows.map(({ name }) => name);
}

async function checksums(
  store: Store,
  table: string,
  place: string,
  hash: string,
): Promise<Map<string, { rows: number; sum: string }>> {
  const rows = await store.rows<{ place: string; rows: string | number; sum: string }>(
    `SELECT toString(${place}) AS place, count() AS rows, concat(toString(count()), '/', toString(groupBitXor(${hash}))) AS sum
     FROM ${table} FINAL GROUP BY place`,
  );
  return new Map(rows.map((row) => [row.place, { rows: Number(row.rows), sum: row.sum }]));
}

/** By place the rows that only one of two tables has. */
async function onlyIn(
  store: Store,
  table: string,
  other: string,
  { place, hash, places }: { place: string; hash: string; places: readonly string[] },
): Promise<Map<string, OneSided>> {
  const there = `toString(${place}) IN {places:Array(String)}`;
  const missing = `${there} AND ${hash} NOT IN (SELECT ${hash} FROM ${other} FINAL WHERE ${there})`;
  const counts = await store.rows<{ place: string; n: string | number }>(
    `SELECT toString(${place}) AS place, count() AS n FROM ${table} FINAL WHERE ${missing} GROUP BY place`,
    { places },
  );
  const found = new Map<string, OneSided>(
    counts.map((row) => [row.place, { rows: Number(row.n), examples: [] }]),
  );
  const examples = await store.rows<Record<string, unknown> & { compared_place: string }>(
    `SELECT toString(${place}) AS compared_place, * FROM ${table} FINAL WHERE ${missing}
     ORDER BY ALL LIMIT ${most_examples} BY compared_place`,
    { places },
  );
  for (const { compared_place, ...row } of examples) found.get(compared_place)?.examples.push(row);
  return found;
}

function total(sums: ReadonlyMap<string, { rows: number }>): number {
  return [...sums.values()].reduce((all, { rows }) => all + rows, 0);
}
