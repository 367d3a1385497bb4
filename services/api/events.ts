import { sourceOf, type Source } from '../hail/citation.ts';
import { eventsAt, type Filters, type HailEvent } from '../hail/event/event.ts';
import { bearing, type Bearing } from '../hail/geo/bearing.ts';
import { metres_per_mile } from '../hail/geo/distance.ts';
import type { Observation } from '../hail/observation.ts';
import { roundToHundredths } from '../hail/size.ts';
import { formatInstant } from '../hail/time.ts';
import { citedPerEvent, methodology } from '../hail/methodology/methodology.ts';
import { notNow } from './errors/api-error.ts';
import type { AskerPatience, HailQuestion, HailReader } from './ports.ts';

/** The contract's Event object (2.3) without the bearing. */
export interface EventItem {
  occurred_at: string;
  size_in: number;
  distance_mi: number;
  sources: Source[];
}

const retry_after_s = 30;

/** The events at a place with the headers that say what the answer stands on. 503 while nothing has ever been read. */
export async function findEvents(
  hail: Pick<HailReader, 'observationsNear'>,
  filters: Filters,
  patience: AskerPatience,
): Promise<{ events: HailEvent[]; headers: Record<string, string> }> {
  const { observations, headers } = await findObservations(hail, filters, patience);
  return { events: eventsAt(observations, filters), headers };
}

/** What events are made of, for an answer that makes them more than once from one reading. As `findEvents` otherwise. */
export async function findObservations(
  hail: Pick<HailReader, 'observationsNear'>,
  question: HailQuestion,
  patience: AskerPatience,
): Promise<{ observations: Observation[]; headers: Record<string, string> }> {
  const reading = await hail.observationsNear(question, patience);
  if (reading === null) {
    throw notNow(
      'No publisher has been read yet, so nothing can be answered; try again later.',
      retry_after_s,
    );
  }
  return {
    observations: reading.observations,
    headers: {
      'X-Methodology-Version': methodology.version,
      'X-Data-Position': reading.token,
      'X-Data-Coverage': citedPerEvent.map((name) => `${name}=${reading.coverage[name]}`).join(', '),
    },
  };
}

export function eventItem(event: HailEvent): EventItem {
  const { lead } = event;
  return {
    occurred_at: formatInstant(lead.began_ms),
    size_in: lead.size_in,
    distance_mi: roundToHundredths(lead.distance_m / metres_per_mile),
    sources: event.observations.map(sourceOf),
  };
}

export function eventBearing({ lead }: HailEvent, from: { lat: number; lon: number }): Bearing {
  return bearing(from.lat, from.lon, lead.lat, lead.lon);
}
