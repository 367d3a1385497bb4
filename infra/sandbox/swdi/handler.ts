import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { textResponse, type Handler, type SandboxResponse } from '../handler.ts';
import { validated } from '../validators.ts';

const header = 'ZTIME,WSR_ID,CELL_ID,PROB,SEVPROB,MAXSIZE,LAT,LON';
const hour_ms = 3_600_000;
/** The longest range that the real service answers. */
const max_range_hours = 744;

interface RecordedRow {
  at_ms: number;
  lat: number;
  lon: number;
  line: string;
}

/** The inventory's web service over the recorded rows: the list of datasets and CSV queries of nx3hail by range and box. */
export function swdiService(recordings: string): Handler {
  const folder = join(recordings, 'swdi');
  const rows = readdirSync(folder)
    .filter((file) => file.endsWith('.csv'))
    .flatMap((file) => recordedRows(readFileSync(join(folder, file), 'utf8')));
  const newest = Math.max(...rows.map(({ at_ms }) => at_ms));
  const recorded = readFileSync(join(folder, 'ncei_swdiws_datasets.xml'), 'utf8');
  const catalogue = adapted(recorded, newest);
  const without_newest_day = adapted(recorded, newest - 24 * hour_ms);

  return (request) => {
    const { url } = request;
    if (/^\/swdiws(\/xml)?\/?$/.test(url.pathname)) {
      const xml = request.without_newest ? without_newest_day : catalogue;
      return validated(request, textResponse(200, 'text/xml', xml));
    }
    const [, product, range = ''] = /^\/swdiws\/csv\/(\w+)\/([\d:]+)\/?$/.exec(url.pathname) ?? [];
    if (product === undefined)
      return url.pathname.startsWith('/swdiws/') ? textResponse(404, 'text/plain', 'Not found') : null;
    if (product !== 'nx3hail') return invalid(`product=${product}`);
    const [from, until] = parseRange(range);
    if (Number.isNaN(from) || Number.isNaN(until) || from >= until)
      return invalid('dateRange=startDate:endDate');
    if (until - from > max_range_hours * hour_ms) {
      return invalid('dateRange=startDate:endDate', `: more than ${max_range_hours} hours`);
    }
    const box = url.searchParams.get('bbox')?.split(',').map(degrees);
    if (box !== undefined && !isBox(box)) return invalid('bbox=minLon,minLat,maxLon,maxLat');
    const [west = -180, south = -90, east = 180, north = 90] = box ?? [];
    const found = rows.filter(
      ({ at_ms, lat, lon }) =>
        at_ms >= from && at_ms < until && lon >= west && lon <= east && lat >= south && lat <= north,
    );
    const table = found.length === 0 ? [] : [header, ...found.map(({ line }) => line)];
    const counted = url.searchParams.get('stat') === 'count' ? [] : table;
    const body = [...counted, 'summary', `count,${found.length}`, 'totalTimeInSeconds,0.0', ''].join('\n');
    return validated(request, textResponse(200, 'text/csv', body));
  };
}

function recordedRows(text: string): RecordedRow[] {
  return text
    .split(/\r?\n/)
    .filter((line) => /^\d{4}-/.test(line))
    .map((line) => {
      const fields = line.split(',');
      return { at_ms: Date.parse(fields[0] ?? ''), lat: Number(fields[6]), lon: Number(fields[7]), line };
    });
}

/** The recorded list of datasets ends before the newest recorded rows; the end of nx3hail alone is moved to the day after them. */
function adapted(xml: string, newest_ms: number): string {
  const end = new Date(newest_ms + 24 * hour_ms).toISOString().slice(0, 10).replaceAll('-', '');
  return xml.replace(
    /(<dataset-url-path>nx3hail<\/dataset-url-path>\s*<begDate>\d{8}<\/begDate>\s*<endDate>)\d{8}/,
    `$1${end}`,
  );
}

/** `yyyymmdd`, `yyyymmddhh` or `yyyymmddhhmi`, alone (one day) or as start and end, end exclusive. */
function parseRange(text: string): [number, number] {
  const [first = '', last] = text.split(':');
  const from = parseStamp(first);
  return [from, last === undefined ? from + 24 * hour_ms : parseStamp(last)];
}

function parseStamp(text: string): number {
  const [, year, month, day, hour = '00', minute = '00'] =
    /^(\d{4})(\d{2})(\d{2})(\d{2})?(\d{2})?$/.exec(text) ?? [];
  const written = `${year}-${month}-${day}T${hour}:${minute}`;
  const stamp = Date.parse(`${written}:00Z`);
  // Date.parse takes 31 February for the 3rd of March; a day that the calendar does not have is an invalid question.
  return !Number.isNaN(stamp) && new Date(stamp).toISOString().startsWith(written) ? stamp : NaN;
}

/** A blank side is a fault, not the equator. */
function degrees(text: string): number {
  return text.trim() === '' ? NaN : Number(text);
}

function isBox(sides: readonly number[]): boolean {
  const [west = NaN, south = NaN, east = NaN, north = NaN] = sides;
  const on_globe = west >= -180 && east <= 180 && south >= -90 && north <= 90;
  return sides.length === 4 && west < east && south < north && on_globe;
}

/** The real service answers every fault of a question with status 500 and this line; the wording after the quotes is not recorded. */
function invalid(what: string, remark = ''): SandboxResponse {
  return textResponse(500, 'text/plain', `error,ERROR VALIDATING '${what}'${remark}\n`);
}
