/** Compares by UTF-16 code unit, never by locale: record ids have the same order on every machine. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
