import { crc32, gzipSync } from 'node:zlib';
import {
  encodePicture,
  granuleParts,
  joinGranule,
  type MadeGranule,
} from '../../../infra/sandbox/mrms/encode-granule.ts';
import { decodeGranule } from '../../../services/feeds/mrms/decode.ts';
import { GranuleRefused } from '../../../services/feeds/mrms/grib2/refused.ts';
import { dayPrefix, granuleKey, stampOf } from '../../../services/feeds/mrms/keys.ts';
import { parseListing } from '../../../services/feeds/mrms/listing.ts';
import { mesh_products } from '../../../services/feeds/mrms/products.ts';
import {
  deltaCoded,
  gridBounds,
  granuleId,
  min_grid_size_tenths_mm,
  type GridFact,
} from '../../../services/hail/grid.ts';
import { gridProblem } from '../../../services/hail/validate-grid.ts';
import { made_hour, made_stamp, small_grid } from '../../support/granules.ts';
import { provenance } from '../judge.ts';
import type { FuzzTarget, Reading } from '../target.ts';

const product = mesh_products.MESH_Max_60min;
const refusalOf = (error: unknown): string | null => (error instanceof GranuleRefused ? error.reason : null);

const made: readonly MadeGranule[] = [
  made_hour,
  { ...made_hour, bits: 16 },
  { ...made_hour, bits: 24, default: 'no_coverage' },
  { ...made_hour, bits: 32 },
  { ...made_hour, cells: [] },
];

/** Objects of the mosaic's bucket: whole messages of a few rows, made as the publisher lays them out, gzipped and not. */
export const hailGranules: FuzzTarget = {
  name: 'mrms',
  seeds: () => {
    const messages = made.map((granule) => joinGranule(granuleParts(granule)));
    return [
      ...messages,
      ...messages,
      ...messages,
      ...messages.slice(0, 2).map((message) => gzipSync(message)),
    ];
  },
  mend,
  refusalOf,
  run: (bytes) => read(bytes),
};

const made_parts = granuleParts({ ...made_hour, bits: 16 });
const cell_bytes = 2;

/** The filtered rows of a picture, in a message whose lengths and checksums are right: what lies behind them would hardly be tried else. */
export const hailRows: FuzzTarget = {
  name: 'mrms-rows',
  seeds: () => {
    const row_bytes = small_grid.columns * cell_bytes;
    // Rows by each of the five filters; their differences are small numbers, as of real cells.
    const rows = (filterOf: (row: number) => number): Buffer =>
      Buffer.concat(
        Array.from({ length: small_grid.rows }, (_, row) => {
          const filtered = Buffer.alloc(row_bytes + 1);
          filtered[0] = filterOf(row);
          for (let at = 2; at <= row_bytes; at += cell_bytes)
            filtered[at] = row === 0 || filtered[0] === 0 ? 20 + ((row * at) % 7) * 30 : 0;
          return filtered;
        }),
      );
    return [
      rows(() => 0),
      rows((row) => row % 3),
      rows((row) => (row === 0 ? 0 : 2)),
      rows((row) => row % 5),
    ];
  },
  // As many bytes as the rows have, and only filters that there are.
  mend: (text) => {
    const row_bytes = small_grid.columns * cell_bytes + 1;
    const bytes = Buffer.alloc(row_bytes * small_grid.rows);
    Buffer.from(text, 'latin1').copy(bytes);
    for (let row = 0; row < small_grid.rows; row += 1)
      bytes[row * row_bytes] = (bytes[row * row_bytes] ?? 0) % 5;
    return bytes.toString('latin1');
  },
  refusalOf,
  run: (bytes) => {
    const png = encodePicture(small_grid.columns, small_grid.rows, cell_bytes, bytes);
    return read(joinGranule({ ...made_parts, png }));
  },
};

