import { formatDay, formatInstant } from '../../hail/time.ts';
import type { MeshProduct } from './products.ts';

type Folder = Pick<MeshProduct, 'folder'>;

/** `20260610`, as the bucket writes days. */
function dayText(at: number): string {
  return formatDay(at).replaceAll('-', '');
}

/** What all keys of a product's day begin with: `CONUS/MESH_00.50/20260610/`. `day` is any instant of it. */
export function dayPrefix({ folder }: Folder, day: number): string {
  return `CONUS/${folder}/${dayText(day)}/`;
}

/** The least text that no key stamped earlier reaches: listing after it begins with this stamp, whatever the end of the names. */
export function keyBefore(product: Folder, stamp: number): string {
  const time = formatInstant(stamp).slice(11, 19).replaceAll(':', '');
  return `${dayPrefix(product, stamp)}MRMS_${product.folder}_${dayText(stamp)}-${time}`;
}

/** The key of a granule. */
export function granuleKey(product: Folder, stamp: number): string {
  return `${keyBefore(product, stamp)}.grib2.gz`;
}

/**
 * The stamp of a granule's key, epoch milliseconds UTC; null for any other object. Seconds drift from granule to granule, so keys are listed,
 * never computed.
 */
export function stampOf(product: Folder, key: string): number | null {
  const [, year, month, day, hour, minute, second] =
    /_(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)\.grib2\.gz$/.exec(key) ?? [];
  const stamp = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  // The folder, the day in it, the product and the calendar (which has no 31 June) have to agree with one another.
  return !Number.isNaN(stamp) && granuleKey(product, stamp) === key ? stamp : null;
}
