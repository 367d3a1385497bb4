import { gunzipSync, gzipSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import { recordedYear } from './recorded.ts';

/**
 * NOT REAL. A made-up later revision of the recorded 2017 file, because no year with hail was recorded with corrections of every kind: of
 * its first 20 hail rows five move, five change size, five lose their size and five vanish. Everything else is the recorded content.
 */
export interface Revised2017 {
  name: string;
  bytes: Buffer;
  moved: string[];
  resized: string[];
  blanked: string[];
  vanished: string[];
}

export function revised2017(stamp = '20170816'): Revised2017 {
  const { name, bytes } = recordedYear(2017, '20170616');
  const [header = [], ...rows] = parse(gunzipSync(bytes));
  const at = (column: string): number => header.indexOf(column);
  const hail = rows.filter((row) => row[at('EVENT_TYPE')] === 'Hail').slice(0, 20);
  const idsOf = (some: string[][]): string[] => some.map((row) => row[at('EVENT_ID')] ?? '');
  const [moved, resized, blanked, vanished] = [0, 5, 10, 15].map((from) => hail.slice(from, from + 5));
  for (const row of moved ?? []) row[at('BEGIN_LAT')] = (Number(row[at('BEGIN_LAT')]) + 0.25).toFixed(2);
  for (const row of resized ?? []) row[at('MAGNITUDE')] = (Number(row[at('MAGNITUDE')]) + 0.5).toFixed(2);
  for (const row of blanked ?? []) row[at('MAGNITUDE')] = '';
  const kept = rows.filter((row) => !(vanished ?? []).includes(row));
  return {
    name: name.replace('20170616', stamp),
    bytes: detailsFile([header, ...kept]),
    moved: idsOf(moved ?? []),
    resized: idsOf(resized ?? []),
    blanked: idsOf(blanked ?? []),
    vanished: idsOf(vanished ?? []),
  };
}

/** A details file of the given rows, the first of them the header. */
export function detailsFile(rows: readonly (readonly string[])[]): Buffer {
  const quoted = (field: string): string => `"${field.replaceAll('"', '""')}"`;
  return gzipSync(rows.map((row, n) => `${(n === 0 ? row : row.map(quoted)).join(',')}\n`).join(''));
}
