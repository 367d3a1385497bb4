import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { day_ms, hour_ms, minute_ms } from '../../../services/hail/time.ts';
import { createGranuleMaker, type Cell } from './derived-granule.ts';

/** How long after its stamp a granule comes; the publisher's own lateness is not recorded. */
const late_ms = 3 * minute_ms;
/** How far back hours without hail are held. */
const kept_ms = 2 * day_ms;
/** The day of the recorded granule: its hours are always there, so that history finds them. */
const recorded_day = Date.parse('2026-06-10T00:00:00Z');
/** The hour that holds the recorded granule's hail: it ends after 21:30:40. */
const hail_hour = Date.parse('2026-06-10T22:00:00Z');
const max_60min_number = 30;

const recorded_stamp = Date.parse('2026-06-10T21:30:40Z');
const recorded_key = 'CONUS/MESH_00.50/20260610/MRMS_MESH_00.50_20260610-213040.grib2.gz';

/** An object of the bucket. Its size and its tag are known only once it is built. */
export interface BucketObject {
  key: string;
  /** The time in its key. */
  stamp: number;
  modified_ms: number;
  /** True for what was made from the recorded granule and never measured. */
  derived: boolean;
}

export interface BuiltObject {
  bytes: Buffer;
  /** The MD5 of the bytes, quoted, as S3 tags what was put in one piece. */
  etag: string;
}

export interface Bucket {
  /** Everything that is there at a time, by key as S3 sorts. */
  objectsAt: (now_ms: number) => BucketObject[];
  built: (object: BucketObject) => BuiltObject;
}

/**
 * The recorded MESH granule, and hours of MESH_Max_60min derived from it: of the last 48 hours and of the granule's own day. They are calm
 * but for the one that the recorded hail fell in. An object comes 3 minutes after its stamp.
 */
export function readBucket(folder: string): Bucket {
  const recorded = readFileSync(join(folder, recorded_key.split('/').at(-1) ?? ''));
  const hail = readCells(join(folder, 'DERIVED_MESH_20260610-213040_cells-from-12.7mm.json'));
  const calm: readonly Cell[] = [];
  const make = createGranuleMaker(recorded);
  const kept = new Map<string, BuiltObject>();

  const objectsAt = (now_ms: number): BucketObject[] => {
    const oldest = Math.ceil((now_ms - kept_ms) / hour_ms) * hour_ms;
    const hours = new Set([
      ...hoursFrom(recorded_day, recorded_day + 23 * hour_ms),
      ...hoursFrom(oldest, now_ms),
    ]);
    const derived = [...hours].map((stamp) => ({ key: keyOf(stamp), stamp, derived: true }));
    return [{ key: recorded_key, stamp: recorded_stamp, derived: false }, ...derived]
      .map((object) => ({ ...object, modified_ms: object.stamp + late_ms }))
      .filter(({ modified_ms }) => modified_ms <= now_ms)
      .sort((a, b) => (a.key < b.key ? -1 : 1));
  };

  const built = ({ key, stamp, derived }: BucketObject): BuiltObject => {
    const known = kept.get(key);
    if (known !== undefined) return known;
    const cells = stamp === hail_hour ? hail : calm;
    const bytes = derived ? make({ number: max_60min_number, reference_ms: stamp, cells }) : recorded;
    const object = { bytes, etag: `"${createHash('md5').update(bytes).digest('hex')}"` };
    // Hours go out of the window and can be built again: nothing is lost by forgetting them all once in a while.
    if (kept.size >= 200) kept.clear();
    kept.set(key, object);
    return object;
  };

  return { objectsAt, built };
}

function readCells(file: string): readonly Cell[] {
  const { cells } = JSON.parse(readFileSync(file, 'utf8')) as { cells: Cell[] };
  return cells;
}

/** The full hours from one instant to another, both inclusive; the first must be one. */
function hoursFrom(first: number, last: number): number[] {
  return Array.from({ length: Math.floor((last - first) / hour_ms) + 1 }, (_, at) => first + at * hour_ms);
}

function keyOf(stamp: number): string {
  const [day = '', time = ''] = new Date(stamp).toISOString().slice(0, 19).replace(/[-:]/g, '').split('T');
  return `CONUS/MESH_Max_60min_00.50/${day}/MRMS_MESH_Max_60min_00.50_${day}-${time}.grib2.gz`;
}
