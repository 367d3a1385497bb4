import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { textResponse, type Handler } from '../handler.ts';
import { gazetteer, type GazetteerEntry } from './gazetteer.ts';

interface CensusAnswer {
  result: { input: { address?: { address?: string } }; addressMatches: unknown[] };
}

/**
 * The Census geocoder's one-line service: the recorded answers as they are for the addresses that were typed, the gazetteer's places in the
 * same shape, and no match for everything else.
 */
export function censusGeocoder(recordings: string): Handler {
  const folder = join(recordings, 'geocoder');
  const recorded = new Map<string, string>();
  for (const file of readdirSync(folder)
    .filter((name) => name.includes('onelineaddress'))
    .sort()) {
    const text = readFileSync(join(folder, file), 'utf8');
    const typed = (JSON.parse(text) as CensusAnswer).result.input.address?.address;
    if (typed !== undefined) recorded.set(folded(typed), text);
  }
  const places = new Map(
    gazetteer.map((entry) => [folded(`${entry.street}, ${entry.city}, ${entry.state} ${entry.zip}`), entry]),
  );

  return ({ url }) => {
    if (!/^\/geocoder\/(locations|geographies)\/onelineaddress\/?$/.test(url.pathname)) return null;
    const address = url.searchParams.get('address') ?? '';
    if (address.trim() === '') {
      const errors = ['Specify House number and Street name along with City and State and/or ZIP Code'];
      return textResponse(400, 'application/json', JSON.stringify({ errors, status: '400' }));
    }
    const answer = recorded.get(folded(address));
    if (answer !== undefined) return textResponse(200, 'application/json;charset=UTF-8', answer);
    const place = places.get(folded(address));
    const body = {
      result: { input: inputOf(address), addressMatches: place === undefined ? [] : [matchOf(place)] },
    };
    return textResponse(200, 'application/json;charset=UTF-8', JSON.stringify(body));
  };
}

function inputOf(address: string): unknown {
  return {
    address: { address },
    benchmark: {
      isDefault: true,
      benchmarkDescription: 'Public Address Ranges - Current Benchmark',
      id: '4',
      benchmarkName: 'Public_AR_Current',
    },
  };
}

function matchOf({ street, city, state, zip, lat, lon }: GazetteerEntry): unknown {
  const [number = '', ...name] = street.toUpperCase().split(' ');
  return {
    tigerLine: { side: 'L', tigerLineId: '0' },
    coordinates: { x: lon, y: lat },
    addressComponents: {
      zip,
      streetName: name.join(' '),
      preType: '',
      city: city.toUpperCase(),
      preDirection: '',
      suffixDirection: '',
      fromAddress: number,
      state,
      suffixType: '',
      toAddress: number,
      suffixQualifier: '',
      preQualifier: '',
    },
    matchedAddress: `${street.toUpperCase()}, ${city.toUpperCase()}, ${state}, ${zip}`,
  };
}

/** Letters and digits in lower case, single blanks: commas and case do not tell addresses apart. */
function folded(address: string): string {
  return address
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, ' ')
    .trim();
}
