/** Rows of made-up years, for histories that no publisher has shown us: only the columns that the feed reads. */
export const columns = [
  'EVENT_ID',
  'EVENT_TYPE',
  'BEGIN_YEARMONTH',
  'BEGIN_DAY',
  'BEGIN_TIME',
  'END_YEARMONTH',
  'END_DAY',
  'END_TIME',
  'CZ_TIMEZONE',
  'MAGNITUDE',
  'SOURCE',
  'BEGIN_LAT',
  'BEGIN_LON',
] as const;

export interface HailRow {
  id: number;
  /** Of an hour of 1 May, 12:00 CST. */
  minute: number;
  lat: number | null;
  lon: number | null;
  size: string;
  /** The year in the row's dates, where it is not the file's. */
  year?: number;
  zone?: string;
}

export function rowOf(year: number, row: HailRow): string[] {
  const date = [`${row.year ?? year}05`, '1', String(1_200 + row.minute)];
  const place = [row.lat, row.lon].map((degrees) => (degrees === null ? '' : String(degrees)));
  return [String(row.id), 'Hail', ...date, ...date, row.zone ?? 'CST-6', row.size, 'Public', ...place];
}
