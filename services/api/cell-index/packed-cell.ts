import { microToDegrees, latToMicro, lonToMicro } from '../../hail/geo/place.ts';
import type { Observation } from '../../hail/observation.ts';
import { citingPublishers } from '../../hail/publisher.ts';

/**
 * The observations of a cell as columns in one piece of memory, oldest first. Thirty-four bytes a row and its texts, each text once: the
 * hundreds of cells of a granule share one id.
 */
export interface PackedCell {
  readonly rows: number;
  readonly texts: number;
  readonly data: ArrayBuffer;
}

interface Columns {
  began_ms: Float64Array;
  span_ms: Uint32Array;
  lat: Int32Array;
  lon: Int32Array;
  record_key: Uint32Array;
  record_id: Uint32Array;
  /** Where each text ends among the bytes. */
  text_ends: Uint32Array;
  size_hundredths: Uint16Array;
  size_tenths_mm: Uint16Array;
  publisher: Uint8Array;
  sevprob: Uint8Array;
  text_bytes: Buffer;
}

const bytes_a_row = 8 + 5 * 4 + 2 * 2 + 2;
const no_sevprob = 255;
const empty: PackedCell = { rows: 0, texts: 0, data: new ArrayBuffer(0) };

/**
 * Null where the columns cannot hold a row exactly as it came, which no row of the projector's does: such a cell is read from the store
 * every time.
 */
export function packCell(observations: readonly Observation[]): PackedCell | null {
  if (observations.length === 0) return empty;
  if (!observations.every(fits)) return null;
  const ordered = observations.toSorted((a, b) => a.began_ms - b.began_ms);
  const numbers = new Map<string, number>();
  const numberOf = (text: string): number => {
    const known = numbers.get(text);
    if (known !== undefined) return known;
    numbers.set(text, numbers.size);
    return numbers.size - 1;
  };
  const named = ordered.map(
    ({ record_key, record_id }) => [numberOf(record_key), numberOf(record_id)] as const,
  );
  const texts = [...numbers.keys()].map((text) => Buffer.from(text));
  const text_bytes = texts.reduce((sum, { length }) => sum + length, 0);
  const packed: PackedCell = {
    rows: ordered.length,
    texts: texts.length,
    data: new ArrayBuffer(ordered.length * bytes_a_row + texts.length * 4 + text_bytes),
  };
  const columns = columnsOf(packed);
  ordered.forEach((each, row) => {
    columns.began_ms[row] = each.began_ms;
    columns.span_ms[row] = each.ended_ms - each.began_ms;
    columns.lat[row] = latToMicro(each.lat);
    columns.lon[row] = lonToMicro(each.lon);
    [columns.record_key[row], columns.record_id[row]] = named[row] ?? [0, 0];
    columns.size_hundredths[row] = Math.round(each.size_in * 100);
    columns.size_tenths_mm[row] = each.size_tenths_mm ?? 0;
    columns.publisher[row] = citingPublishers.indexOf(each.publisher);
    columns.sevprob[row] = each.sevprob ?? no_sevprob;
  });
  let end = 0;
  texts.forEach((text, number) => {
    text.copy(columns.text_bytes, end);
    end += text.length;
    columns.text_ends[number] = end;
  });
  return packed;
}

/** The observations that begin in `[from_ms, until_ms)`, as they were. */
export function unpackCell(
  packed: PackedCell,
  { from_ms, until_ms }: { from_ms: number; until_ms: number },
): Observation[] {
  if (packed.rows === 0) return [];
  const columns = columnsOf(packed);
  const texts: string[] = [];
  const textOf = (number: number): string =>
    (texts[number] ??= columns.text_bytes.toString(
      'utf8',
      number === 0 ? 0 : columns.text_ends[number - 1],
      columns.text_ends[number],
    ));
  const found: Observation[] = [];
  for (let row = firstFrom(columns.began_ms, from_ms); row < packed.rows; row += 1) {
    const began_ms = at(columns.began_ms, row);
    if (began_ms >= until_ms) break;
    const publisher = citingPublishers[at(columns.publisher, row)];
    if (publisher === undefined) throw new Error('a packed cell names no publisher');
    const [tenths, sevprob] = [at(columns.size_tenths_mm, row), at(columns.sevprob, row)];
    found.push({
      publisher,
      record_key: textOf(at(columns.record_key, row)),
      record_id: textOf(at(columns.record_id, row)),
      began_ms,
      ended_ms: began_ms + at(columns.span_ms, row),
      lat: microToDegrees(at(columns.lat, row)),
      lon: microToDegrees(at(columns.lon, row)),
      size_in: at(columns.size_hundredths, row) / 100,
      size_tenths_mm: tenths === 0 ? null : tenths,
      sevprob: sevprob === no_sevprob ? null : sevprob,
    });
  }
  return found;
}

function fits(row: Observation): boolean {
  const { began_ms, ended_ms, lat, lon, size_in, size_tenths_mm, sevprob } = row;
  const span_ms = ended_ms - began_ms;
  return (
    Number.isInteger(began_ms) &&
    isUnsigned(span_ms, 32) &&
    microToDegrees(latToMicro(lat)) === lat &&
    microToDegrees(lonToMicro(lon)) === lon &&
    isUnsigned(Math.round(size_in * 100), 16) &&
    Math.round(size_in * 100) / 100 === size_in &&
    (size_tenths_mm === null || (size_tenths_mm !== 0 && isUnsigned(size_tenths_mm, 16))) &&
    (sevprob == null || (isUnsigned(sevprob, 8) && sevprob !== no_sevprob))
  );
}

function isUnsigned(value: number, bits: number): boolean {
  return Number.isInteger(value) && value >= 0 && value < 2 ** bits;
}

/** The widest columns come first, so that each begins where its numbers may. */
function columnsOf({ rows, texts, data }: PackedCell): Columns {
  let next = 0;
  const take = (bytes: number): number => {
    const begin = next;
    next += bytes;
    return begin;
  };
  return {
    began_ms: new Float64Array(data, take(8 * rows), rows),
    span_ms: new Uint32Array(data, take(4 * rows), rows),
    lat: new Int32Array(data, take(4 * rows), rows),
    lon: new Int32Array(data, take(4 * rows), rows),
    record_key: new Uint32Array(data, take(4 * rows), rows),
    record_id: new Uint32Array(data, take(4 * rows), rows),
    text_ends: new Uint32Array(data, take(4 * texts), texts),
    size_hundredths: new Uint16Array(data, take(2 * rows), rows),
    size_tenths_mm: new Uint16Array(data, take(2 * rows), rows),
    publisher: new Uint8Array(data, take(rows), rows),
    sevprob: new Uint8Array(data, take(rows), rows),
    text_bytes: Buffer.from(data, next),
  };
}

/** The first row that begins at an instant or later. */
function firstFrom(began_ms: Float64Array, from_ms: number): number {
  let [low, high] = [0, began_ms.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (at(began_ms, middle) < from_ms) low = middle + 1;
    else high = middle;
  }
  return low;
}

function at(column: Float64Array | Int32Array | Uint32Array | Uint16Array | Uint8Array, row: number): number {
  return column[row] ?? NaN;
}
