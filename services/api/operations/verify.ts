import { day_ms, formatInstant, parseDay } from '../../hail/time.ts';
import { eventBearing, eventItem, findEvents } from '../events.ts';
import { dayProblems, tomorrow } from '../parameters/days.ts';
import { locateProperty } from '../place.ts';
import type { Geocoder, HailReader } from '../ports.ts';
import type { Operation } from './operation.ts';

/** As `openapi.json` declares them. */
interface VerifyQuery {
  address: string;
  date_of_loss: string;
  window_days: number;
  radius_mi: number;
  min_size_in: number;
}

/** GET property/verify (contract 2.5, 4.1): was there hail around the date of loss, and who says so? */
export function createVerify(deps: { geocoder: Geocoder; hail: HailReader }): Operation {
  return {
    name: 'verify',
    path: '/property/verify',
    problems: (values, now_ms) => dayProblems(values, 'date_of_loss', tomorrow(now_ms)),
    async answer(query, context) {
      const { address, date_of_loss, window_days, radius_mi, min_size_in } = query as unknown as VerifyQuery;
      const loss_ms = parseDay(date_of_loss);
      if (loss_ms === null) throw new Error('the date of loss passed the checks and is a day');
      const from_ms = loss_ms - window_days * day_ms;
      const until_ms = loss_ms + window_days * day_ms;

      const place = await locateProperty(deps.geocoder, address, context);
      const { lat, lon } = place.property;
      const found = await findEvents(
        deps.hail,
        { lat, lon, radius_mi, from_ms, until_ms, min_size_in },
        context,
      );
      const events = found.events.map((event) => {
        const { sources, ...item } = eventItem(event);
        return { ...item, bearing: eventBearing(event, place.property), sources };
      });
      return {
        data: {
          property: place.property,
          date_of_loss,
          verification: {
            window_days,
            window_start: formatInstant(from_ms),
            window_end: formatInstant(until_ms),
            radius_mi,
            min_size_in,
            verdict: events.length > 0 ? 'hail_confirmed' : 'no_hail_in_window',
            event_count: events.length,
            max_hail_size_in: events.reduce((most, { size_in }) => Math.max(most, size_in), 0),
          },
          events,
        },
        headers: { ...place.headers, ...found.headers },
      };
    },
  };
}
