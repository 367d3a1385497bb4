import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const recordings = join(import.meta.dirname, '../../infra/sandbox/recordings');

/** The first line of the SPC's files of hail reports; all there is of a day without hail. */
export const reports_header = 'Time,Size,Location,County,State,Lat,Lon,Comments';

/** A recorded daily file of the SPC. */
export function recordedReports(file: string): Buffer {
  return readFileSync(join(recordings, 'spc', file));
}

/** The recorded export of CoCoRaHS hail reports: Colorado, 2026-06-01. */
export function recordedExport(): Buffer {
  return readFileSync(join(recordings, 'cocorahs/hail_export_CO_2026-06-01.csv'));
}

/** Data lines of a text, header and blank lines left out: an independent reading, for expected numbers. */
export function dataLines(bytes: Buffer): string[] {
  return bytes
    .toString('latin1')
    .split('\n')
    .slice(1)
    .filter((line) => line.trim() !== '');
}
