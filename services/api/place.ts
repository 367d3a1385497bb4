import { cellOf, cellText } from '../hail/geo/geohash.ts';
import { isPlace } from '../hail/geo/place.ts';
import { geocoderUnavailable, notGeocoded } from './errors/api-error.ts';
import type { RequestContext } from './http/request-context.ts';
import type { Geocoder } from './ports.ts';

/** The contract's Property object (2.2). */
export interface Property {
  /** As submitted, after URL decoding. */
  address: string;
  resolved_address: string;
  lat: number;
  lon: number;
}

/**
 * The property that an address stands for. Its place is rounded to six decimals before anything is computed, so that an answer can be
 * computed again from what it shows. Refuses with 422 what cannot be pinned to one house, and with 500 while the geocoder is away.
 */
export async function locateProperty(
  geocoder: Geocoder,
  address: string,
  context: RequestContext,
): Promise<{ property: Property; headers: Record<string, string> }> {
  const geocode = await geocoder.locate(address.trim(), context.signal);
  switch (geocode.outcome) {
    case 'no_match':
      throw notGeocoded(address);
    case 'candidates':
      throw notGeocoded(address, geocode.candidates);
    case 'unavailable':
      throw geocoderUnavailable();
    case 'match':
      context.geohash_4 = geohash4(geocode);
      return {
        property: {
          address,
          resolved_address: geocode.resolved_address,
          lat: toMicroDegree(geocode.lat),
          lon: toMicroDegree(geocode.lon),
        },
        headers:
          geocode.corrections.length === 0 ? {} : { 'X-Address-Corrections': geocode.corrections.join(', ') },
      };
  }
}

function toMicroDegree(degrees: number): number {
  return Math.round(degrees * 1e6) / 1e6 + 0;
}

/** Null off the globe, which the check of the answer finds. */
function geohash4({ lat, lon }: { lat: number; lon: number }): string | null {
  return isPlace(lat, lon) ? cellText(cellOf(lat, lon)).slice(0, 4) : null;
}
