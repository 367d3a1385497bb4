import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const recordings = join(import.meta.dirname, '../../infra/sandbox/recordings');

/** The recorded details files by name; both creation stamps of the years that have two. */
export function recordedDetails(): Map<string, Buffer> {
  const folder = join(recordings, 'noaa_sed');
  const names = readdirSync(folder).filter((name) => name.includes('_details-') && name.endsWith('.csv.gz'));
  return new Map(names.map((name) => [name, readFileSync(join(folder, name))]));
}

/** One recorded details file by year and creation stamp. */
export function recordedYear(year: number, stamp: string): { name: string; bytes: Buffer } {
  const name = `StormEvents_details-ftp_v1.0_d${year}_c${stamp}.csv.gz`;
  return { name, bytes: readFileSync(join(recordings, 'noaa_sed', name)) };
}

export function recordedInventory(file: string): Buffer {
  return readFileSync(join(recordings, 'swdi', file));
}

/** The recorded radar rows near San Antonio, 27 to 29 August 2026. */
export function sanAntonioRows(): string[] {
  const text = recordedInventory('nx3hail_san-antonio-box_2026-08-27_29.reconstructed.csv').toString('utf8');
  return text.split(/\r?\n/).filter((line) => line.startsWith('2026-'));
}

/** Any recorded file, by its publisher's folder and its name. */
export function recording(publisher: string, file: string): Buffer {
  return readFileSync(join(recordings, publisher, file));
}