/** Pages of the bucket's listing: a last one, one that goes on, an empty one, an error. */
export const granuleListing: FuzzTarget = {
  name: 'mrms-listing',
  seeds: () => {
    const entry = (stamp: number): string =>
      `<Contents><Key>${granuleKey(product, stamp)}</Key><LastModified>2026-06-10T21:02:07.000Z</LastModified>` +
      '<ETag>&quot;0a9f&quot;</ETag><Size>244001</Size><StorageClass>STANDARD</StorageClass></Contents>\n';
    const page = (head: string, stamps: readonly number[]): Buffer =>
      Buffer.from(
        '<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">' +
          `<Name>noaa-mrms-pds</Name><Prefix>${dayPrefix(product, made_stamp)}</Prefix><KeyCount>${stamps.length}</KeyCount>` +
          `<MaxKeys>1000</MaxKeys>${head}${stamps.map(entry).join('')}</ListBucketResult>`,
      );
    const hours = [0, 3_600_000, 7_200_000].map((before) => made_stamp - before);
    const whole = page('<IsTruncated>false</IsTruncated>', hours);
    return [
      whole,
      whole,
      page(
        '<IsTruncated>true</IsTruncated><NextContinuationToken>1a&#43;/=&amp;</NextContinuationToken>',
        hours,
      ),
      page('<IsTruncated>false</IsTruncated>', []),
      Buffer.from(
        '<?xml version="1.0"?>\n<Error><Code>SlowDown</Code><Message>Reduce your rate.</Message></Error>',
      ),
    ];
  },
  mend: (text) =>
    text.replace(
      /<KeyCount>[^<]*<\/KeyCount>/,
      `<KeyCount>${text.split('<Contents>').length - 1}</KeyCount>`,
    ),
  run: (bytes) => {
    const text = bytes.toString('utf8');
    const prefix = dayPrefix(product, made_stamp);
    const { objects, continuation } = parseListing(text, prefix);
    const problems = objects.flatMap(({ key, last_modified }) => {
      const is_asked = key.startsWith(prefix) && text.includes(prefix);
      // What becomes the publisher's version is compared as text, so every one must be written in one way.
      const is_timed = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(last_modified);
      const stamp = stampOf(product, key);
      const is_day = stamp === null || Math.floor(stamp / 86_400_000) === Math.floor(made_stamp / 86_400_000);
      return is_asked && is_timed && is_day ? [] : [`no object of the listing: ${key}, ${last_modified}`];
    });
    if (objects.length !== text.split('<Contents>').length - 1)
      problems.push('an entry of the page is passed over');
    // What stands around the entries: an entry may hold anything.
    const [before = '', ...rest] = text.split('<Contents>');
    const around = before + rest.map((each) => each.slice(each.indexOf('</Contents>'))).join('');
    if ((continuation !== null) !== around.includes('<IsTruncated>true</IsTruncated>'))
      problems.push('the page ends otherwise than it says');
    return { records: objects.length, problems };
  },
};

/** Reads an object as the feed does, up to the fact. */
async function read(bytes: Buffer): Promise<Reading> {
  const expected = { product: product.name, stamp: made_stamp };
  const { geometry, cells, sizes, covered, uncovered, no_hail, smaller_hail } = await decodeGranule(
    bytes,
    expected,
    min_grid_size_tenths_mm,
  );
  const fact: GridFact = {
    ...expected,
    ...{ began_at: made_stamp - product.span_ms, ended_at: made_stamp, geometry },
    ...{ cells: deltaCoded([...cells]), sizes: [...sizes], dropped: [], covered, uncovered, provenance },
  };
  const problem = gridProblem(fact, granuleId(fact));
  const problems = problem === null ? [] : [`${problem}: ${JSON.stringify(fact).slice(0, 500)}`];
  // Held against the cells once more, by what shares nothing with the check above.
  const count = geometry.rows * geometry.columns;
  if (!cells.every((cell, at) => cell < count && cell > (cells[at - 1] ?? -1)))
    problems.push('a cell is nowhere');
  if (sizes.length !== cells.length || !sizes.every((size) => size >= 127 && size <= 3_048))
    problems.push('a size that no hailstone has');
  if (no_hail + smaller_hail + cells.length !== covered || covered + uncovered !== count)
    problems.push('the counts are not those of the cells');
  const { west, south, east, north } = gridBounds(geometry);
  if (!(west < east && south < north && north <= 95 && south >= -95 && west >= -185 && east <= 185))
    problems.push(`bounds off the globe: ${west} ${south} ${east} ${north}`);
  return { records: cells.length, problems };
}

/** Where the sections before the data begin and how long they are, in every message of the mosaic. */
const sections = [
  { at: 16, length: 21, number: 1 },
  { at: 37, length: 72, number: 3 },
  { at: 109, length: 34, number: 4 },
  { at: 143, length: 21, number: 5 },
  { at: 164, length: 6, number: 6 },
];
const data_at = 170;

/** The lengths and numbers that hold a message together and the checksums of the picture's pieces, made to hold again. */
function mend(text: string): string {
  const bytes = Buffer.from(text, 'latin1');
  const end = bytes.length - 4;
  if (!text.startsWith('GRIB') || end < data_at + 5) return text;
  bytes.writeBigUInt64BE(BigInt(bytes.length), 8);
  bytes.write('7777', end, 'latin1');
  for (const { at, length, number } of [...sections, { at: data_at, length: end - data_at, number: 7 }]) {
    bytes.writeUInt32BE(length, at);
    bytes.writeUInt8(number, at + 4);
  }
  mendPicture(bytes.subarray(data_at + 5, end));
  return bytes.toString('latin1');
}

function mendPicture(png: Buffer): void {
  for (let at = 8; png.length - at >= 12;) {
    const length = Math.min(png.readUInt32BE(at), png.length - at - 12);
    png.writeUInt32BE(length, at);
    png.writeUInt32BE(crc32(png.subarray(at + 4, at + 8 + length)), at + 8 + length);
    at += 12 + length;
  }
}
