import { eventsAt, type Filters, type HailEvent } from '../../hail/event/event.ts';
import { distanceMetres, metres_per_mile } from '../../hail/geo/distance.ts';
import type { Observation } from '../../hail/observation.ts';
import { publishers } from '../../hail/publisher.ts';
import { convectiveDay, day_ms, formatDay, formatInstant, yearsBefore } from '../../hail/time.ts';
import { findObservations } from '../events.ts';
import { locateProperty } from '../place.ts';
import type { Geocoder, HailReader } from '../ports.ts';
import { default_radius_mi, default_roof, newestFirst, scoreFilters, scoreOf } from '../property-score.ts';
import { publisherNames } from '../publisher-names.ts';
import type { Operation } from './operation.ts';

const radar_radius_mi = 8;
const damaging_in = 1;
/** Typical, not law: carriers vary (contract 2.8). */
const claim_years = 2;
const recent_ms = 30 * day_ms;

/**
 * GET lookup (contract 2.8, 4.4), kept for old clients: the score with its defaults and a summary of the storms behind it, flat. One
 * reading of the views within eight miles serves all of it, so its parts cannot stand on different data.
 */
export function createLookup(
  deps: { geocoder: Geocoder; hail: HailReader },
  options: { public_base_url: string },
): Operation {
  return {
    name: 'lookup',
    path: '/lookup',
    flat: true,
    links: [`<${options.public_base_url}/api/v1/property/score>; rel="successor-version"`],
    async answer(query, context) {
      const { address } = query as unknown as { address: string };
      const now_ms = context.computed_at_ms;
      const place = await locateProperty(deps.geocoder, address, context);
      const wide = scoreFilters(place.property, {
        now_ms,
        roof_age: default_roof.roof_age,
        radius_mi: radar_radius_mi,
      });
      const near: Filters = { ...wide, radius_mi: default_radius_mi };
      const { observations, headers } = await findObservations(deps.hail, wide, context);
      const events = eventsAt(observations, near);
      const { value, tier, max_hail_size_in } = scoreOf(events, default_roof, now_ms);
      const last = newestFirst(events).find(({ lead }) => lead.size_in >= damaging_in)?.lead ?? null;
      const recent = mrmsSince(observations, near, now_ms - recent_ms);
      return {
        data: {
          request: place.property,
          score: { value, tier, max_hail_size_in },
          storms: {
            total_radar_events: eventsAt(observations, wide).filter(citesRadar).length,
            last_damaging_event:
              last === null
                ? null
                : {
                    date: formatDay(last.began_ms),
                    size: last.size_in,
                    days_ago: Math.floor((now_ms - last.began_ms) / day_ms),
                  },
            claim_window_open: last !== null && last.began_ms >= yearsBefore(now_ms, claim_years),
          },
          live_mrms: {
            hail_days_last_30: new Set(
              recent
                .filter(({ size_in }) => size_in >= damaging_in)
                .map(({ began_ms }) => convectiveDay(began_ms)),
            ).size,
            max_in_last_30: recent.reduce<number | null>(
              (most, { size_in }) => Math.max(most ?? 0, size_in),
              null,
            ),
          },
          meta: {
            api_version: 'v1',
            generated_at: formatInstant(now_ms),
            sources: publishers.map((name) => publisherNames[name]),
          },
        },
        headers: {
          ...place.headers,
          ...headers,
        },
      };
    },
  };
}

function citesRadar({ observations }: HailEvent): boolean {
  return observations.some(({ publisher }) => publisher === 'NEXRAD_SWDI' || publisher === 'MRMS_MESH');
}

/** Cells of the mosaic near the property since an instant, of any size that is read. */
function mrmsSince(observations: readonly Observation[], near: Filters, from_ms: number): Observation[] {
  return observations.filter(
    ({ publisher, began_ms, lat, lon }) =>
      publisher === 'MRMS_MESH' &&
      began_ms >= from_ms &&
      began_ms < near.until_ms &&
      distanceMetres(near.lat, near.lon, lat, lon) <= near.radius_mi * metres_per_mile,
  );
}
