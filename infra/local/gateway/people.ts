import { EngineError } from './errors.ts';
import { keyword, tokensOf, type Token } from './tokens.ts';

/** Limits of people's queries; set before their own settings, none of which may be a limit. */
export const people_limits: readonly (readonly [string, string])[] = [
  ['max_execution_time', '30'],
  ['max_memory_usage', '1000000000'],
  ['max_result_rows', '1000000'],
  ['max_result_bytes', '134217728'],
  ['result_overflow_mode', 'throw'],
];

const limits = /^(max_|min_|readonly$|allow_|.*_overflow_mode$|timeout_|priority$|constraint)/;
/** How an answer is written and how dates and joins are read. No setting that holds an expression, a path or a limit. */
const free =
  /^(output_format_(?!schema)\w+|date_time_(input|output)_format|join_use_nulls|final|extremes|session_timezone|log_comment|limit|offset)$/;

/** Refuses a setting that a person may not choose: limits as ClickHouse refuses a constraint, all others as it does for `readonly`. */
export function checkPeopleSetting(name: string): void {
  if (limits.test(name)) {
    throw new EngineError(452, `Setting ${name} should not be changed. (SETTING_CONSTRAINT_VIOLATION)`);
  }
  if (!free.test(name)) {
    throw new EngineError(164, `Cannot modify '${name}' setting in readonly mode. (READONLY)`);
  }
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
  'merge',
  'format',
]);
/** Scalar functions that read files or ask other machines. They may be named without brackets too: `APPLY(file)`. */
const outside = /^(file|catboostevaluate|ai[A-Z]\w*)$/i;

/**
 * Refuses what `readonly` lets through and a person may still not do: reading the machine's files, calling other machines, writing a file,
 * stopping others' queries (each measured to work at `readonly = 1`). `canonical` is the statement as the engine writes it after parsing:
 * one statement, no comments, escapes resolved. `table_functions` are the engine's, in lower case.
 */
export function checkPeopleStatement(
  canonical: string,
  parameters: readonly (readonly [string, string])[],
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
    // A name given as a parameter would pass by the names above.
    if (isIdentifierParameter(tokens, at)) {
      const value = bound.get(token.text) ?? '';
      if (!/^[\w.]*$/.test(value) || outside.test(value)) refuse('no such name as a parameter');
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
