import { z } from 'zod';
import type { FetchedBody } from '../../runtime/http-client.ts';
import type { Geocoder } from '../ports.ts';
import { askPatiently, jsonOf, type AskOptions, type Reading } from './ask.ts';
import { foldToAscii } from './ascii.ts';
import { judge, type GeocoderMatch } from './judge.ts';

/** The benchmark is part of what an answer means: results change with it. */
export const census_benchmark = 'Public_AR_Current';

const text = z.string().default('');
const components = z.object({
  streetName: text,
  suffixType: text,
  preDirection: text,
  suffixDirection: text,
  city: text,
  state: text,
  zip: text,
});
const answer = z.object({
  result: z.object({
    addressMatches: z.array(
      z.object({
        matchedAddress: z.string().min(1),
        coordinates: z.object({ x: z.number(), y: z.number() }),
        addressComponents: components,
      }),
    ),
  }),
});
const refusal = z.object({ errors: z.array(z.string()).min(1) });

/**
 * The Census Bureau's geocoder. It answers HTML with status 200, empty bodies, resets and 5xx now and then, and is fine the next time:
 * those are tried again, twice, with jitter. A 4xx is not. What is no answer in its format is "unavailable", never "no match".
 */
export function createCensusGeocoder(options: AskOptions): Geocoder {
  return {
    async locate(address, signal) {
      const asked = foldToAscii(address);
      if (asked === null || asked === '') return { outcome: 'no_match' };
      const query = new URLSearchParams({ address: asked, benchmark: census_benchmark, format: 'json' });
      const path = `/geocoder/locations/onelineaddress?${query.toString()}`;
      return askPatiently(path, options, signal, (body) => readAnswer(body, asked));
    },
  };
}

function readAnswer(body: FetchedBody, asked: string): Reading {
  const json = jsonOf(body);
  if (body.status === 400) {
    const refused = refusal.safeParse(json);
    // Our own constants refused is a fault of the service's set-up, not of the address.
    const about_address =
      refused.success && !refused.data.errors.some((each) => /benchmark|vintage/i.test(each));
    return { outcome: about_address ? 'no_match' : 'unavailable' };
  }
  if (body.status !== 200) return { outcome: 'unavailable' };
  const parsed = answer.safeParse(json);
  if (!parsed.success) return 'again';
  return judge(asked, parsed.data.result.addressMatches.map(matchOf));
}

function matchOf(match: z.infer<typeof answer>['result']['addressMatches'][number]): GeocoderMatch {
  const of = match.addressComponents;
  return {
    matched_address: match.matchedAddress,
    lat: match.coordinates.y,
    lon: match.coordinates.x,
    components: {
      street_name: of.streetName,
      suffix: of.suffixType,
      pre_direction: of.preDirection,
      suffix_direction: of.suffixDirection,
      city: of.city,
      state: of.state,
      zip: of.zip,
    },
  };
}
