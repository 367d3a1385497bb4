import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { HailmarkError } from '../../services/runtime/errors.ts';
import { day_ms, parseDay } from '../../services/hail/time.ts';

/** The largest radar size of one UTC day in one bucket of 0.05 degrees, inches; the files hold 1.00 in and more only. */
export interface RadarCell {
  /** Days since 1970-01-01, UTC. */
  day: number;
  size_in: number;
  lat: number;
  lon: number;
}

/** A hail report of Storm Events. `day` is the local standard date, which is the UTC date or the one before it. */
export interface GroundReport {
  day: number;
  size_in: number;
  lat: number;
  lon: number;
}

export interface YearOfPairs {
  year: number;
  cells: RadarCell[];
  reports: GroundReport[];
}

export interface FileRead {
  name: string;
  sha256: string;
  rows: number;
}

const fieldsOf = (...names: string[]): z.ZodType<string[]> =>
  z.array(z.string()).refine((fields) => fields.join() === names.join());

const cellFile = z.object({
  fields: fieldsOf('date', 'in', 'lon', 'lat', 'radar', 'by', 'bx'),
  cells: z.array(z.tuple([z.string(), z.number(), z.number(), z.number(), z.string(), z.int(), z.int()])),
});
const reportFile = z.object({
  fields: fieldsOf('date', 'kind', 'val', 'lon', 'lat', 'src'),
  reports: z.array(z.tuple([z.string(), z.string(), z.number(), z.number(), z.number(), z.string()])),
});

/**
 * Reads `hail-<year>.json` and `reports-<year>.json` of a folder, every year that has both. A file of another form, a year without its
 * other half, or a row that belongs to another year is an error: a fit on half the data would look like a fit.
 */
export function readPairs(folder: string): { years: YearOfPairs[]; files: FileRead[] } {
  const names = readdirSync(folder).sort();
  const years = names.flatMap((name) => /^hail-(\d{4})\.json$/.exec(name)?.[1] ?? []);
  const others = names.flatMap((name) => /^reports-(\d{4})\.json$/.exec(name)?.[1] ?? []);
  if (years.length === 0 || years.join() !== others.join()) {
    throw unusable(
      'each year needs hail-<year>.json and reports-<year>.json, and at least one year is needed',
    );
  }
  const files: FileRead[] = [];
  const read = <T>(name: string, schema: z.ZodType<T>, rowsOf: (content: T) => readonly unknown[]): T => {
    const bytes = readFileSync(join(folder, name));
    const parsed = schema.safeParse(jsonOf(bytes));
    if (!parsed.success) throw unusable(`${name} is not of the form of the paired data`);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    files.push({ name, sha256, rows: rowsOf(parsed.data).length });
    return parsed.data;
  };
  const pairs = years.map((year): YearOfPairs => {
    const { cells } = read(`hail-${year}.json`, cellFile, (content) => content.cells);
    const { reports } = read(`reports-${year}.json`, reportFile, (content) => content.reports);
    return {
      year: Number(year),
      cells: cells.map(([date, size_in, lon, lat]) => ({ day: dayOf(date, year), size_in, lat, lon })),
      reports: reports
        .filter(([, kind]) => kind === 'hail')
        .map(([date, , size_in, lon, lat]) => ({ day: dayOf(date, year), size_in, lat, lon })),
    };
  });
  return { years: pairs, files };
}

function dayOf(date: string, year: string): number {
  const at_ms = parseDay(date);
  if (at_ms === null || !date.startsWith(year)) throw unusable(`${date} stands in the file of ${year}`);
  return at_ms / day_ms;
}

function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

function unusable(problem: string): HailmarkError {
  return new HailmarkError('HAIL_CALIBRATION_DATA', `The paired data cannot be used: ${problem}.`);
}
