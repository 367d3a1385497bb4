import type { Config } from '../../runtime/config.ts';
import type { Clock } from '../../runtime/clock.ts';
import { HailmarkError } from '../../runtime/errors.ts';
import type { LogOutput } from '../../runtime/log-output.ts';
import { userAgent } from '../../runtime/user-agent.ts';
import { createGate } from '../http/gate.ts';
import type { GeocoderObserver } from '../observer.ts';
import type { Geocoder } from '../ports.ts';
import type { AskOptions } from './ask.ts';
import { createBreaker } from './breaker.ts';
import { createGeocodeCache } from './cache.ts';
import { census_benchmark, createCensusGeocoder } from './census.ts';
import { createGeocoderChain } from './chain.ts';
import { observedGeocoder } from './observed.ts';
import { createPeliasGeocoder } from './pelias.ts';

/** What all geocoders together may take of one request. */
const patience_ms = 15_000;
/** The public services ask for restraint, and their answers are remembered: this is for addresses that are new. */
const in_flight = 8;
const queue = 64;
const failures = 5;
const open_ms = 30_000;

type GeocoderConfig = Pick<
  Config,
  | 'GEOCODERS'
  | 'GEOCODER_URL'
  | 'PELIAS_URL'
  | 'PELIAS_API_KEY'
  | 'GEOCODER_TIMEOUT_MS'
  | 'GEOCODER_CACHE_ENTRIES'
  | 'HAILMARK_CONTACT'
>;

/**
 * The geocoders that the configuration names, as one. Each has its own cache (a place that the second knew while the first was away does not
 * displace the first one's), its own breaker and its own turns, so that one that hangs costs only itself. `HAIL_CONFIG` where Pelias is
 * named and has no URL.
 */
export function createGeocoders(
  deps: { clock: Clock; output: LogOutput; random: () => number; observer?: GeocoderObserver },
  config: GeocoderConfig,
): Geocoder {
  const { observer } = deps;
  const names = config.GEOCODERS.split(',');
  const ask: Omit<AskOptions, 'base_url'> = {
    timeout_ms: config.GEOCODER_TIMEOUT_MS,
    random: deps.random,
    user_agent: userAgent(config),
  };
  const guarded = (name: string, edition: string, service: Geocoder): Geocoder => {
    const gate = createGate({ in_flight, queue });
    const breaker = createBreaker(
      {
        geocoder: observer === undefined ? service : observedGeocoder(service, name, observer),
        clock: deps.clock,
        output: deps.output,
        onState: (is_open) => observer?.breaker(name, is_open),
      },
      { name, patience_ms: patience_ms / names.length, failures, open_ms },
    );
    const bounded: Geocoder = {
      locate: (address, signal) => gate(() => breaker.locate(address, signal), signal),
    };
    return createGeocodeCache(
      { geocoder: bounded, clock: deps.clock, onLook: (result) => observer?.cache(result) },
      { entries: config.GEOCODER_CACHE_ENTRIES, edition },
    );
  };
  return createGeocoderChain(
    names.map((name) => {
      if (name !== 'pelias') {
        return guarded(
          name,
          census_benchmark,
          createCensusGeocoder({ ...ask, base_url: config.GEOCODER_URL }),
        );
      }
      const { PELIAS_URL: base_url, PELIAS_API_KEY: api_key } = config;
      if (base_url === undefined) {
        throw new HailmarkError(
          'HAIL_CONFIG',
          'The configuration cannot be used. PELIAS_URL: is needed, because GEOCODERS names pelias.',
        );
      }
      return guarded(name, base_url, createPeliasGeocoder({ ...ask, base_url, api_key }));
    }),
  );
}
