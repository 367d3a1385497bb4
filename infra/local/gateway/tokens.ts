export interface Token {
  /** `mark` is everything that is one character of punctuation. */
  kind: 'word' | 'quoted' | 'string' | 'number' | 'mark';
  /** As written; a quoted identifier without its quotes. */
  text: string;
  start: number;
  end: number;
}

/**
 * The tokens of a statement as ClickHouse's lexer cuts them: white space and comments are left out, strings and quoted identifiers are one
 * token each. Works on text of any encoding in which ASCII stands for itself, so offsets into latin1 text are offsets into the bytes.
 */
export function* tokensOf(text: string): Generator<Token, void> {
  let at = 0;
  while (at < text.length) {
    const after = pastBlank(text, at);
    if (after > at) {
      at = after;
      continue;
    }
    const token = tokenAt(text, at);
    yield token;
    at = token.end;
  }
}

/** Upper-cased text of a word; empty for every other token, so that a string never passes for a keyword. */
export function keyword(token: Token | undefined): string {
  return token?.kind === 'word' ? token.text.toUpperCase() : '';
}

/** How a token changes the depth of brackets. */
export function depthChange(token: Token): number {
  if (token.kind !== 'mark') return 0;
  if ('([{'.includes(token.text)) return 1;
  return ')]}'.includes(token.text) ? -1 : 0;
}

function tokenAt(text: string, start: number): Token {
  const first = text.charAt(start);
  if (first === "'") return { kind: 'string', ...enclosed(text, start) };
  if (first === '"' || first === '`') {
    const { end } = enclosed(text, start);
    return { kind: 'quoted', text: text.slice(start + 1, end - 1), start, end };
  }
  const heredoc = match(/\$\w*\$/y, text, start);
  if (heredoc !== '') {
    const close = text.indexOf(heredoc, start + heredoc.length);
    const end = close < 0 ? text.length : close + heredoc.length;
    return { kind: 'string', text: text.slice(start, end), start, end };
  }
  const word = match(/[A-Za-z_][A-Za-z0-9_$]*/y, text, start);
  if (word !== '') return { kind: 'word', text: word, start, end: start + word.length };
  const number = match(/[0-9][A-Za-z0-9_.]*/y, text, start);
  if (number !== '') return { kind: 'number', text: number, start, end: start + number.length };
  return { kind: 'mark', text: first, start, end: start + 1 };
}

/** A backslash takes the next character with it; a doubled quote is part of the text. */
function enclosed(text: string, start: number): { text: string; start: number; end: number } {
  const quote = text.charAt(start);
  let at = start + 1;
  while (at < text.length) {
    const here = text.charAt(at);
    if (here === '\\') at += 2;
    else if (here !== quote) at += 1;
    else if (text.charAt(at + 1) === quote) at += 2;
    else return { text: text.slice(start, at + 1), start, end: at + 1 };
  }
  return { text: text.slice(start), start, end: text.length };
}

function pastBlank(text: string, at: number): number {
  const blank = match(/[\s\0]+/y, text, at) || match(/--[^\n]*|#[ !][^\n]*/y, text, at);
  if (blank !== '') return at + blank.length;
  if (!text.startsWith('/*', at)) return at;
  // Comments nest.
  let depth = 0;
  const bounds = /\/\*|\*\//g;
  bounds.lastIndex = at;
  for (let bound = bounds.exec(text); bound !== null; bound = bounds.exec(text)) {
    depth += bound[0] === '/*' ? 1 : -1;
    if (depth === 0) return bounds.lastIndex;
  }
  return text.length;
}

function match(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
}
