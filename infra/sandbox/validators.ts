import { createHash } from 'node:crypto';
import type { SandboxRequest, SandboxResponse } from './handler.ts';

/**
 * Gives a full answer its validators, and answers 304 without a body to a reader that has it. As RFC 9110 says, `If-None-Match` wins over
 * `If-Modified-Since`. `etag` is quoted; by default a hash of the body. Answers other than 200 pass unchanged.
 */
export function validated(
  { headers }: Pick<SandboxRequest, 'headers'>,
  response: SandboxResponse,
  { etag = etagOf(response.body), modified_ms }: { etag?: string; modified_ms?: number } = {},
): SandboxResponse {
  if (response.status !== 200) return response;
  const validators: Record<string, string> = { ETag: etag };
  if (modified_ms !== undefined) validators['Last-Modified'] = new Date(modified_ms).toUTCString();
  const unchanged = isKnown(headers['if-none-match'], headers['if-modified-since'], etag, modified_ms);
  return unchanged
    ? { status: 304, headers: validators, body: Buffer.alloc(0) }
    : { ...response, headers: { ...response.headers, ...validators } };
}

function isKnown(
  none_match: string | undefined,
  modified_since: string | undefined,
  etag: string,
  modified_ms: number | undefined,
): boolean {
  if (none_match !== undefined) {
    const known = none_match.split(',').map((each) => each.trim().replace(/^W\//, ''));
    return known.includes(etag) || known.includes('*');
  }
  if (modified_since === undefined || modified_ms === undefined) return false;
  // The header has whole seconds.
  return Math.floor(modified_ms / 1000) * 1000 <= Date.parse(modified_since);
}

function etagOf(body: Buffer): string {
  return `"${createHash('sha256').update(body).digest('hex').slice(0, 16)}"`;
}
