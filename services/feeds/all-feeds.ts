import type { Config } from '../runtime/config.ts';
import { cocorahsHail } from './cocorahs/feed.ts';
import type { Feed } from './feed.ts';
import { mrmsMesh } from './mrms/feed.ts';
import { stormEvents } from './noaa_sed/feed.ts';
import { nwsAlerts } from './nws/feed.ts';
import { stormReports } from './spc/feed.ts';
import { radarHail } from './swdi/feed.ts';

/** Every feed there is, as configured: the process reads them, and the commands know them by these names. */
export function allFeeds(config: Config): Feed[] {
  return [
    stormEvents(config),
    radarHail(config),
    mrmsMesh(config),
    stormReports(config),
    cocorahsHail(config),
    nwsAlerts(config),
  ];
}
