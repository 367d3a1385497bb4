import { EngineError } from './errors.ts';
import { depthChange, keyword, tokensOf, type Token } from './tokens.ts';

/** An `INSERT … FORMAT x` whose data stand after it. */
export interface InsertHead {
  /** `INSERT INTO t (columns)`. */
  target: string;
  /** `SETTINGS a = 1`, or empty. */
  settings: string;
  format: string;
  /** Offset of the first byte of data. */
  data_at: number;
}

/**
 * Finds where the data of an insert begin, in latin1 text, so that the offset counts bytes; null where the statement takes no data of a
 * format: no insert, an `INSERT … SELECT`, or `VALUES`, which are SQL. The settings may stand before the format or after it.
 */
export function insertHead(text: string): InsertHead | null {
  const tokens = tokensOf(text);
  const next = (): Token | undefined => {
    const step = tokens.next();
    return step.done === true ? undefined : step.value;
  };
  if (keyword(next()) !== 'INSERT' || keyword(next()) !== 'INTO') return null;
  // The table's name is passed over, whatever it is: it may be called `format` or `values`.
  if (['TABLE', 'FUNCTION'].includes(keyword(next()))) next();
  let token = next();
  while (token?.text === '.') {
    next();
    token = next();
  }
  let depth = 0;
  let settings_at: number | null = null;
  for (; token !== undefined; token = next()) {
    depth += depthChange(token);
    if (depth > 0) continue;
    const word = keyword(token);
    if (word === 'VALUES') return null;
    if (word === 'SELECT' || word === 'WITH') {
      refuseInput(tokens);
      return null;
    }
    if (word === 'INFILE') throw new EngineError(48, 'FROM INFILE is not taken over HTTP. (NOT_IMPLEMENTED)');
    if (word === 'SETTINGS') settings_at = token.start;
    if (word !== 'FORMAT') continue;
    const format = next();
    if (format?.kind !== 'word') return null;
    const trailing = settings_at === null ? settingsAfter(text, format.end) : null;
    return {
      target: text.slice(0, settings_at ?? token.start),
      settings: settings_at === null ? (trailing?.text ?? '') : text.slice(settings_at, token.start),
      format: format.text,
      data_at: dataStart(text, trailing?.end ?? format.end),
    };
  }
  return null;
}

/** The rows that `input()` reads stand inline, where the engine's library loses what follows an empty line. */
function refuseInput(rest: Iterable<Token>): void {
  let last: Token | undefined;
  for (const token of rest) {
    if (keyword(last) === 'INPUT' && token.text === '(') {
      throw new EngineError(48, 'The table function input() is not taken over HTTP. (NOT_IMPLEMENTED)');
    }
    last = token;
  }
}

/** `SETTINGS name = value, …` directly after the format, and where it ends. */
function settingsAfter(text: string, from: number): { text: string; end: number } | null {
  const rest = text.slice(from, from + 65_536);
  const found = /^\s+SETTINGS(?:\s+|\s*,\s*)\w+\s*=\s*(?:'(?:[^'\\]|\\.|'')*'|[\w.+-]+)/i.exec(rest);
  if (found === null) return null;
  let end = found[0].length;
  const more = /\s*,\s*\w+\s*=\s*(?:'(?:[^'\\]|\\.|'')*'|[\w.+-]+)/y;
  for (more.lastIndex = end; more.test(rest);) end = more.lastIndex;
  return { text: rest.slice(0, end), end: from + end };
}

/** As ClickHouse's parser: blanks, one semicolon, blanks, and one line end; binary data may themselves begin with a line end. */
function dataStart(text: string, from: number): number {
  const blank = /[ \t\f]*;?[ \t\f]*\r?\n?/y;
  blank.lastIndex = from;
  return blank.test(text) ? blank.lastIndex : from;
}
