import { createHash } from 'node:crypto';
import { day_ms } from '../../hail/time.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Geocode, Geocoder } from '../ports.ts';

/** A house stays where it is; a street that is missing today may be in the next edition of the data. */
const match_kept_ms = 90 * day_ms;
const no_match_kept_ms = day_ms;

interface Entry {
  geocode: Geocode;
  until_ms: number;
}

/**
 * Remembers what the geocoder said, least recently used goes first. Keys are SHA-256 of the normalised address and the edition of the
 * geocoder's data, so that no address stands in memory as a key; "unavailable" is never remembered. Remembered places answer while the
 * geocoder is away.
 */
export function createGeocodeCache(
  deps: { geocoder: Geocoder; clock: Clock; onLook?: (result: 'hit' | 'miss') => void },
  options: { entries: number; edition: string },
): Geocoder {
  const entries = new Map<string, Entry>();
  return {
    async locate(address, signal) {
      const key = createHash('sha256')
        .update(`${options.edition}\n${normalised(address)}`)
        .digest('base64');
      const known = entries.get(key);
      entries.delete(key);
      if (known !== undefined && known.until_ms > deps.clock()) {
        entries.set(key, known);
        deps.onLook?.('hit');
        return known.geocode;
      }
      deps.onLook?.('miss');
      const geocode = await deps.geocoder.locate(address, signal);
      if (geocode.outcome === 'unavailable' || options.entries === 0) return geocode;
      const kept_ms = geocode.outcome === 'match' ? match_kept_ms : no_match_kept_ms;
      entries.delete(key);
      entries.set(key, { geocode, until_ms: deps.clock() + kept_ms });
      for (const oldest of entries.keys()) {
        if (entries.size <= options.entries) break;
        entries.delete(oldest);
      }
      return geocode;
    },
  };
}

/** Case and spacing change nothing for a geocoder; anything else may. */
function normalised(address: string): string {
  return address.normalize('NFC').toUpperCase().replace(/\s+/g, ' ').trim();
}
