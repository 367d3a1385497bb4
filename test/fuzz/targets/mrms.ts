import { crc32 } from 'node:zlib';
import { encodeGranule, granuleParts, joinGranule } from '../../../infra/sandbox/mrms/encode-granule.ts';
import { decodeGranule } from '../../../services/feeds/mrms/decode.ts';
import { GranuleRefused } from '../../../services/feeds/mrms/grib2/refused.ts';
import { parseListing } from '../../../services/feeds/mrms/listing.ts';
import { min_grid_size_tenths_mm } from '../../../services/hail/grid.ts';
import type { FuzzTarget } from '../target.ts';

const stamp = Date.parse('2026-06-10T21:00:00Z');
const made = {
  parameter_number: 30,
  reference_ms: stamp,
  geometry: { rows: 6, columns: 8, first_lat: 35, first_lon: -98, step_deg: 0.01 },
  cells: [
    { index: 9, size_tenths_mm: 127 },
    { index: 10, size_tenths_mm: 508 },
    { index: 47, size_tenths_mm: 60 },
  ],
};

/** Granules. NOT REAL: a grid of a few cells in the publisher's form, since a real one takes a third of a second to read. */
export const granules: FuzzTarget = {
  name: 'mrms',
  seeds: () => [
    joinGranule(granuleParts(made)),
    joinGranule(granuleParts({ ...made, bits: 8, cells: [] })),
    encodeGranule(made),
  ],
  mend: (text) => mended(Buffer.from(text, 'latin1')).toString('latin1'),
  refusalOf: (error) => (error instanceof GranuleRefused ? error.reason : null),
  run: async (bytes) => {
    const { cells, sizes, geometry } = await decodeGranule(
      bytes,
      { product: 'MESH_Max_60min', stamp },
      min_grid_size_tenths_mm,
    );
    const all = geometry.rows * geometry.columns;
    const problems = cells.length === sizes.length ? [] : ['cells and sizes are not side by side'];
    for (const [n, cell] of cells.entries()) {
      const is_inside = cell >= 0 && cell < all && cell > (cells[n - 1] ?? -1);
      // Twelve inches are 3,048 tenths of a millimetre.
      const is_size = (sizes[n] ?? 0) >= 127 && (sizes[n] ?? 0) <= 3_048;
      if (!is_inside || !is_size) problems.push(`no cell of the grid: ${cell} of ${all}, ${sizes[n]}`);
    }
    return { records: cells.length, problems };
  },
};

/** The message's length, its end and the checksums of its picture made right again, where it has them. */
function mended(bytes: Buffer): Buffer {
  if (bytes.length < 20 || bytes.toString('latin1', 0, 4) !== 'GRIB') return bytes;
  const message = Buffer.from(bytes);
  message.writeBigUInt64BE(BigInt(message.length), 8);
  message.write('7777', message.length - 4, 'latin1');
  const picture = message.indexOf('\x89PNG', 0, 'latin1');
  for (let at = picture < 0 ? message.length : picture + 8; at + 12 <= message.length;) {
    const end = at + 8 + message.readUInt32BE(at);
    if (end + 4 > message.length) break;
    message.writeUInt32BE(crc32(message.subarray(at + 4, end)), end);
    at = end + 4;
  }
  return message;
}

/** Pages of the bucket's listing, in the form that S3 writes. */
export const granuleListing: FuzzTarget = {
  name: 'mrms-listing',
  seeds: () => {
    const keys = ['200000', '210000', '220000'].map(
      (time) => `CONUS/MESH_Max_60min_00.50/20260610/MRMS_MESH_Max_60min_00.50_20260610-${time}.grib2.gz`,
    );
    const entries = keys.map(
      (key) =>
        `<Contents><Key>${key}</Key><LastModified>2026-06-10T22:01:30.000Z</LastModified><ETag>&quot;0&quot;</ETag><Size>81601</Size><StorageClass>STANDARD</StorageClass></Contents>`,
    );
    const head =
      '<Name>noaa-mrms-pds</Name><Prefix>CONUS/MESH_Max_60min_00.50/20260610/</Prefix><KeyCount>3</KeyCount><MaxKeys>1000</MaxKeys><IsTruncated>false</IsTruncated>';
    return [
      Buffer.from(
        `<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${head}\n${entries.join('\n')}\n</ListBucketResult>`,
      ),
    ];
  },
  run: (bytes) => {
    const prefix = 'CONUS/MESH_Max_60min_00.50/20260610/';
    const { objects } = parseListing(bytes.toString('utf8'), prefix);
    const problems = objects
      .filter(({ key, last_modified }) => !key.startsWith(prefix) || Number.isNaN(Date.parse(last_modified)))
      .map((object) => `no object of the listing: ${JSON.stringify(object)}`);
    return { records: objects.length, problems };
  },
};
