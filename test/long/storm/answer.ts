import { readFileSync } from 'node:fs';
import { request, type IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { misfits, resolve, type Json } from './json-schema.ts';
import type { StormQuestion } from './questions.ts';

/** As `services/api/main.ts` has it: no request may take longer. */
const deadline_ms = 25_000;
/** For a machine with less processors than busy programs. This is the one place where a clock is right: it says "did not hang". */
const slack_ms = 10_000;

const document = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../schemas/openapi.json'), 'utf8'),
) as Json;

export interface StormAnswer {
  question: StormQuestion;
  status: number;
  /** `X-Request-Id`. */
  request_id: string;
  /** A live key was let in: its limits stand in the headers, and its use is to be counted. */
  counted: boolean;
  took_ms: number;
  /** When its last byte came, by `performance.now()`. */
  at: number;
  /** What about it is not as the contract says. */
  wrong: string[];
}

/** No answer came: the connection was refused or cut, or the time was up. */
export interface NoAnswer {
  question: StormQuestion;
  reason: string;
}

/** Asks on a connection of its own, so that what ends one request cannot end another. */
export async function ask(base_url: string, question: StormQuestion): Promise<StormAnswer | NoAnswer> {
  const began = performance.now();
  try {
    const { status, headers, text } = await get(`${base_url}${question.path}`, question.headers);
    const at = performance.now();
    return {
      question,
      status,
      request_id: String(headers['x-request-id']),
      counted: headers['ratelimit'] !== undefined,
      took_ms: at - began,
      at,
      wrong: misshapen(question, status, headers, text),
    };
  } catch (error) {
    const is_late = performance.now() - began >= deadline_ms + slack_ms;
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    return { question, reason: is_late ? 'hung past its deadline' : code };
  }
}

function get(
  url: string,
  headers: Record<string, string>,
): Promise<{ status: number; headers: IncomingHttpHeaders; text: string }> {
  return new Promise((done, fail) => {
    const signal = AbortSignal.timeout(deadline_ms + slack_ms);
    request(url, { headers, agent: false, signal }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (more: string) => void (text += more));
      response.on('error', fail);
      response.on('end', () => done({ status: response.statusCode ?? 0, headers: response.headers, text }));
    })
      .on('error', fail)
      .end();
  });
}

/** The schema of the status at the operation, and what the contract says of every answer's headers. */
function misshapen(
  question: StormQuestion,
  status: number,
  headers: IncomingHttpHeaders,
  text: string,
): string[] {
  const wrong: string[] = [];
  const hold = (holds: boolean, what: string): void => {
    if (!holds) wrong.push(what);
  };
  const schema = schemaOf(question.operation, status);
  if (schema === null) return [`${status} is not declared`];
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return [`${status} is not JSON`];
  }
  wrong.push(...misfits(document, schema, body));
  hold(/^[\w.-]{8,64}$/.test(String(headers['x-request-id'])), 'X-Request-Id');
  hold(headers['cache-control'] === 'private, no-store', 'Cache-Control');
  hold(/^application\/json/.test(headers['content-type'] ?? ''), 'Content-Type');
  hold((headers['retry-after'] !== undefined) === (status === 429 || status === 503), 'Retry-After');
  const { meta, error, retry_after } = body as {
    meta?: { request_id?: string };
    error?: { request_id?: string; detail?: { retry_after_seconds?: number } };
    retry_after?: number;
  };
  if (question.operation !== 'lookup') {
    hold((meta ?? error)?.request_id === headers['x-request-id'], 'request_id');
  }
  if (status === 429) {
    const seconds = retry_after ?? error?.detail?.retry_after_seconds;
    hold(String(seconds) === headers['retry-after'], 'Retry-After beside the body');
  }
  return wrong;
}

function schemaOf(operation: StormQuestion['operation'], status: number): Json | null {
  const path = operation === 'lookup' ? '/lookup' : `/property/${operation}`;
  const { responses } = (document as unknown as Paths).paths[path]?.get ?? { responses: {} };
  const declared = responses[String(status)];
  if (declared === undefined) return null;
  const response = (declared.$ref === undefined ? declared : resolve(document, declared.$ref)) as Declared;
  return response.content?.['application/json'].schema ?? null;
}

interface Declared {
  $ref?: string;
  content?: { 'application/json': { schema: Json } };
}

interface Paths {
  paths: Record<string, { get: { responses: Record<string, Declared> } }>;
}
