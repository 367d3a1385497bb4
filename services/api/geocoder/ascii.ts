/** Signs that people's keyboards write in the place of plain ones; the same sign, so nothing is guessed. */
const same_sign: Readonly<Record<string, string>> = {
  '\u2018': "'",
  '\u2019': "'",
  '\u02bc': "'",
  '\u201c': '"',
  '\u201d': '"',
  '\u2010': '-',
  '\u2011': '-',
  '\u2012': '-',
  '\u2013': '-',
  '\u2014': '-',
  '\u2212': '-',
};

/**
 * Folds an address to the ASCII that the geocoder takes: letters lose their marks (Española, Cañon City), typographic signs become plain
 * ones. Null where anything else is left: leaving it out would ask about another address.
 */
export function foldToAscii(text: string): string | null {
  const folded = text
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .replace(/[^\p{ASCII}]/gu, (sign) => same_sign[sign] ?? sign)
    .replace(/\s+/g, ' ')
    .trim();
  return /^[\x20-\x7e]*$/.test(folded) ? folded : null;
}
