import { z } from 'zod';
import { pause } from '../../runtime/clock.ts';
import { fetchBody, joinUrl, type FetchedBody } from '../../runtime/http-client.ts';
import { isHailmarkError } from '../../runtime/errors.ts';
import type { Geocode, Geocoder } from '../ports.ts';
import { foldToAscii } from './ascii.ts';
import { judge, type GeocoderMatch } from './judge.ts';

/** The benchmark is part of what an answer means: results change with it. */
export const census_benchmark = 'Public_AR_Current';

const tries = 3;
const first_pause_ms = 150;
const max_answer_bytes = 4 * 1024 * 1024;

export interface CensusOptions {
  base_url: string;
  timeout_ms: number;
  /** In [0, 1): spreads the retries of many requests. */
  random: () => number;
  user_agent: string;
}

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
export function createCensusGeocoder(options: CensusOptions): Geocoder {
  return {
    async locate(address, signal) {
      const asked = foldToAscii(address);
      if (asked === null || asked === '') return { outcome: 'no_match' };
      const query = new URLSearchParams({ address: asked, benchmark: census_benchmark, format: 'json' });
      const url = joinUrl(options.base_url, `/geocoder/locations/onelineaddress?${query.toString()}`);
      for (let attempt = 1; ; attempt += 1) {
        const reading = readAnswer(await ask(url, options, signal), asked);
        if (reading !== 'again') return reading;
        if (attempt >= tries || signal.aborted) return { outcome: 'unavailable' };
        await pause(first_pause_ms * 2 ** (attempt - 1) * (0.5 + options.random()), signal);
      }
    },
  };
}

async function ask(url: string, options: CensusOptions, signal: AbortSignal): Promise<FetchedBody | null> {
  try {
    return await fetchBody(url, {
      timeout_ms: options.timeout_ms,
      max_bytes: max_answer_bytes,
      headers: { accept: 'application/json', 'user-agent': options.user_agent },
      signal,
    });
  } catch (error) {
    if (isHailmarkError(error, 'HAIL_PUBLISHER_UNAVAILABLE')) return null;
    throw error;
  }
}

function readAnswer(body: FetchedBody | null, asked: string): Geocode | 'again' {
  if (body === null || body.status >= 500) return 'again';
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

/** The body as JSON; undefined for HTML, an empty body, and anything else that is none. */
function jsonOf({ headers, bytes }: FetchedBody): unknown {
  if (!/^application\/(?:[\w.+-]+\+)?json\b/i.test(headers.get('content-type') ?? '')) return undefined;
  try {
    return JSON.parse(bytes.toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
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
