import { isGivenUp } from '../../runtime/abort.ts';
import type { GeocoderObserver } from '../observer.ts';
import type { Geocoder } from '../ports.ts';

/** A geocoder whose questions are told of, without their addresses. Its asker having gone says nothing about the geocoder. */
export function observedGeocoder(geocoder: Geocoder, name: string, observer: GeocoderObserver): Geocoder {
  return {
    locate: async (address, signal) => {
      const began_ms = performance.now();
      const tell = (outcome: Parameters<GeocoderObserver['asked']>[0]['outcome']): void =>
        observer.asked({ geocoder: name, outcome, duration_ms: performance.now() - began_ms });
      try {
        const geocode = await geocoder.locate(address, signal);
        tell(geocode.outcome === 'unavailable' && isGivenUp(signal) ? 'given_up' : geocode.outcome);
        return geocode;
      } catch (error) {
        tell('error');
        throw error;
      }
    },
  };
}
