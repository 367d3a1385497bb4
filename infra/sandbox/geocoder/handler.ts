import { join } from 'node:path';
import { textResponse, type Handler, type SandboxResponse } from '../handler.ts';
import { folded, foldedWords, streetParts } from './folded.ts';
import { gazetteer, type GazetteerEntry } from './gazetteer.ts';
import { answerKey, readRecordedAnswers } from './recorded.ts';

/**
 * The Census geocoder: the recorded answers as they are for the addresses that were typed, the gazetteer's places in the same shape (with or
 * without ZIP), and no match for everything else.
 */
export function censusGeocoder(recordings: string): Handler {
  const recorded = readRecordedAnswers(join(recordings, 'geocoder'));
  const places = new Map<string, GazetteerEntry>();
  for (const entry of gazetteer) {
    const line = `${entry.street}, ${entry.city}, ${entry.state}`;
    places.set(foldedWords(line), entry);
    places.set(foldedWords(`${line} ${entry.zip}`), entry);
  }

  return ({ url }) => {
    const [, service = '', form = ''] =
      /^\/geocoder\/(locations|geographies)\/(onelineaddress|address)\/?$/.exec(url.pathname) ?? [];
    if (form === '') return null;
    const ask = (name: string): string => url.searchParams.get(name) ?? '';
    const typed =
      form === 'onelineaddress'
        ? ask('address')
        : ['street', 'city', 'state', 'zip'].map((name) => ask(name)).join(' ');
    if (folded(typed) === '') return missingAddress();
    const answer = recorded.get(answerKey(service, form, typed));
    if (answer !== undefined) return json(200, answer);
    const place = places.get(foldedWords(typed));
    const matches = place === undefined ? [] : [matchOf(place)];
    return json(200, JSON.stringify({ result: { input: inputOf(typed), addressMatches: matches } }));
  };
}

function missingAddress(): SandboxResponse {
  const errors = ['Specify House number and Street name along with City and State and/or ZIP Code'];
  return json(400, JSON.stringify({ errors, status: '400' }));
}

function json(status: number, body: string): SandboxResponse {
  return textResponse(status, 'application/json;charset=UTF-8', body);
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
  const { number, pre_direction, name, suffix, suffix_direction } = streetParts(street);
  const line = [number, pre_direction, name, suffix, suffix_direction]
    .filter((part) => part !== '')
    .join(' ');
  return {
    // The gazetteer is not of the Census Bureau's lines: there is no id to give.
    tigerLine: { side: '', tigerLineId: '' },
    coordinates: { x: lon, y: lat },
    addressComponents: {
      zip,
      streetName: name,
      preType: '',
      city: city.toUpperCase(),
      preDirection: pre_direction,
      suffixDirection: suffix_direction,
      fromAddress: number,
      state,
      suffixType: suffix,
      toAddress: number,
      suffixQualifier: '',
      preQualifier: '',
    },
    matchedAddress: `${line}, ${city.toUpperCase()}, ${state}, ${zip}`,
  };
}
