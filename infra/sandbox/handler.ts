import type { IncomingHttpHeaders } from 'node:http';

export interface SandboxRequest {
  url: URL;
  headers: IncomingHttpHeaders;
  /** The sandbox's time, epoch milliseconds UTC: publishers that name things by the day answer by it. */
  now_ms: number;
  /** True while the publisher's listing is to lack its newest file. Publishers without a listing never see it true. */
  without_newest: boolean;
}

export interface SandboxResponse {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

/** A recorded publisher: a pure function of the request and its time that answers what is at its paths, and null for all others. */
export type Handler = (request: SandboxRequest) => SandboxResponse | null;

export function textResponse(status: number, content_type: string, body: string): SandboxResponse {
  return { status, headers: { 'Content-Type': content_type }, body: Buffer.from(body) };
}

/** Says in a header that what is answered was made here, and how, so that nobody takes it for the publisher's. */
export function notReal(response: SandboxResponse, how: string): SandboxResponse {
  return { ...response, headers: { ...response.headers, 'X-Sandbox-Not-Real': how } };
}
