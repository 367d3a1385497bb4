import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { systemCode } from './errors.ts';
import type { Metrics } from './metrics.ts';

/** Below this share of a file system somebody must act, whatever its size: the alert and the doctor go by the same one. */
export const least_free_share = 0.1;
/** The same words wherever room is short: in the doctor's finding and in the runbook. */
export const make_room =
  'Make room, or lower DOCUMENTS_MAX_BYTES, by which the oldest kept documents go; the log never shrinks by itself.';

export interface Disk {
  /** What a process without rights may still write; what is kept back for root is not counted. */
  free_bytes: number;
  size_bytes: number;
}

/** The file system that holds a folder, or will hold it once it is made. */
export async function diskOf(folder: string): Promise<Disk> {
  const { bavail, blocks, bsize } = await statfs(nearestThere(resolve(folder)));
  return { free_bytes: bavail * bsize, size_bytes: blocks * bsize };
}

/** SQLite's result code for a disk without room; the low byte, the rest says more about it. */
const sqlite_full = 13;

/** True where what failed, or what it was caused by, is a file system without room: it passes once somebody makes some. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (['ENOSPC', 'EDQUOT'].includes(systemCode(error) ?? '')) return true;
  const result = 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : null;
  if (systemCode(error) === 'ERR_SQLITE_ERROR' && result === sqlite_full) return true;
  return isDiskFull(error.cause);
}

/** The path itself, or the first folder above it that exists. */
export function nearestThere(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestThere(dirname(path));
}

/**
 * How much room the data folder has, asked at each scrape. One process shows it, the feeds: they own the folder wherever they run, and
 * where the log is a file all processes share their folder, so that one full disk is one alert.
 */
export function createDiskMetrics(metrics: Metrics, read: () => Promise<Disk>): void {
  const free = metrics.gauge(
    'data_filesystem_free_bytes',
    'What may still be written to the file system that holds the data folder.',
    [],
  );
  const size = metrics.gauge(
    'data_filesystem_size_bytes',
    'The size of the file system that holds the data folder.',
    [],
  );
  metrics.atScrape('data file system', read, (disk) => {
    free.replace(disk === null ? [] : [[{}, disk.free_bytes]]);
    size.replace(disk === null ? [] : [[{}, disk.size_bytes]]);
  });
}
