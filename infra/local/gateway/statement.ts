import type { IncomingMessage } from 'node:http';
import type { LaneName, Statement } from './engine.ts';
import { EngineError } from './errors.ts';
import { multipartFields } from './multipart.ts';

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
  'role',
  'compress',
  'decompress',
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

/** Formats whose blocks stand by themselves, so that an answer may be sent as the engine makes it. */
const streamable = new Set([
  'JSONEachRow',
  'JSONStringsEachRow',
  'JSONCompactEachRow',
  'JSONCompactStringsEachRow',
  'TabSeparated',
  'TSV',
  'TabSeparatedRaw',
  'TSVRaw',
  'CSV',
  'RowBinary',
  'Native',
  'Values',
  'LineAsString',
]);

/** Limits that hold for people at the keyboard and that their own requests may not touch. */
const fixed_for_people = /^(max_|min_|readonly$|allow_|.*_overflow_mode$|timeout_|priority$|constraint)/;
const people_settings: readonly [string, string][] = [
  ['max_execution_time', '30'],
  ['max_memory_usage', '1000000000'],
  ['max_result_rows', '1000000'],
  ['result_overflow_mode', 'throw'],
];

/**
 * Reads one HTTP request as ClickHouse would: the statement from `query` and the body, joined or as data; every unknown URL parameter is a
 * setting; `param_x` binds `{x:Type}`. The user `default` is a service; every other name is a person, who reads only.
 */
export function readQuestion(request: IncomingMessage, url: URL, body: Buffer): Question {
  const fields = multipartFields(request.headers['content-type'], body);
  const parameters = new URLSearchParams(url.searchParams);
  for (const [name, value] of fields ?? []) parameters.append(name, value);
  const posted = fields === null ? body : Buffer.alloc(0);

  const settings: [string, string][] = [];
  const bound: [string, string][] = [];
  for (const [name, value] of parameters) {
    if (name.startsWith('param_')) bound.push([name.slice('param_'.length), value]);
    else if (name === 'session_id')
      throw new EngineError(48, 'Sessions are not kept here: leave session_id out. (NOT_IMPLEMENTED)');
    else if (!interface_parameters.has(name)) settings.push([name, value]);
  }
  const lane: LaneName = userOf(request, url) === 'default' ? 'services' : 'people';
  if (lane === 'people') {
    const fixed = settings.find(([name]) => fixed_for_people.test(name));
    if (fixed !== undefined) {
      throw new EngineError(
        452,
        `Setting ${fixed[0]} should not be changed. (SETTING_CONSTRAINT_VIOLATION)`,
        500,
      );
    }
    settings.unshift(...people_settings);
  }
  const { sql, data } = statementOf(parameters.get('query') ?? '', posted);
  const format =
    formatOf(sql) ??
    headerOf(request, 'x-clickhouse-format') ??
    parameters.get('default_format') ??
    'TabSeparated';
  return {
    lane,
    query_id: parameters.get('query_id') ?? headerOf(request, 'x-clickhouse-query-id'),
    compress: parameters.get('enable_http_compression') === '1',
    statement: {
      sql,
      data,
      database: parameters.get('database') ?? headerOf(request, 'x-clickhouse-database'),
      settings,
      parameters: bound,
      readonly: lane === 'people' ? 1 : request.method === 'GET' || request.method === 'HEAD' ? 2 : 0,
      format,
      streamable: streamable.has(format) && /^\s*(select|with|\()/i.test(withoutComments(sql)),
    },
  };
}

/**
 * An insert keeps its data as bytes, since they may be of any format; everything else is text. Where both `query` and a body are given
 * they are one statement, as on a server.
 */
function statementOf(query: string, body: Buffer): { sql: string; data: Buffer | null } {
  if (query === '' && body.length === 0) throw new EngineError(62, 'Empty query. (SYNTAX_ERROR)');
  const head = query === '' ? body.subarray(0, 65_536).toString('utf8') : query;
  if (!/^\s*insert\b/i.test(withoutComments(head))) {
    return {
      sql:
        body.length === 0
          ? query
          : query === ''
            ? body.toString('utf8')
            : `${query}\n${body.toString('utf8')}`,
      data: null,
    };
  }
  if (query === '') {
    const split = /\bformat\s+\w+[ \t]*(\r?\n|[ \t]|$)/i.exec(head);
    if (split === null) return { sql: body.toString('utf8'), data: null };
    const at = Buffer.byteLength(head.slice(0, split.index + split[0].length));
    return { sql: head.slice(0, split.index + split[0].length), data: body.subarray(at) };
  }
  if (body.length === 0) return { sql: query, data: null };
  if (/\bvalues\s*$/i.test(query)) return { sql: `${query}\n${body.toString('utf8')}`, data: null };
  return { sql: query, data: body };
}

function formatOf(sql: string): string | null {
  return (
    /\bformat\s+([A-Za-z][A-Za-z0-9]*)\s*(?:settings\b[^']*)?;?\s*$/i.exec(withoutComments(sql))?.[1] ?? null
  );
}

function withoutComments(sql: string): string {
  return sql.replace(/^(\s*(--[^\n]*\n|\/\*[\s\S]*?\*\/))+/, '').replace(/--[^\n']*$/, '');
}

function userOf(request: IncomingMessage, url: URL): string {
  const { authorization } = request.headers;
  const basic = authorization?.startsWith('Basic ') === true ? authorization.slice('Basic '.length) : null;
  if (basic !== null) return Buffer.from(basic, 'base64').toString('utf8').split(':')[0] ?? 'default';
  return headerOf(request, 'x-clickhouse-user') ?? url.searchParams.get('user') ?? 'default';
}

function headerOf(request: IncomingMessage, name: string): string | null {
  const value = request.headers[name];
  return typeof value === 'string' && value !== '' ? value : null;
}
