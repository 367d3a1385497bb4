import { EngineError } from './errors.ts';
import { keyword, tokensOf, type Token } from './tokens.ts';

/** Limits of people's queries; set before their own settings, which may ask for less of them and never for more. */
export const people_limits: readonly (readonly [string, string])[] = [
  ['max_execution_time', '30'],
  ['max_memory_usage', '1000000000'],
  ['max_result_rows', '1000000'],
  ['max_result_bytes', '134217728'],
  ['result_overflow_mode', 'throw'],
];

const limits = /^(max_|min_|readonly$|allow_|.*_overflow_mode$|timeout_|priority$|constraint)/;
/**
 * How an answer is written, how dates and joins are read, and what JDBC sends with every statement though it is about inserts. No setting
 * that holds an expression, a path or a limit.
 */
const free =
  /^(output_format_(?!schema)\w+|date_time_(input|output)_format|join_use_nulls|final|extremes|session_timezone|log_comment|limit|offset|async_insert|wait_for_async_insert)$/;

/** Of one answer as it is written; the engine counts before it writes, where a column of one value is as small as that value. */
export const people_answer_bytes = 134_217_728;

/**
 * Refuses a setting that a person may not choose: limits as ClickHouse refuses a constraint, all others as it does for `readonly`. Less than
 * a limit may be asked for: Go's client does for each deadline, JDBC for the first rows of a table.
 */
export function checkPeopleSetting(name: string, value: string): void {
  if (limits.test(name)) {
    if (isLess(name, value)) return;
    throw new EngineError(452, `Setting ${name} should not be changed. (SETTING_CONSTRAINT_VIOLATION)`);
  }
  if (!free.test(name)) {
    throw new EngineError(164, `Cannot modify '${name}' setting in readonly mode. (READONLY)`);
  }
}

function isLess(name: string, value: string): boolean {
  if (name === 'result_overflow_mode') return ['throw', 'break'].includes(value);
  const limit = Number(people_limits.find(([limited]) => limited === name)?.[1]);
  // 0 is no limit at all. `limit` is not a number where a person's limit of that name is none of ours.
  return /^[0-9]{1,15}$/.test(value) && Number(value) > 0 && Number(value) <= limit;
}

const reading = new Set(['SELECT', 'WITH', 'SHOW', 'DESCRIBE', 'EXISTS', 'EXPLAIN']);
/** Table functions that compute and read tables, and nothing outside the engine. */
const harmless_table_functions = new Set([
  'null',
  'numbers',
  'numbers_mt',
  'zeros',
  'zeros_mt',
  'primes',
  'generateseries',
  'generate_series',
  'values',
  'view',
  'format',
]);
/** Tables of the database `system` in which others' statements stand. On a server the role has no right on them. */
const of_others = /^(processes|user_processes|query_cache|asynchronous_inserts|errors|stack_trace|\w+_log)$/;
/** Scalar functions that read files or ask other machines. They may be named without brackets too: `APPLY(file)`. */
const outside = /^(file|catboostevaluate|ai[A-Z]\w*)$/i;

/**
 * Refuses what `readonly` lets through and a person may still not do: reading the machine's files, calling other machines, writing a file,
 * stopping others' queries or reading them (each measured to work at `readonly = 1`). `canonical` is the statement as the engine writes it
 * after parsing: one statement, no comments, escapes resolved. `table_functions` are the engine's, in lower case.
 */
export function checkPeopleStatement(
  canonical: string,
  { parameters, database }: { parameters: readonly (readonly [string, string])[]; database: string | null },
  table_functions: ReadonlySet<string>,
): void {
  const tokens = [...tokensOf(canonical)];
  if (!reading.has(keyword(tokens.find(({ text }) => text !== '(')))) refuse('only reading statements');
  const bound = new Map(parameters);
  tokens.forEach((token, at) => {
    if (token.kind !== 'word' && token.kind !== 'quoted') return;
    const name = token.text.toLowerCase();
    if (outside.test(token.text)) refuse(`no function ${token.text}`);
    if (keyword(token) === 'OUTFILE') refuse('no INTO OUTFILE');
    if (tokens[at + 1]?.text === '(' && table_functions.has(name) && !harmless_table_functions.has(name)) {
      refuse(`no table function ${token.text}`);
    }
    const is_qualified = tokens[at - 1]?.text === '.';
    // The database may itself be a parameter, which ends in a bracket.
    const in_system = is_qualified
      ? ['system', '}'].includes(tokens[at - 2]?.text.toLowerCase() ?? '')
      : database === 'system';
    if (in_system && of_others.test(name)) refuse('nothing of what others ask');
    if (keyword(token) === 'PROCESSLIST' && keyword(tokens[0]) === 'SHOW')
      refuse('nothing of what others ask');
    // A name given as a parameter would pass by the names above.
    if (isIdentifierParameter(tokens, at)) {
      const value = bound.get(token.text) ?? '';
      const names = value.toLowerCase().split('.');
      if (!/^[\w.]*$/.test(value) || outside.test(value) || names.some((part) => of_others.test(part)))
        refuse('no such name as a parameter');
    }
  });
}

/** True for `x` in `{x:Identifier}`. */
function isIdentifierParameter(tokens: readonly Token[], at: number): boolean {
  return (
    tokens[at - 1]?.text === '{' && tokens[at + 1]?.text === ':' && keyword(tokens[at + 2]) === 'IDENTIFIER'
  );
}

function refuse(what: string): never {
  throw new EngineError(
    164,
    `Cannot execute query in readonly mode: for people at the keyboard, ${what}. (READONLY)`,
  );
}
