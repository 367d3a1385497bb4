import type { Projection } from './projection.ts';
import { alertsProjection } from './projections/alerts.ts';
import { apiKeysProjection } from './projections/api-keys.ts';
import { apiRequestsProjection } from './projections/api-requests.ts';
import { deadLettersProjection } from './projections/dead-letters.ts';
import { feedsProjection } from './projections/feeds.ts';
import { observationsProjection } from './projections/observations.ts';

/** How to make each projection at a version. Adding a view adds a line. */
const makers: Record<string, (version: number) => Projection> = {
  observations: (version) => observationsProjection(version) as Projection,
  feeds: (version) => feedsProjection(version) as Projection,
  alerts: (version) => alertsProjection(version) as Projection,
  'api-keys': (version) => apiKeysProjection(version) as Projection,
  'api-requests': (version) => apiRequestsProjection(version) as Projection,
  'dead-letters': (version) => deadLettersProjection(version) as Projection,
};

export const projectionNames: readonly string[] = Object.keys(makers);

/** A projection at a version; undefined for a name that this program does not know. */
export function projectionAt(name: string, version: number): Projection | undefined {
  return makers[name]?.(version);
}
