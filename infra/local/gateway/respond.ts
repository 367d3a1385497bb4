import type { IncomingMessage, ServerResponse } from 'node:http';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Transform } from 'node:stream';
import { createDeflate, createGzip, createZstdCompress, createBrotliCompress } from 'node:zlib';
import type { Blocks } from './engine.ts';
import { asEngineError, type EngineError } from './errors.ts';

/** Sends the blocks as they come; the headers wait for the first one, so that an early error still has its own status. */
export async function respondWithBlocks(
  request: IncomingMessage,
  response: ServerResponse,
  options: { query_id: string; format: string; compress: boolean },
  blocks: Blocks,
): Promise<void> {
  const iterator = blocks[Symbol.asyncIterator]();
  let next = await iterator.next();
  const tag = randomUUID().replaceAll('-', '').slice(0, 16);
  const encoder = options.compress ? encoderFor(request.headers['accept-encoding']) : null;
  response.writeHead(200, {
    ...commonHeaders(options.query_id),
    'Content-Type': contentType(options.format),
    'X-ClickHouse-Format': options.format,
    'X-ClickHouse-Exception-Tag': tag,
    'X-ClickHouse-Summary': JSON.stringify({
      read_rows: '0',
      read_bytes: '0',
      written_rows: '0',
      written_bytes: '0',
    }),
    ...(encoder === null ? {} : { 'Content-Encoding': encoder.name }),
  });
  encoder?.stream.pipe(response);
  const sink = encoder?.stream ?? response;
  const gone = once(response, 'close');
  try {
    while (next.done !== true) {
      if (response.destroyed) return;
      if (!sink.write(next.value)) await Promise.race([once(sink, 'drain'), gone]);
      next = await iterator.next();
    }
  } catch (error) {
    sink.write(lateException(asEngineError(error), tag));
  } finally {
    // Ends the engine's stream too where the client has gone.
    await iterator.return?.();
  }
  sink.end();
  if (!response.writableFinished && !response.destroyed)
    await Promise.race([once(response, 'finish'), once(response, 'close')]);
}

export function respondWithError(response: ServerResponse, query_id: string, error: EngineError): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const body = Buffer.from(`${error.message}\n`);
  response.writeHead(error.status, {
    ...commonHeaders(query_id),
    'Content-Type': 'text/plain; charset=UTF-8',
    'Content-Length': body.length,
    'X-ClickHouse-Exception-Code': String(error.code),
  });
  response.end(body);
}

function commonHeaders(query_id: string): Record<string, string> {
  return {
    'X-ClickHouse-Query-Id': query_id,
    'X-ClickHouse-Server-Display-Name': 'hailmark-local',
    'X-ClickHouse-Timezone': 'UTC',
  };
}

/** An exception after the first byte, in the form ClickHouse has used since 25.11. */
function lateException(error: EngineError, tag: string): string {
  const text = `${error.message}\n`;
  return `\r\n__exception__\r\n${tag}\r\n${text}${Buffer.byteLength(text)} ${tag}\r\n__exception__\r\n`;
}

function encoderFor(accepted: string | string[] | undefined): { name: string; stream: Transform } | null {
  const names = String(accepted ?? '')
    .split(',')
    .map((name) => name.split(';')[0]?.trim());
  if (names.includes('zstd')) return { name: 'zstd', stream: createZstdCompress() };
  if (names.includes('br')) return { name: 'br', stream: createBrotliCompress() };
  if (names.includes('gzip')) return { name: 'gzip', stream: createGzip({ level: 1 }) };
  if (names.includes('deflate')) return { name: 'deflate', stream: createDeflate() };
  return null;
}

function contentType(format: string): string {
  if (format.startsWith('JSON')) return 'application/json; charset=UTF-8';
  if (format.startsWith('CSV')) return 'text/csv; charset=UTF-8';
  if (format.startsWith('TabSeparated') || format.startsWith('TSV'))
    return 'text/tab-separated-values; charset=UTF-8';
  if (format === 'Pretty' || format.startsWith('Vertical')) return 'text/plain; charset=UTF-8';
  return 'application/octet-stream';
}
