import { z } from 'zod';
import type { FetchedBody } from '../../runtime/http-client.ts';
import type { Geocoder } from '../ports.ts';
import { stateCode } from '../../hail/geo/us-states.ts';
import { readAddressLine, tidy } from './address-line.ts';
import { askPatiently, jsonOf, type AskOptions, type Reading } from './ask.ts';
import { foldToAscii } from './ascii.ts';
import { judge, type GeocoderMatch } from './judge.ts';
import { direction, partStreet, streetSuffix } from './street-words.ts';

/** The territories are countries of their own to Pelias, and states to everybody else here. */
const territories: Readonly<Record<string, string>> = {
  ASM: 'AS',
  GUM: 'GU',
  MNP: 'MP',
  PRI: 'PR',
  VIR: 'VI',
};
const countries = ['USA', ...Object.keys(territories)].join(',');

const most_results = 10;
/** A result whose confidence is further than this below the best one's is no rival of it. */
const rival_within = 0.1;

const text = z.string().default('');
const feature = z.object({
  geometry: z.object({
    type: z.literal('Point'),
    coordinates: z.tuple([z.number(), z.number()]).rest(z.number()),
  }),
  properties: z.object({
    layer: z.string(),
    match_type: text,
    accuracy: text,
    confidence: z.number().default(1),
    housenumber: text,
    street: text,
    postalcode: text,
    locality: text,
    localadmin: text,
    region_a: text,
    country_a: text,
    dependency_a: text,
  }),
});
type Feature = z.infer<typeof feature>;
const errors = z.array(z.unknown()).default([]);
const answer = z.object({
  type: z.literal('FeatureCollection'),
  geocoding: z.object({ errors }).default({ errors: [] }),
  features: z.array(feature),
});
const refusal = z.object({ geocoding: z.object({ errors: z.array(z.string()).min(1) }) });

export interface PeliasOptions extends AskOptions {
  /** Hosted instances ask for one, in the query; one's own does not. */
  api_key?: string | undefined;
}

/**
 * A geocoder that speaks Pelias' API (`/v1/search`), one's own or a hosted one. It falls back to streets, cities and ZIPs where it knows no
 * house, and says so in `layer`, `match_type` and `accuracy`: only a house that was found or interpolated on its street counts. Answers
 * that carry errors beside their features are partial and tried again.
 */
export function createPeliasGeocoder(options: PeliasOptions): Geocoder {
  return {
    async locate(address, signal) {
      const asked = foldToAscii(address);
      if (asked === null || asked === '') return { outcome: 'no_match' };
      const query = new URLSearchParams({
        text: asked,
        'boundary.country': countries,
        size: String(most_results),
        ...(options.api_key === undefined ? {} : { api_key: options.api_key }),
      });
      return askPatiently(`/v1/search?${query.toString()}`, options, signal, (body) =>
        readAnswer(body, asked),
      );
    },
  };
}

function readAnswer(body: FetchedBody, asked: string): Reading {
  const json = jsonOf(body);
  if (body.status === 400) {
    const refused = refusal.safeParse(json);
    // Anything but the text is our own set-up: a parameter that this instance does not take.
    const about_address =
      refused.success && refused.data.geocoding.errors.every((each) => /\btext\b/i.test(each));
    return { outcome: about_address ? 'no_match' : 'unavailable' };
  }
  if (body.status !== 200) return { outcome: 'unavailable' };
  const parsed = answer.safeParse(json);
  if (!parsed.success || parsed.data.geocoding.errors.length > 0) return 'again';
  const houses = parsed.data.features.filter(isHouse);
  const best = Math.max(...houses.map(({ properties }) => properties.confidence));
  const matches = houses
    .filter(({ properties }) => properties.confidence >= best - rival_within)
    .map(matchOf);
  const others = matches.filter((match) => !isOnTheStreet(asked, match));
  // It looks for what resembles the text: a house of that number on another street is another house.
  return others.length > 0
    ? { outcome: 'candidates', candidates: matches.map(({ matched_address }) => matched_address) }
    : judge(asked, matches);
}

function isHouse({ properties: of }: Feature): boolean {
  return (
    of.layer === 'address' &&
    (of.match_type === 'exact' || of.match_type === 'interpolated') &&
    of.accuracy !== 'centroid' &&
    of.housenumber !== '' &&
    of.street !== ''
  );
}

function matchOf({ geometry, properties: of }: Feature): GeocoderMatch {
  const [lon, lat] = geometry.coordinates;
  const state =
    territories[of.dependency_a] ??
    territories[of.country_a] ??
    (of.country_a === 'USA' ? (stateCode(of.region_a.toUpperCase()) ?? '') : '');
  const city = of.locality === '' ? of.localadmin : of.locality;
  const line = [`${of.housenumber} ${of.street}`, city, state, of.postalcode];
  return {
    // Made of the parts and not the label, which leaves out the ZIP and writes the state by country.
    matched_address: line.filter((part) => part !== '').join(', '),
    lat,
    lon,
    components: { ...partStreet(of.street), city, state, zip: of.postalcode.slice(0, 5) },
  };
}

const number_words = new Map(
  'FIRST SECOND THIRD FOURTH FIFTH SIXTH SEVENTH EIGHTH NINTH TENTH ELEVENTH TWELFTH'
    .split(' ')
    .map((word, index) => {
      const number = index + 1;
      return [word, `${number}${['TH', 'ST', 'ND', 'RD'][number] ?? 'TH'}`] as const;
    }),
);

/** True where the match's street shares a word of its name with what was typed. */
function isOnTheStreet(asked: string, { components }: GeocoderMatch): boolean {
  const plain = (word: string): string =>
    number_words.get(word) ?? streetSuffix(word) ?? direction(word) ?? word;
  const { street } = readAddressLine(asked);
  const typed = new Set(street.map((word) => plain(word.replaceAll('#', ''))));
  return tidy(components.street_name)
    .split(' ')
    .some((word) => typed.has(plain(word)));
}
