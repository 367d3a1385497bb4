import { distanceMetres } from '../../hail/geo/distance.ts';
import type { Correction, Geocode } from '../ports.ts';
import { readAddressLine, streetSuffixTyped, tidy, type AddressLine } from './address-line.ts';
import { direction, isUnit, streetSuffix } from './street-words.ts';
import { isInUnitedStates } from './us-ground.ts';

/** One match of the geocoder, as far as it is used. Components are as the geocoder writes them; empty where it has none. */
export interface GeocoderMatch {
  matched_address: string;
  lat: number;
  lon: number;
  components: {
    street_name: string;
    suffix: string;
    pre_direction: string;
    suffix_direction: string;
    city: string;
    state: string;
    zip: string;
  };
}

/** Matches this close to one another are one place for hail. */
const one_place_m = 250;

/**
 * Decides what the geocoder's matches are worth for the address that was typed. It corrects input silently: another house or another
 * state is refused, because a verdict on another house is worse than none; another ZIP, city or suffix is taken and named.
 */
export function judge(typed: string, matches: readonly GeocoderMatch[]): Geocode {
  // A match without a house number stands for a street, a city or a ZIP, not for a house.
  const houses = matches.filter(
    (match) => isInUnitedStates(match.lat, match.lon) && numberOf(match) !== null,
  );
  const [first] = houses;
  if (first === undefined) return { outcome: 'no_match' };
  const line = readAddressLine(typed);
  if (!areOnePlace(houses) || !isTheHouse(line, first)) {
    return { outcome: 'candidates', candidates: houses.map(({ matched_address }) => matched_address) };
  }
  return {
    outcome: 'match',
    resolved_address: first.matched_address,
    lat: first.lat,
    lon: first.lon,
    corrections: correctionsOf(line, first),
  };
}

function areOnePlace(matches: readonly GeocoderMatch[]): boolean {
  return matches.every((a, index) =>
    matches.slice(index + 1).every((b) => distanceMetres(a.lat, a.lon, b.lat, b.lon) <= one_place_m),
  );
}

function numberOf({ matched_address }: GeocoderMatch): string | null {
  return readAddressLine(matched_address).house_number;
}

function isTheHouse(line: AddressLine, match: GeocoderMatch): boolean {
  if (line.house_number === null || line.house_number !== numberOf(match)) return false;
  return line.state === null || line.state === tidy(match.components.state) || isNoState(line, match);
}

/** True where the match shows that the words read as a state were none: Washington the city, Oak Ct, Main St NE. */
function isNoState({ state_text, state_beside_street }: AddressLine, { components }: GeocoderMatch): boolean {
  if (state_text === tidy(components.city)) return true;
  const of_street = [components.suffix, components.pre_direction, components.suffix_direction].map(tidy);
  return state_beside_street && state_text !== null && of_street.includes(state_text);
}

function correctionsOf(line: AddressLine, match: GeocoderMatch): Correction[] {
  const { components } = match;
  const corrections: Correction[] = [];
  if (line.zip !== null && components.zip !== '' && line.zip !== components.zip) corrections.push('zip');
  const parted = streetAndCity(line, match);
  if (parted === null) return corrections;
  // Some geocoders name no city where the house lies in none: nothing to compare with is no correction.
  const city_known = parted.city.length > 0 && components.city !== '';
  if (city_known && cityText(parted.city) !== cityText(tidy(components.city).split(' '))) {
    corrections.push('city');
  }
  const last_of_name = streetSuffix(tidy(components.street_name).split(' ').at(-1) ?? '');
  const typed = streetSuffixTyped(parted.street);
  const matched = streetSuffix(tidy(components.suffix)) ?? tidy(components.suffix);
  // "Country Club" ends in a word that could be a suffix and is part of the name.
  if ((typed === last_of_name && typed !== matched ? '' : (typed ?? '')) !== matched)
    corrections.push('suffix');
  return corrections;
}

/** The typed street and city; null where nothing tells where one ends and the other begins. */
function streetAndCity(line: AddressLine, match: GeocoderMatch): { street: string[]; city: string[] } | null {
  if (line.city !== null) return { street: line.street, city: line.city };
  const own_state =
    line.state_beside_street && isNoState(line, match) ? (line.state_text ?? '').split(' ') : [];
  return partedByMatch([...line.street, ...own_state], match);
}

/**
 * Without commas nothing but the match tells where the street ends: its direction, name and suffix are read off the front, and what is
 * left is the city.
 */
function partedByMatch(
  words: readonly string[],
  { components }: GeocoderMatch,
): { street: string[]; city: string[] } | null {
  const name = tidy(components.street_name).split(' ');
  let at = 0;
  while (direction(words[at] ?? '') !== null && words[at] !== name[0]) at += 1;
  if (name.some((word, index) => words[at + index] !== word)) return null;
  at += name.length;
  if (streetSuffix(words[at] ?? '') !== null) at += 1;
  const last_direction = tidy(components.suffix_direction);
  if (last_direction !== '' && direction(words[at] ?? '') === last_direction) at += 1;
  return {
    street: words.slice(0, at),
    city: words.slice(at).filter((_, index, rest) => !isUnit(rest.slice(index))),
  };
}

const city_words = new Map([
  ['ST', 'SAINT'],
  ['STE', 'SAINTE'],
  ['FT', 'FORT'],
  ['MT', 'MOUNT'],
]);

function cityText(words: readonly string[]): string {
  return words.map((word) => city_words.get(word) ?? word).join(' ');
}
