import { stateCode } from './geo/us-states.ts';

/**
 * Where a publisher files a record. Nothing is found out from the place: a record lies in the county that its publisher says, also where a
 * map would say another.
 */
export interface County {
  /** Postal code of the state, the District or the territory. */
  state: string | null;
  /** The county or what stands for one there (a parish, an independent city), in the publisher's words and in capitals. */
  county: string | null;
  /** The Census Bureau's five digits of the county: two of the state, three of its own. */
  county_fips: string | null;
}

/** What a publisher says that speaks of points and of no county. */
export const no_county: County = { state: null, county: null, county_fips: null };

/** No county's name is half as long. */
const most_characters = 100;

/** A publisher's names of state and county; null for each that is blank or no such name. Case is folded: publishers change it. */
export function countyOf(said: { state: string; county: string }): Omit<County, 'county_fips'> {
  const county = folded(said.county);
  // Records of 1993 to 1995 are filed under lists of forecast zones (`COZ002 - 004 - 007`), which are no counties.
  const is_name = county !== '' && county.length <= most_characters && !/\d/.test(county);
  return { state: stateCode(folded(said.state)), county: is_name ? county : null };
}

function folded(text: string): string {
  return text.replace(/\s+/g, ' ').trim().toUpperCase();
}

/** What keeps a county from being one, in a few words without its values; null where nothing does. */
export function countyProblem({ state, county, county_fips }: County): string | null {
  if (state !== null && stateCode(state) !== state) return 'the state is no postal code';
  if (county !== null && (county === '' || county.length > most_characters)) return 'the county is no name';
  if (county_fips !== null && !/^\d{5}$/.test(county_fips))
    return 'the county has another number than five digits';
  return null;
}
