import { crc32 } from 'node:zlib';
import { GranuleRefused } from './refused.ts';

const signature = '89504e470d0a1a0a';
/** Samples of a cell by colour type: grey, RGB, RGBA. Palettes and grey with alpha are never written. */
const channels_of: Readonly<Record<number, number>> = { 0: 1, 2: 3, 6: 4 };

export interface Picture {
  columns: number;
  rows: number;
  /** Bytes of one cell: depth times channels. */
  cell_bytes: number;
  /** The compressed pieces, in order, views of the picture. */
  pieces: Buffer[];
}

/** Reads the chunks of a PNG picture, each against its checksum. Unknown chunks that are marked as not needed are passed over. */
export function readPicture(png: Buffer): Picture {
  if (png.toString('hex', 0, 8) !== signature)
    throw new GranuleRefused('png-signature', 'The data section does not begin as a PNG picture.');
  let header: Omit<Picture, 'pieces'> | null = null;
  const pieces: Buffer[] = [];
  let is_after_data = false;
  for (const { type, body, ends_at } of chunksOf(png)) {
    if (header === null) {
      if (type !== 'IHDR')
        throw new GranuleRefused('png-chunks', 'The picture does not begin with its header.');
      header = readHeader(body);
    } else if (type === 'IDAT') {
      if (is_after_data)
        throw new GranuleRefused('png-chunks', 'The data of the picture stands in two places.');
      pieces.push(body);
    } else if (type === 'IEND') {
      if (pieces.length === 0 || body.length > 0 || ends_at !== png.length)
        throw new GranuleRefused('png-chunks', 'The picture has no data, or more follows its end.');
      return { ...header, pieces };
    } else {
      is_after_data = pieces.length > 0;
      // A capital first letter means that the picture cannot be understood without the chunk.
      if (/^[A-Z]/.test(type))
        throw new GranuleRefused('png-chunks', 'The picture needs a chunk that is not known.');
    }
  }
  throw new GranuleRefused('png-chunks', 'The picture ends without its end.');
}

function* chunksOf(png: Buffer): Generator<{ type: string; body: Buffer; ends_at: number }> {
  for (let at = 8; at < png.length;) {
    const length = png.length - at < 12 ? Infinity : png.readUInt32BE(at);
    if (length > png.length - at - 12)
      throw new GranuleRefused('png-chunks', 'A chunk reaches beyond the picture.');
    const ends_at = at + 12 + length;
    if (crc32(png.subarray(at + 4, ends_at - 4)) !== png.readUInt32BE(ends_at - 4))
      throw new GranuleRefused('png-checksum', 'A chunk does not agree with its checksum.');
    yield {
      type: png.toString('latin1', at + 4, at + 8),
      body: png.subarray(at + 8, ends_at - 4),
      ends_at,
    };
    at = ends_at;
  }
}

function readHeader(body: Buffer): Omit<Picture, 'pieces'> {
  if (body.length !== 13) throw new GranuleRefused('png-chunks', 'The header of the picture is not whole.');
  const [depth, colour, compression, filter, interlace] = body.subarray(8);
  if (interlace !== 0) throw new GranuleRefused('png-interlace', 'The picture is interlaced.');
  if (compression !== 0 || filter !== 0)
    throw new GranuleRefused('png-method', 'The picture is compressed or filtered by an unknown method.');
  const channels = channels_of[colour ?? -1];
  const is_depth = depth === 8 || (depth === 16 && channels === 1);
  if (channels === undefined || !is_depth)
    throw new GranuleRefused(
      'png-depth',
      'The cells of the picture are not grey of 8 or 16 bits, RGB or RGBA of 8.',
    );
  return {
    columns: body.readUInt32BE(0),
    rows: body.readUInt32BE(4),
    cell_bytes: (depth / 8) * channels,
  };
}
