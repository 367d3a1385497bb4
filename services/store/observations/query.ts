import { microToDegrees } from '../../hail/geo/place.ts';
import type { Observation } from '../../hail/observation.ts';
import { isCitingPublisher } from '../../hail/publisher.ts';
import type { Store } from '../store.ts';

/** All that the table can hold. */
export const all_time = {
  from_ms: Date.parse('1900-01-01T00:00:00Z'),
  until_ms: Date.parse('2299-12-31T00:00:00Z'),
} as const;

export interface CellsInTime {
  table: string;
  cells: readonly number[];
  from_ms: number;
  /** Exclusive. */
  until_ms: number;
  /** The one product whose grid cells are read: of two, one hail would count twice. Null for all, which no answer may ask. */
  mrms_product: string | null;
}

/**
 * The rows of the padded circle's cells in a window: the cells as literals, because the engine prunes by literals alone, and the exact
 * distance is decided by the caller. All columns filtered here are of the sort key, so filtering before FINAL asks the same question.
 * Where a product is named, it is the parameter `mrms_product`.
 */
export function observationsSql({ table, cells, from_ms, until_ms, mrms_product }: CellsInTime): string {
  const span = (at_ms: number): string => `fromUnixTimestamp64Milli(toInt64(${Math.trunc(at_ms)}), 'UTC')`;
  return (
    'SELECT publisher, record_key, record_id, toUnixTimestamp64Milli(occurred_at) AS began_ms,' +
    ' toUnixTimestamp64Milli(ended_at) AS ended_ms, lat, lon, size_in, size_tenths_mm, sevprob' +
    ` FROM ${table} FINAL WHERE cell IN (${cells.join(',')})` +
    ` AND occurred_at >= ${span(from_ms)} AND occurred_at < ${span(until_ms)}` +
    (mrms_product === null
      ? ''
      : " AND (publisher != 'MRMS_MESH' OR startsWith(record_key, concat({mrms_product:String}, '/')))")
  );
}

export async function readObservations(store: Store, query: CellsInTime): Promise<Observation[]> {
  if (query.cells.length === 0) return [];
  const rows = await store.rows<
    Record<Exclude<keyof Observation, 'sevprob'>, string | number> & { sevprob: number | null }
  >(observationsSql(query), query.mrms_product === null ? {} : { mrms_product: query.mrms_product });
  return rows.map((row) => {
    const publisher = String(row.publisher);
    if (!isCitingPublisher(publisher))
      throw new Error('the table of citable observations holds another publisher');
    return {
      publisher,
      record_key: String(row.record_key),
      record_id: String(row.record_id),
      began_ms: Number(row.began_ms),
      ended_ms: Number(row.ended_ms),
      lat: microToDegrees(Number(row.lat)),
      lon: microToDegrees(Number(row.lon)),
      size_in: Number(row.size_in),
      // 0 is how the table says that a record is no cell: the least that is read of a grid is 127.
      size_tenths_mm: Number(row.size_tenths_mm) === 0 ? null : Number(row.size_tenths_mm),
      sevprob: row.sevprob,
    };
  });
}
