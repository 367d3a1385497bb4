import type { GridGeometry } from '../../hail/grid.ts';
import { gunzipBounded } from './grib2/inflate.ts';
import { readMessage, type GribMessage } from './grib2/message.ts';
import { GranuleRefused } from './grib2/refused.ts';
import { readRows } from './grib2/rows.ts';
import { createMeshCollector, type MeshCells } from './mesh-cells.ts';
import { mesh_products, type MeshProduct } from './products.ts';

/** Twelve times the largest object seen; a message is never larger than this, compressed or not. */
export const max_message_bytes = 16 * 1024 * 1024;

/** What the key of an object says that is in it. */
export interface ExpectedGranule {
  product: MeshProduct['name'];
  /** Epoch milliseconds UTC. */
  stamp: number;
}

export interface DecodedGranule extends MeshCells {
  geometry: GridGeometry;
}

/**
 * Decodes an object of the mosaic's bucket, gzipped or not, into its hail. Refuses, with `GranuleRefused`, whatever is not exactly one
 * whole message of the expected product and time: nothing is guessed, and nothing of a refused granule is given out.
 */
export async function decodeGranule(
  bytes: Buffer,
  expected: ExpectedGranule,
  threshold_tenths_mm: number,
): Promise<DecodedGranule> {
  const message = readMessage(await messageBytes(bytes));
  const product = mesh_products[expected.product];
  requireExpected(message, product, expected.stamp);
  const collector = createMeshCollector(message, product, threshold_tenths_mm);
  await readRows(message, collector.onRow);
  return { geometry: message.geometry, ...collector.finish() };
}

/** The message of an object: objects are gzipped, and some copies of them are not. */
export async function messageBytes(bytes: Buffer): Promise<Buffer> {
  if (bytes.length > max_message_bytes)
    throw new GranuleRefused('too-large', `The object has more than ${max_message_bytes} bytes.`);
  return bytes[0] === 0x1f && bytes[1] === 0x8b ? await gunzipBounded(bytes, max_message_bytes) : bytes;
}

/** A granule under another one's key would put another hour's hail, or no hail at all, in its place. */
function requireExpected(message: GribMessage, product: MeshProduct, stamp: number): void {
  const parameterOf = ({
    discipline,
    category,
    number,
  }: Pick<MeshProduct, 'discipline' | 'category' | 'number'>) => `${discipline}/${category}/${number}`;
  const found = parameterOf(message);
  if (found !== parameterOf(product)) {
    const is_known = Object.values(mesh_products).some((known) => parameterOf(known) === found);
    throw is_known
      ? new GranuleRefused('other-product', 'The message holds another product than its key says.')
      : new GranuleRefused('unknown-product', `The message holds the unknown parameter ${found}.`);
  }
  if (message.reference_ms !== stamp)
    throw new GranuleRefused('other-time', 'The message has another reference time than its key says.');
}
