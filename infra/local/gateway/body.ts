import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { Writable, type Transform } from 'node:stream';
import { EngineError } from './errors.ts';

/** The whole body, inflated; refused past `max_bytes` of either form, so that no request can take the process's memory. */
export async function readBody(request: IncomingMessage, max_bytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  const collect = new Writable({
    write(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      if (size > max_bytes) {
        done(new EngineError(307, `The request is larger than ${max_bytes} bytes. (TOO_MANY_BYTES)`, 413));
        return;
      }
      chunks.push(chunk);
      done();
    },
  });
  const decoder = decoderFor(request.headers['content-encoding']);
  try {
    if (decoder === null) await pipeline(request, collect);
    else await pipeline(request, decoder, collect);
  } catch (error) {
    if (error instanceof EngineError) throw error;
    throw new EngineError(354, 'The request body cannot be read. (ZLIB_INFLATE_FAILED)', 400);
  }
  return Buffer.concat(chunks, size);
}

function decoderFor(encoding: string | undefined): Transform | null {
  switch (encoding) {
    case undefined:
    case 'identity':
      return null;
    case 'gzip':
      return createGunzip();
    case 'deflate':
      return createInflate();
    case 'br':
      return createBrotliDecompress();
    case 'zstd':
      return createZstdDecompress();
    default:
      throw new EngineError(
        48,
        `The Content-Encoding ${encoding.replace(/[^\w-]/g, '?')} of the request is not read here: gzip, deflate, br or zstd are ` +
          "(clickhouse-connect: compress='zstd'). (NOT_IMPLEMENTED)",
        501,
      );
  }
}
