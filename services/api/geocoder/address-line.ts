import { most_state_words, stateCode } from '../../hail/geo/us-states.ts';
import { direction, isUnit, streetSuffix } from './street-words.ts';

/** What can be read off a US address in one line; null where it was not typed or cannot be told. */
export interface AddressLine {
  /** As typed, upper case, without hyphens and leading zeros: `12A`, `12345` for `123-45`. */
  house_number: string | null;
  /** What follows the house number in its part: the street, and where no comma parts them, unit and city. Upper case. */
  street: string[];
  /** The city where a comma parts it from the street. */
  city: string[] | null;
  /** Postal code of the state. */
  state: string | null;
  /** The words that were read as the state: a city may be called Washington. */
  state_text: string | null;
  /** True where no comma parts those words from the street, so that they may be its own: a court ends in CT. */
  state_beside_street: boolean;
  /** Five digits. */
  zip: string | null;
}

const country = /[\s,]+(?:USA?|UNITED STATES(?: OF AMERICA)?)$/;
const zip_at_end = /^(.*[\s,])(\d{5})(?:[- ]?\d{4})?$/;
/** `12`, `12A`, `123-45`, `N6W23001`; not `10TH`, which opens a street or a floor. */
const house_number = /^(?!\d+(?:ST|ND|RD|TH)$)(?:\d[0-9A-Z]*(?:-[0-9A-Z]+)*|[NSEW]\d+[NSEW]\d+)$/;

/**
 * Reads an address from its end: country, ZIP, state, then the parts between commas. It is tolerant and never decides alone: `judge.ts`
 * compares with what the geocoder matched, which settles most of what a line leaves open.
 */
export function readAddressLine(line: string): AddressLine {
  let rest = tidy(line).replace(country, '');
  const zipped = zip_at_end.exec(rest);
  const zip = zipped?.[2] ?? null;
  if (zipped?.[1] !== undefined) rest = zipped[1];
  const parts = rest
    .split(',')
    .map((part) => part.split(' ').filter((word) => word !== ''))
    .filter((words) => words.length > 0);

  const state_beside_street = parts.length === 1;
  const state_text = takeState(parts);
  const at = parts.findIndex((words) => house_number.test(words[0] ?? ''));
  const [number, ...street] = at < 0 ? [] : (parts[at] ?? []);
  const cities = parts.slice(at < 0 ? parts.length : at + 1).filter((words) => !isUnit(words));
  return {
    house_number: number === undefined ? null : plainNumber(number),
    street,
    city: cities.at(-1) ?? null,
    state: state_text === null ? null : stateCode(state_text),
    state_text,
    state_beside_street,
    zip,
  };
}

/** Upper case, dots away except within a number, one space between words. */
export function tidy(text: string): string {
  return text
    .toUpperCase()
    .replace(/(?<!\d)\.|\.(?!\d)/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** House numbers are compared without hyphens and leading zeros: Queens writes 123-45, its data 12345. */
export function plainNumber(word: string): string {
  return word
    .toUpperCase()
    .replaceAll('-', '')
    .replace(/^0+(?=\d)/, '');
}

/** Takes the state off the end of the last part, the longest name that fits. */
function takeState(parts: string[][]): string | null {
  const last = parts.at(-1);
  if (last === undefined) return null;
  for (let words = most_state_words; words >= 1; words -= 1) {
    const text = last.slice(-words).join(' ');
    if (last.length < words || stateCode(text) === null) continue;
    last.splice(-words);
    if (last.length === 0) parts.pop();
    return text;
  }
  return null;
}

/** The suffix at the end of a street, before a direction and a unit; null where there is none. */
export function streetSuffixTyped(street: readonly string[]): string | null {
  const unit_at = street.findIndex((_, index) => index > 0 && isUnit(street.slice(index)));
  const words = unit_at < 0 ? [...street] : street.slice(0, unit_at);
  while (words.length > 1 && direction(words.at(-1) ?? '') !== null) words.pop();
  return words.length > 1 ? streetSuffix(words.at(-1) ?? '') : null;
}
