/** Postal abbreviations of the words that the gazetteer's addresses are written with. */
const abbreviations = new Map(
  `AVENUE AVE|BEND BND|BOULEVARD BLVD|DRIVE DR|PARKWAY PKWY|PLAZA PLZ|ROAD RD|SAINT ST|SQUARE SQ|STREET ST|EAST E|NORTH N|SOUTH S|WEST W|NORTHEAST NE
NORTHWEST NW|SOUTHEAST SE|SOUTHWEST SW`
    .split(/[|\n]/)
    .map((entry) => entry.split(' '))
    .map(([word = '', short = '']) => [word, short] as const),
);

const directions = new Set(['E', 'N', 'S', 'W', 'NE', 'NW', 'SE', 'SW']);
const suffixes = new Set(['AVE', 'BND', 'BLVD', 'DR', 'PKWY', 'PLZ', 'RD', 'SQ', 'ST']);

/** Letters and digits in lower case, single blanks: commas, case and blanks do not tell addresses apart. */
export function folded(address: string): string {
  return address
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, ' ')
    .trim();
}

/** As `folded`, and `Avenue` and `Ave`, `North` and `N` are one word. */
export function foldedWords(address: string): string {
  return folded(address)
    .split(' ')
    .map((word) => (abbreviations.get(word.toUpperCase()) ?? word).toLowerCase())
    .join(' ');
}

export interface StreetParts {
  number: string;
  pre_direction: string;
  name: string;
  suffix: string;
  suffix_direction: string;
}

/** A street of the gazetteer in the geocoder's parts, upper case; empty where it has none. */
export function streetParts(street: string): StreetParts {
  const [number = '', ...words] = street.toUpperCase().split(' ');
  const pre_direction = takeWord(words, 'first', directions);
  const suffix_direction = takeWord(words, 'last', directions);
  const suffix = takeWord(words, 'last', suffixes);
  return { number, pre_direction, name: words.join(' '), suffix, suffix_direction };
}

/** Takes the word at one end if it is of the kind and not the last one left: `E Boulevard Ave` keeps `BOULEVARD`. */
function takeWord(words: string[], end: 'first' | 'last', kind: ReadonlySet<string>): string {
  const at = end === 'first' ? 0 : words.length - 1;
  const word = words[at] ?? '';
  const short = abbreviations.get(word) ?? word;
  if (words.length < 2 || !kind.has(short)) return '';
  words.splice(at, 1);
  return short;
}
