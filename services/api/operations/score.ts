import { isRoofType } from '../../hail/roof/roof-type.ts';
import { formatInstant } from '../../hail/time.ts';
import { eventItem, findEvents } from '../events.ts';
import { locateProperty } from '../place.ts';
import type { Geocoder, HailReader } from '../ports.ts';
import { newestFirst, scoreFilters, scoreOf } from '../property-score.ts';
import type { Operation } from './operation.ts';

/** As `openapi.json` declares them. */
interface ScoreQuery {
  address: string;
  roof_age: number;
  roof_type: string;
  radius_mi: number;
}

const most_items = 50;

/** GET property/score (contract 2.6, 4.2): how probable is it that hail has damaged this roof, and by which events? */
export function createScore(deps: { geocoder: Geocoder; hail: HailReader }): Operation {
  return {
    name: 'score',
    path: '/property/score',
    async answer(query, context) {
      const { address, roof_age, roof_type, radius_mi } = query as unknown as ScoreQuery;
      if (!isRoofType(roof_type)) throw new Error('the roof type passed the checks and is one of the nine');
      const now_ms = context.computed_at_ms;

      const place = await locateProperty(deps.geocoder, address, context);
      const filters = scoreFilters(place.property, { now_ms, roof_age, radius_mi });
      const { events, headers } = await findEvents(deps.hail, filters, context);
      const items = newestFirst(events).slice(0, most_items).map(eventItem);
      return {
        data: {
          property: { ...place.property, roof_age, roof_type },
          score: scoreOf(events, { roof_age, roof_type }, now_ms),
          events: { total_in_lookback: events.length, returned: items.length, items },
          parameters: { radius_mi, lookback_start: formatInstant(filters.from_ms) },
        },
        headers: { ...place.headers, ...headers },
      };
    },
  };
}
