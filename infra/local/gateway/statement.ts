import type { IncomingMessage } from 'node:http';
import type { LaneName, Statement } from './engine.ts';
import { EngineError } from './errors.ts';
import { insertHead } from './insert.ts';
import { multipartFields } from './multipart.ts';
import { checkPeopleSetting, people_limits } from './people.ts';
import { depthChange, keyword, tokensOf, type Token } from './tokens.ts';

export interface Question {
  lane: LaneName;
  query_id: string | null;
  compress: boolean;
  statement: Statement;
}

/** URL parameters of ClickHouse's HTTP interface that are no settings. */
const interface_parameters = new Set([
  'query',
  'database',
  'default_format',
  'query_id',
  'user',
  'password',
  'session_timeout',
  'session_check',
  'quota_key',
  'client_protocol_version',
  'enable_http_compression',
  'wait_end_of_query',
  'buffer_size',
  'http_write_exception_in_output_format',
  'send_progress_in_http_headers',
  'http_headers_progress_interval_ms',
  'cancel_http_readonly_queries_on_client_close',
  'stacktrace',
]);

/** What would be answered differently if it were ignored, and is therefore refused. `0` and empty mean absent. */
const refused_parameters: ReadonlyMap<string, string> = new Map([
  [
    'session_id',
    'Sessions are not kept here: leave session_id out (clickhouse-connect: autogenerate_session_id=False), ' +
      'or name a user: every name but default is a person, who may send one.',
  ],
  ['role', 'There are no roles here: leave role out.'],
  ['compress', "ClickHouse's own block compression is not spoken here: use enable_http_compression."],
  ['decompress', "ClickHouse's own block compression is not spoken here: use Content-Encoding."],
]);

/**
 * What a session keeps for its next request is settings and temporary tables, and a person may make neither: without a session people are
 * answered the same. Python's clickhouse-connect names one unless told otherwise.
 */
const idle_for_people = new Set(['session_id']);

/** How much of a body is searched for the end of an INSERT's head. */
const max_head_bytes = 1024 * 1024;

/**
 * Reads one HTTP request as ClickHouse would: the statement from `query` and the body, joined by a line end; every unknown URL parameter is
 * a setting; `param_x` binds `{x:Type}`. The user `default` is a service; every other name is a person, who reads only.
 */
export function readQuestion(request: IncomingMessage, query: URLSearchParams, body: Buffer): Question {
  const fields = multipartFields(request.headers['content-type'], body);
  const parameters = new URLSearchParams(query);
  for (const [name, value] of fields ?? []) parameters.append(name, value);

  const lane: LaneName = userOf(request, parameters) === 'default' ? 'services' : 'people';
  const settings: [string, string][] = [];
  const bound: [string, string][] = [];
  for (const [name, value] of parameters) {
    const refusal = refused_parameters.get(name);
    if (name.startsWith('param_')) bound.push([name.slice('param_'.length), value]);
    else if (lane === 'people' && idle_for_people.has(name)) continue;
    else if (refusal === undefined) {
      if (!interface_parameters.has(name)) settings.push([name, value]);
    } else if (value !== '' && value !== '0') throw new EngineError(48, `${refusal} (NOT_IMPLEMENTED)`);
  }
  if (lane === 'people') settings.forEach(([name, value]) => checkPeopleSetting(name, value));

  const { sql, insert, format } = statementOf(
    parameters.get('query') ?? '',
    fields === null ? body : Buffer.alloc(0),
  );
  return {
    lane,
    query_id: parameters.get('query_id') ?? headerOf(request, 'x-clickhouse-query-id'),
    compress: parameters.get('enable_http_compression') === '1',
    statement: {
      sql,
      insert,
      database: parameters.get('database') ?? headerOf(request, 'x-clickhouse-database'),
      settings: lane === 'people' ? [...people_limits, ...settings] : settings,
      parameters: bound,
      readonly: lane === 'people' ? 1 : request.method === 'GET' || request.method === 'HEAD' ? 2 : 0,
      format:
        format ??
        headerOf(request, 'x-clickhouse-format') ??
        parameters.get('default_format') ??
        'TabSeparated',
    },
  };
}

/** The data of an insert stay bytes, since they may be of any format; everything else is text. */
function statementOf(
  query: string,
  body: Buffer,
): { sql: string; insert: Statement['insert']; format: string | null } {
  const whole = joined(Buffer.from(query), body);
  if (whole.length === 0) throw new EngineError(62, 'Empty query. (SYNTAX_ERROR)');
  const head = insertHead(whole.subarray(0, max_head_bytes).toString('latin1'));
  if (head === null) {
    const sql = whole.toString('utf8');
    return { sql, insert: null, format: checkedFormat(sql) };
  }
  const { target, settings, format, data_at } = head;
  return {
    sql: utf8(target),
    insert: { settings: utf8(settings), format, data: whole.subarray(data_at) },
    format: null,
  };
}

function joined(query: Buffer, body: Buffer): Buffer {
  if (body.length === 0) return query;
  return query.length === 0 ? body : Buffer.concat([query, Buffer.from('\n'), body]);
}

/**
 * The format that a statement names, or null. Refuses a second statement, which the engine's library would run, and a server would not;
 * and `INTO OUTFILE`, which it would write.
 */
function checkedFormat(sql: string): string | null {
  let depth = 0;
  let ended = false;
  let format: string | null = null;
  // The last three tokens: `FORMAT x` counts where the statement ends after it, or goes on with its settings.
  let before: Token | undefined;
  let last: Token | undefined;
  for (const token of tokensOf(sql)) {
    if (ended && token.text !== ';') {
      throw new EngineError(62, 'Syntax error (Multi-statements are not allowed). (SYNTAX_ERROR)');
    }
    ended = token.kind === 'mark' && token.text === ';';
    if (keyword(last) === 'INTO' && keyword(token) === 'OUTFILE') {
      throw new EngineError(358, 'INTO OUTFILE is not allowed. (INTO_OUTFILE_NOT_ALLOWED)');
    }
    if (depth === 0 && (ended || keyword(token) === 'SETTINGS')) format ??= formatNamed(before, last);
    depth += depthChange(token);
    if (ended && last?.text === ';') continue;
    [before, last] = [last, token];
  }
  return format ?? formatNamed(before, last);
}

function formatNamed(before: Token | undefined, last: Token | undefined): string | null {
  return keyword(before) === 'FORMAT' && last?.kind === 'word' ? last.text : null;
}

function utf8(latin1: string): string {
  return Buffer.from(latin1, 'latin1').toString('utf8');
}

function userOf(request: IncomingMessage, parameters: URLSearchParams): string {
  const { authorization } = request.headers;
  const basic = authorization?.startsWith('Basic ') === true ? authorization.slice('Basic '.length) : null;
  const named =
    basic === null
      ? (headerOf(request, 'x-clickhouse-user') ?? parameters.get('user') ?? '')
      : (Buffer.from(basic, 'base64').toString('utf8').split(':')[0] ?? '');
  return named === '' ? 'default' : named;
}

function headerOf(request: IncomingMessage, name: string): string | null {
  const value = request.headers[name];
  return typeof value === 'string' && value !== '' ? value : null;
}
