import { createGunzip, createInflate, type Gunzip, type Inflate } from 'node:zlib';
import { GranuleRefused, type GranuleRefusal } from './refused.ts';

/** Of one piece of output: small, because several are alive at a time. */
const chunk_bytes = 64 * 1024;

/**
 * The whole plain body of a gzip object, of at most `max_bytes`. Reading stops at the cap: a body of zeros inflates a thousandfold.
 */
export async function gunzipBounded(bytes: Buffer, max_bytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  await pass(createGunzip({ chunkSize: chunk_bytes }), [bytes], 'bad-gzip', (chunk) => {
    size += chunk.length;
    if (size > max_bytes)
      throw new GranuleRefused('too-large', `The object holds more than ${max_bytes} bytes.`);
    chunks.push(chunk);
  });
  return Buffer.concat(chunks, size);
}

/** Inflates zlib pieces, chunk by chunk; the checksum at their end is verified before this resolves. */
export function inflatePieces(pieces: readonly Buffer[], onChunk: (chunk: Buffer) => void): Promise<void> {
  return pass(createInflate({ chunkSize: chunk_bytes }), pieces, 'inflate', onChunk);
}

function pass(
  stream: Gunzip | Inflate,
  pieces: readonly Buffer[],
  reason: GranuleRefusal,
  onChunk: (chunk: Buffer) => void,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<undefined>();
  const given = pieces.reduce((sum, piece) => sum + piece.length, 0);
  stream.on('data', (chunk: Buffer) => {
    try {
      onChunk(chunk);
    } catch (error) {
      stream.removeAllListeners('data');
      stream.destroy();
      reject(error);
    }
  });
  stream.once('error', (cause) => {
    reject(new GranuleRefused(reason, 'The compressed bytes are damaged or cut.', { cause }));
  });
  stream.once('end', () => {
    // The library passes over what follows the end of the compressed bytes; here it means that these are not what they say.
    if (stream.bytesWritten === given) resolve(undefined);
    else reject(new GranuleRefused(reason, 'More follows the end of the compressed bytes.'));
  });
  for (const piece of pieces) stream.write(piece);
  stream.end();
  return promise;
}
