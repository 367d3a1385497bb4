import type { IncomingHttpHeaders } from 'node:http';

export interface SandboxRequest {
  url: URL;
  headers: IncomingHttpHeaders;
}

export interface SandboxResponse {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

/** A recorded publisher: a pure function of the request that answers what is at its paths, and null for all others. */
export type Handler = (request: SandboxRequest) => SandboxResponse | null;

export function textResponse(status: number, content_type: string, body: string): SandboxResponse {
  return { status, headers: { 'Content-Type': content_type }, body: Buffer.from(body) };
}
