import { day_ms, formatDay, parseDay } from '../../hail/time.ts';
import type { Problem } from '../errors/api-error.ts';
import { eventItem, findEvents } from '../events.ts';
import type { SentValues } from '../parameters/check.ts';
import { dayProblems, tomorrow } from '../parameters/days.ts';
import { locateProperty } from '../place.ts';
import type { Geocoder, HailReader } from '../ports.ts';
import type { Operation } from './operation.ts';

/** As `openapi.json` declares them; `until` has no fixed default, it is today. */
interface HistoryQuery {
  address: string;
  since: string;
  until?: string;
  radius_mi: number;
  min_size_in: number;
  limit: number;
}

const last_until = '2100-12-31';

/** GET property/history (contract 2.7, 4.3): every event of a period, oldest first. */
export function createHistory(
  deps: { geocoder: Geocoder; hail: HailReader },
  options: { default_since: string },
): Operation {
  return {
    name: 'history',
    path: '/property/history',
    problems: (values, now_ms) => {
      const bounds = [
        ...dayProblems(values, 'since', tomorrow(now_ms)),
        ...dayProblems(values, 'until', last_until),
      ];
      return bounds.length > 0 ? bounds : orderProblems(values, options.default_since, now_ms);
    },
    async answer(query, context) {
      const { address, since, radius_mi, min_size_in, limit, ...rest } = query as unknown as HistoryQuery;
      const until = rest.until ?? formatDay(context.computed_at_ms);
      const from_ms = parseDay(since);
      const last_ms = parseDay(until);
      if (from_ms === null || last_ms === null)
        throw new Error('since and until passed the checks and are days');

      const place = await locateProperty(deps.geocoder, address, context);
      const { lat, lon } = place.property;
      const until_ms = last_ms + day_ms;
      const found = await findEvents(
        deps.hail,
        { lat, lon, radius_mi, from_ms, until_ms, min_size_in },
        context,
      );
      const items = found.events.slice(0, limit).map(eventItem);
      return {
        data: {
          property: place.property,
          window: { since, until, radius_mi, min_size_in },
          events: {
            total: found.events.length,
            returned: items.length,
            truncated: items.length < found.events.length,
            items,
          },
        },
        headers: { ...place.headers, ...found.headers },
      };
    },
  };
}

function orderProblems(values: SentValues, default_since: string, now_ms: number): Problem[] {
  const sent = values.get('since');
  const since = sent ?? default_since;
  const until = values.get('until') ?? formatDay(now_ms);
  if (parseDay(since) === null || parseDay(until) === null || since <= until) return [];
  return sent === undefined
    ? [
        {
          parameter: 'until',
          message: `must not be before since, which is ${default_since} where it is not sent`,
        },
      ]
    : [{ parameter: 'since', message: `must not be after until, which is ${until}` }];
}
