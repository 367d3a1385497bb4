import { generator } from '../../support/oracle/questions.ts';
import type { OracleRecord } from '../../support/oracle/records.ts';

/** What a question is made to meet. Only `flood` depends on what came before it: its key may use little in a minute. */
export type Kind = 'good' | 'bad parameter' | 'unknown address' | 'wrong key' | 'flood';

export interface StormQuestion {
  kind: Kind;
  operation: 'verify' | 'score' | 'history' | 'lookup';
  /** Path and query, a key in the query among it. */
  path: string;
  headers: Record<string, string>;
}

/** The keys of a storm, whole: every one of them is looked for in all that is written. */
export interface StormKeys {
  good: string;
  flood: string;
  /** Well-formed and unknown, and one that was revoked. */
  wrong: readonly string[];
}

export interface StormPlace {
  address: string;
  lat: number;
  lon: number;
}

/** NOT REAL: words of no street, in every address that is sent; what is searched for them must not hold them. */
export const planted_words = ['vexquorlimble', 'zumbrixaloon'] as const;

/** Addresses that the storm's geocoder is to know, each close to recorded hail; so many that every wave asks for new ones. */
export function stormPlaces(records: readonly OracleRecord[], seed: number, count: number): StormPlace[] {
  const random = generator(seed);
  const rounded = (value: number): number => Number(value.toFixed(6));
  return Array.from({ length: count }, (_, at) => {
    const near = pick(records, random());
    return {
      address: `${at + 1} Vexquorlimble Crossing Rd, Testville, TX 00000`,
      lat: rounded(near.lat + (random() - 0.5) / 10),
      lon: rounded(near.lon + (random() - 0.5) / 10),
    };
  });
}

/** Three in ten are errors: of parameters, of the address, of the key, of the limit. */
const kinds: readonly Kind[] = [
  'good',
  'bad parameter',
  'good',
  'good',
  'unknown address',
  'good',
  'flood',
  'good',
  'good',
  'wrong key',
];

/** `count` questions; the same seed gives the same ones. Later ones may ask for places that no earlier one has asked for. */
export function stormQuestions(
  places: readonly StormPlace[],
  keys: StormKeys,
  seed: number,
  count: number,
): StormQuestion[] {
  const random = generator(seed);
  return Array.from({ length: count }, (_, at): StormQuestion => {
    const kind = kinds[at % kinds.length] ?? 'good';
    const operation = pick(['verify', 'score', 'history', 'lookup'] as const, random());
    const reach = Math.ceil((places.length * (at + 1)) / count);
    const { address } = pick(places.slice(0, reach), random());
    const parameters = new URLSearchParams({
      address:
        kind === 'unknown address'
          ? `${at + 1} Zumbrixaloon Ln, Nowhere, TX 00000`
          : cased(address, random()),
      ...(operation === 'verify' ? { date_of_loss: '2017-03-06', window_days: '30' } : {}),
      ...(operation === 'history' ? { since: '2017-01-01', until: '2017-12-31' } : {}),
    });
    // Lookup, which is legacy, ignores parameters that it does not know; its own can only be wrong by length.
    if (kind === 'bad parameter' && operation === 'lookup') parameters.set('address', 'Vexq');
    else if (kind === 'bad parameter')
      parameters.set('radius_mi', pick(['26', '0', 'near', '1e1'], random()));
    const key = kind === 'wrong key' ? pick(keys.wrong, random()) : kind === 'flood' ? keys.flood : keys.good;
    const in_query = random() < 0.2;
    if (in_query) parameters.set('api_key', key);
    const path =
      operation === 'lookup'
        ? '/api/v1/lookup'
        : `${pick(['/api/v1', '/v1'], random())}/property/${operation}`;
    return {
      kind,
      operation,
      path: `${path}?${parameters.toString()}`,
      headers: in_query ? {} : { Authorization: `Bearer ${key}` },
    };
  });
}

/** People write as they like; a place is remembered whatever the case. */
function cased(address: string, chance: number): string {
  if (chance < 0.15) return address.toUpperCase();
  return chance < 0.3 ? address.toLowerCase() : address;
}

function pick<T>(from: readonly T[], chance: number): T {
  const one = from[Math.floor(chance * from.length)];
  if (one === undefined) throw new Error('there is nothing to pick from');
  return one;
}
