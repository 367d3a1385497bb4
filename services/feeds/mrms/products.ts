import { hour_ms, minute_ms } from '../../hail/time.ts';

/** One product of the MESH family (maximum estimated size of hail), as the publisher's GRIB2 table (v12.2) and its bucket know it. */
export interface MeshProduct {
  /** Its name in the bucket, in record ids and in the configuration. */
  name: 'MESH_Max_60min' | 'MESH';
  /** Its folder in the bucket; `00.50` is the level, 500 m above sea level. */
  folder: string;
  discipline: number;
  category: number;
  number: number;
  /** What a granule speaks for: the span that ends at its stamp. */
  span_ms: number;
  /**
   * Which of the publisher's stamps are read, by the time they have past a multiple of this; null takes every object. A rolling maximum is
   * issued every 2 minutes: read more often than its span, it would count one storm many times.
   */
  every_ms: number | null;
  /** Cells that no radar sees, mm. */
  no_coverage_mm: number;
  /** Called missing in the table; in these products it means that no hail is seen, mm. */
  no_hail_mm: number;
  /** About how large an object is; for saying beforehand what a backfill fetches. */
  typical_bytes: number;
}

const mesh_family = { discipline: 209, category: 3, no_coverage_mm: -3, no_hail_mm: -1 } as const;

/** The products that can be read; `MRMS_PRODUCT` names one of them. Adding one is a row here and its name in the configuration. */
export const mesh_products: Readonly<Record<MeshProduct['name'], MeshProduct>> = {
  MESH_Max_60min: {
    ...mesh_family,
    name: 'MESH_Max_60min',
    folder: 'MESH_Max_60min_00.50',
    number: 30,
    span_ms: hour_ms,
    every_ms: hour_ms,
    typical_bytes: 244_000,
  },
  MESH: {
    ...mesh_family,
    name: 'MESH',
    folder: 'MESH_00.50',
    number: 28,
    span_ms: 2 * minute_ms,
    every_ms: null,
    typical_bytes: 82_000,
  },
};

/** True for stamps that are read of the product. */
export function isTaken({ every_ms }: Pick<MeshProduct, 'every_ms'>, stamp: number): boolean {
  return every_ms === null || stamp % every_ms === 0;
}
