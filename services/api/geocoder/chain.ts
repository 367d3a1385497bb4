import type { Geocode, Geocoder } from '../ports.ts';

/**
 * Several geocoders as one, asked in their order until one has the house. A later one is asked where an earlier one knows no match, is away,
 * or knows only another house; not where the address itself names several places: that a later one knows just one of them would decide
 * by ignorance. Without a match "unavailable" wins, because the one that is away may know the house: a 422 would be final.
 */
export function createGeocoderChain(geocoders: readonly Geocoder[]): Geocoder {
  return {
    async locate(address, signal) {
      const without: Geocode[] = [];
      for (const geocoder of geocoders) {
        const geocode = await geocoder.locate(address, signal);
        if (geocode.outcome === 'match' || isAmbiguous(geocode)) return geocode;
        without.push(geocode);
      }
      return (
        without.find(({ outcome }) => outcome === 'unavailable') ??
        without.find(({ outcome }) => outcome === 'candidates') ?? { outcome: 'no_match' }
      );
    },
  };
}

function isAmbiguous(geocode: Geocode): boolean {
  return geocode.outcome === 'candidates' && geocode.candidates.length > 1;
}
