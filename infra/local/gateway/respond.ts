import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, constants, deflate, gzip, zstdCompress } from 'node:zlib';
import type { Answer } from './engine.ts';
import type { EngineError } from './errors.ts';

const encoders: Readonly<Record<string, (bytes: Buffer) => Promise<Buffer>>> = {
  zstd: promisify(zstdCompress),
  // The default quality is for files that are written once; it takes seconds for a few megabytes.
  br: (bytes) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } }),
  gzip: (bytes) => promisify(gzip)(bytes, { level: 1 }),
  deflate: promisify(deflate),
};

/** Sends a whole answer; compressed where the request asked for it and accepts an encoding we have. */
export async function respondWithAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  options: { query_id: string; format: string; compress: boolean },
  answer: Answer,
): Promise<void> {
  const encoding = options.compress ? acceptedEncoding(request.headers['accept-encoding']) : null;
  const bytes = encoding === null ? answer.bytes : await encoding.encode(answer.bytes);
  if (response.destroyed) return;
  response.writeHead(200, {
    ...commonHeaders(options.query_id),
    'Content-Type': contentType(options.format),
    'Content-Length': bytes.length,
    'X-ClickHouse-Format': options.format,
    'X-ClickHouse-Summary': summary(answer),
    ...(encoding === null ? {} : { 'Content-Encoding': encoding.name }),
  });
  response.end(bytes);
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
    // A header holds visible ASCII only; an id with anything else would end the process in the middle of an answer.
    'X-ClickHouse-Query-Id': query_id.replace(/[^\x20-\x7e]/g, '?'),
    'X-ClickHouse-Server-Display-Name': 'hailmark-local',
    'X-ClickHouse-Timezone': 'UTC',
  };
}

/** Numbers are strings here, as a server writes them. JDBC takes an answer without `result_rows` for an empty one. */
function summary({ result_rows, result_bytes, written_rows, written_bytes }: Answer): string {
  return JSON.stringify({
    result_rows: String(result_rows),
    result_bytes: String(result_bytes),
    written_rows: String(written_rows),
    written_bytes: String(written_bytes),
  });
}

function acceptedEncoding(
  accepted: string | string[] | undefined,
): { name: string; encode: (bytes: Buffer) => Promise<Buffer> } | null {
  const names = String(accepted ?? '')
    .split(',')
    .map((name) => name.split(';')[0]?.trim());
  for (const [name, encode] of Object.entries(encoders)) {
    if (names.includes(name)) return { name, encode };
  }
  return null;
}

function contentType(format: string): string {
  if (format.startsWith('JSON')) return 'application/json; charset=UTF-8';
  if (format.startsWith('CSV')) return 'text/csv; charset=UTF-8';
  if (format.startsWith('TabSeparated') || format.startsWith('TSV'))
    return 'text/tab-separated-values; charset=UTF-8';
  if (format.startsWith('Pretty') || format.startsWith('Vertical')) return 'text/plain; charset=UTF-8';
  return 'application/octet-stream';
}
