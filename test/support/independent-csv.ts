/**
 * A second reading of CSV bytes, for counting: a state machine over single bytes that shares nothing with the parser under test. Fields are
 * Latin-1 text, one character a byte, so nothing is decoded, trimmed or mended; a line break within quotes belongs to its field.
 */
export function* independentRows(bytes: Buffer): Generator<string[]> {
  const text = bytes.toString('latin1');
  let row: string[] = [];
  let field = '';
  let is_quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const byte = text.charAt(at);
    if (is_quoted) {
      if (byte !== '"') field += byte;
      else if (text.charAt(at + 1) === '"') {
        field += byte;
        at += 1;
      } else is_quoted = false;
    } else if (byte === '"') is_quoted = true;
    else if (byte === ',' || byte === '\n') {
      row.push(field);
      field = '';
      if (byte === ',') continue;
      yield row;
      row = [];
    } else if (byte !== '\r') field += byte;
  }
  if (field !== '' || row.length > 0) yield [...row, field];
}

/** A row's fields by the names in the header; a name that the header lacks is a fault of the test. */
export type IndependentRow = (column: string) => string;

/** The rows below the header, each asked by column. */
export function* independentTable(bytes: Buffer): Generator<IndependentRow> {
  let positions: Map<string, number> | null = null;
  for (const row of independentRows(bytes)) {
    if (positions === null) {
      positions = new Map(row.map((column, n) => [column, n]));
      continue;
    }
    const found = positions;
    if (row.length !== found.size)
      throw new Error(`a row has ${row.length} fields, the header ${found.size}`);
    yield (column) => {
      const field = row[found.get(column) ?? -1];
      if (field === undefined) throw new Error(`no column ${column}`);
      return field;
    };
  }
}

/** How often each value comes, by value. */
export function tally(values: Iterable<string>): Record<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
}
